"""Tables as CSV files, which no spreadsheet takes for programs."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable
from typing import Any

from ..files.file_checks import typed_number

# A spreadsheet runs a cell that begins with one of these as a formula.
_FORMULA = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")


def csv_text(lines: Iterable[Iterable[Any]]) -> str:
    """Lines of cells as CSV. A text that a spreadsheet would run as a formula gets an apostrophe; a
    number stays a number.

    >>> print(csv_text([("token", 0), ("=1+1", -0.5), ("-2", "-x")]), end="")
    token,0
    '=1+1,-0.5
    -2,'-x
    """
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows(map(_harmless, line) for line in lines)
    return written.getvalue()


def _harmless(cell: Any) -> Any:
    is_run = isinstance(cell, str) and cell.startswith(_FORMULA) and math.isnan(typed_number(cell))
    return f"'{cell}" if is_run else cell
