"""One matrix, or one bias, from a CSV file. The first line may name it; else the file's name does."""

from __future__ import annotations

import re

from ..checks import Array
from ..csv_numbers import csv_lines, csv_numbers
from ..errors import FileError
from .matrix_names import ALL_SYMBOLS, check_matrix_shape, matrix_named

_NAME_IN_FILE_NAME = re.compile(r"(?<![a-z0-9])(?:x|[wb]_?[qkvo])(?![a-z0-9])")
_NAMES = ", ".join(ALL_SYMBOLS.values())


def read_csv(data: bytes, file_name: str) -> tuple[str, Array]:
    """The name of the matrix, and its numbers as float64. Raises: FileError naming row, column and line, ShapeError.

    >>> name, matrix = read_csv(b"W_Q;;\\n1,5;2;-3\\n4;5e-1;6", "my matrix.csv")
    >>> name, matrix.tolist()
    ('w_q', [[1.5, 2.0, -3.0], [4.0, 0.5, 6.0]])
    """
    lines = csv_lines(data)
    named = matrix_named(lines[0][1].strip("#;,\t\" '")) if lines else None
    if named:
        lines = lines[1:]
    name = named or _name_from(file_name)
    return name, csv_numbers(lines, ALL_SYMBOLS[name], lambda *shape: check_matrix_shape(name, shape))


def _name_from(file_name: str) -> str:
    found = {matrix_named(match) for match in _NAME_IN_FILE_NAME.findall(file_name.lower())}
    name = found.pop() if len(found) == 1 else None
    if name is None:
        raise FileError(f"Which matrix is it? Write its name into the first line or into the file's name: {_NAMES}")
    return name
