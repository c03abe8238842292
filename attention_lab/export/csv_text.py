"""Tables as CSV files, which no spreadsheet takes for programs."""

import csv
import io
import math
import re
from collections.abc import Iterable
from typing import Any

from ..files.file_checks import typed_number

# A spreadsheet runs a cell that begins with one of these as a formula; what is blank before it, and
# quotation marks, may be removed. By the settings of many countries ";" separates cells and "," is
# the decimal sign: then a cell may begin inside a text, and go on in the next one.
_BEGIN = re.compile(
    r"""((?:^|[;\t\r\n])[\s\x00-\x1f\u200b\ufeff"]*)(?=[-=+@\uff1d\uff0b\uff0d\uff20])"""
)
_SIGNED = re.compile(r"[-+]\d+", re.ASCII)


def csv_text(lines: Iterable[Iterable[Any]]) -> str:
    """Lines of cells as CSV. Where a spreadsheet would run a text as a formula it gets an
    apostrophe; a number stays a number.

    >>> print(csv_text([("token", 0), ("=1+1", -0.5), ("-2", "-x"), ("a;=1+1", "a = 1")]), end="")
    token,0
    '=1+1,-0.5
    -2,'-x
    a;'=1+1,a = 1
    """
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows(map(_harmless_line, lines))
    return written.getvalue()


def _harmless_line(line: Iterable[Any]) -> list[Any]:
    cells = [_harmless(cell) for cell in line]
    is_signed = len(cells) > 1 and _SIGNED.fullmatch(str(cells[0]))
    if is_signed and _is_text(cells[1]) and cells[1][0].isdigit():  # -2 and 5+… are -2,5+…
        cells[1] = f"'{cells[1]}"
    return cells


def _harmless(cell: Any) -> Any:
    return _BEGIN.sub(r"\1'", cell) if _is_text(cell) else cell


def _is_text(cell: Any) -> bool:
    return isinstance(cell, str) and cell != "" and math.isnan(typed_number(cell))
