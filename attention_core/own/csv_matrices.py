"""One matrix, or one bias, from a CSV file, as a spreadsheet or `numpy.savetxt` writes it, and into one.

The first line may name the matrix; else the file's name does. Cells are parted by semicolons, tabs, commas or spaces,
whichever of these, in this order, the first line of numbers has; commas that part no cells are decimal commas. So a
single column with decimal commas reads as two columns: write it with points.
"""

from __future__ import annotations

import csv
import math
import re

import numpy as np

from ..checks import Array
from ..errors import FileError, ShapeError
from .matrix_names import ALL_SYMBOLS, check_matrix_shape, matrix_named

MAX_LINES = 4096
MAX_LINE = 2**16  # 2048 cells of 32 characters

_NAME_IN_FILE_NAME = re.compile(r"(?<![a-z0-9])(?:x|[wb]_?[qkvo])(?![a-z0-9])")
_NAMES = ", ".join(ALL_SYMBOLS.values())


def read_csv(data: bytes, file_name: str) -> tuple[str, Array]:
    """The name of the matrix, and its numbers as float64. Raises: FileError naming row, column and line, ShapeError.

    >>> name, matrix = read_csv(b"W_Q;;\\n1,5;2;-3\\n4;5e-1;6", "my matrix.csv")
    >>> name, matrix.tolist()
    ('w_q', [[1.5, 2.0, -3.0], [4.0, 0.5, 6.0]])
    """
    lines = _lines(data)
    named = matrix_named(lines[0][1].strip("#;,\t\" '")) if lines else None
    if named:
        lines = lines[1:]
    if not lines:
        raise FileError("The file holds no numbers; write one line for each row of the matrix")
    name = named or _name_from(file_name)
    delimiter = next((mark for mark in ";\t," if mark in lines[0][1]), None)
    n_columns = len(_cells(lines[0][1], delimiter))
    check_matrix_shape(name, (len(lines), n_columns))
    matrix = np.empty((len(lines), n_columns))
    for row, (number, line) in enumerate(lines):
        cells = _cells(line, delimiter)
        if len(cells) != n_columns:
            raise ShapeError(
                f"{ALL_SYMBOLS[name]} is ragged: row 0 has {n_columns} cells but row {row} (line {number} of the file) "
                f"has {len(cells)}; give every row as many"
            )
        matrix[row] = [_number(name, cell, row, column, number) for column, cell in enumerate(cells)]
    return name, matrix


def write_csv(name: str, matrix: Array) -> bytes:
    """A matrix, or a bias as one row, as a CSV file whose first line names it; every number reads back as the same.

    >>> write_csv("w_q", np.array([[1.5, 2.0], [-0.1, 1e-9]]))
    b'W_Q\\n1.5,2.0\\n-0.1,1e-09\\n'
    """
    rows = (",".join(map(repr, row)) for row in np.atleast_2d(matrix).tolist())
    return "".join(f"{line}\n" for line in (ALL_SYMBOLS[name], *rows)).encode()


def _lines(data: bytes) -> list[tuple[int, str]]:
    """The lines that are not blank, each with its number in the file, counted from 1."""
    if data.count(b"\n") + data.count(b"\r") > 2 * MAX_LINES:
        raise FileError(f"The file has more than {MAX_LINES:,} lines, but a matrix has one for each of its rows")
    raw_lines = data.removeprefix(b"\xef\xbb\xbf").splitlines()
    lines = []
    for number, raw in enumerate(raw_lines, start=1):
        if len(raw) > MAX_LINE:
            raise FileError(f"Line {number} has {len(raw):,} characters but may have at most {MAX_LINE:,}")
        try:
            line = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise FileError(f"Line {number} is no text in UTF-8; save the file as CSV UTF-8") from error
        if "\0" in line:
            raise FileError(f"Line {number} holds a zero byte, so this is no CSV file; save it as CSV UTF-8")
        if line.strip():
            lines.append((number, line))
    return lines


def _name_from(file_name: str) -> str:
    found = {matrix_named(match) for match in _NAME_IN_FILE_NAME.findall(file_name.lower())}
    name = found.pop() if len(found) == 1 else None
    if name is None:
        raise FileError(f"Which matrix is it? Write its name into the first line or into the file's name: {_NAMES}")
    return name


def _cells(line: str, delimiter: str | None) -> list[str]:
    """The cells of a line; a quote that is opened ends with the line at the latest."""
    return line.split() if delimiter is None else next(csv.reader([line], delimiter=delimiter))


def _number(name: str, cell: str, row: int, column: int, line: int) -> float:
    """The number in a cell, with a decimal point or a decimal comma."""
    text = cell.strip()
    try:
        number = float(text.replace(",", ".")) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        place = f"row {row}, column {column} (counted from 0; line {line} of the file)"
        problem = f"holds {text[:40]!r} in {place}, which is no finite number" if text else f"is empty in {place}"
        raise FileError(f"{ALL_SYMBOLS[name]} {problem}; write a number there")
    return number
