"""A table of numbers from a CSV file, as a spreadsheet or `numpy.savetxt` writes it.

Cells are parted by semicolons, tabs, commas or spaces, whichever of these, in this order, the first
line of numbers has; commas that part no cells are decimal commas. So a single column with decimal
commas reads as two columns: write it with points. A file has decimal points or decimal commas:
where both occur, the commas may part thousands, and so they may where all of them do between cells
that commas part: "1,234","2,345". Neither is guessed.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable

import numpy as np

from attention_core.checks import Array
from attention_core.errors import FileError, ShapeError

from .file_checks import typed_number

MAX_LINES = 4096
MAX_LINE_LENGTH = 2**16  # 2048 cells of 32 characters
Lines = list[tuple[int, str]]
_MAY_BE_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}", re.ASCII)


def csv_lines(data: bytes) -> Lines:
    """The lines that are not blank, each with its number in the file, counted from 1. Raises:
    FileError.
    """
    if data.count(b"\n") + data.count(b"\r") > 2 * MAX_LINES:
        raise FileError(
            f"The file has more than {MAX_LINES:,} lines, but a matrix has one for each of its rows"
        )
    raw_lines = data.removeprefix(b"\xef\xbb\xbf").splitlines()
    lines = []
    for number, raw in enumerate(raw_lines, start=1):
        if len(raw) > MAX_LINE_LENGTH:
            raise FileError(
                f"Line {number} has {len(raw):,} characters but may have at most"
                f" {MAX_LINE_LENGTH:,}"
            )
        try:
            line = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise FileError(
                f"Line {number} is no text in UTF-8; save the file as CSV UTF-8"
            ) from error
        if "\0" in line:
            raise FileError(
                f"Line {number} holds a zero byte, so this is no CSV file; save it as CSV UTF-8"
            )
        if line.strip():
            lines.append((number, line))
    return lines


def csv_numbers(lines: Lines, symbol: str, check_size: Callable[[int, int], None]) -> Array:
    """The numbers in lines, as float64. Shapes: (rows, columns), checked by `check_size` before a
    cell is read.

    symbol: what the table is called in sentences. Raises: FileError naming row, column and line,
    ShapeError.
    """
    if not lines:
        raise FileError("The file holds no numbers; write one line for each row")
    delimiter = delimiter_of(lines[0][1])
    n_columns = len(cells_of(*lines[0], delimiter))
    check_size(len(lines), n_columns)
    matrix, mark = np.empty((len(lines), n_columns)), ""
    for row, (number, line) in enumerate(lines):
        cells = cells_of(number, line, delimiter)
        if len(cells) != n_columns:
            raise ShapeError(
                f"{symbol} is ragged: row 0 has {n_columns} cells but row {row} (line {number} of"
                f" the file) has {len(cells)}; give every row as many"
            )
        matrix[row] = [
            _number(symbol, cell, row, column, number) for column, cell in enumerate(cells)
        ]
        mark = _only_mark(symbol, cells, row, number, mark)
    if delimiter == mark == ",":
        _refuse_thousands(symbol, lines)
    return matrix


def delimiter_of(line: str) -> str | None:
    """What parts the cells of a line; None for spaces."""
    return next((mark for mark in ";\t," if mark in line), None)


def cells_of(number: int, line: str, delimiter: str | None) -> list[str]:
    """The cells of a line; quotes stand around whole cells. Raises: FileError."""
    if delimiter is None:
        return line.split()
    try:
        return next(csv.reader([line], delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise FileError(
            f"Line {number} has a quote that does not end with its cell; put quotes around whole"
            " cells or none"
        ) from error


def _number(symbol: str, cell: str, row: int, column: int, line: int) -> float:
    """The number in a cell, with a decimal point or a decimal comma."""
    text = cell.strip()
    number = typed_number(text.replace(",", "."))
    if not math.isfinite(number):
        place = _place(row, column, line)
        problem = (
            f"holds {text[:40]!r} in {place}, which is no finite number"
            if text
            else f"is empty in {place}"
        )
        raise FileError(f"{symbol} {problem}; write a number there")
    return number


def _only_mark(symbol: str, cells: list[str], row: int, line: int, mark: str) -> str:
    """The decimal mark of the file so far, "" before the first; `mark` is that of the lines
    before.
    """
    for column, cell in enumerate(cells):
        found = next((one for one in ",." if one in cell), mark)
        if mark and found != mark:
            raise FileError(
                f"{symbol} holds {cell.strip()[:40]!r} in {_place(row, column, line)}, but cells"
                f" before it have {mark!r}: write every number with a decimal point, and nothing"
                " between thousands"
            )
        mark = found
    return mark


def _refuse_thousands(symbol: str, lines: Lines) -> None:
    """Refuse commas inside cells that may all part thousands; one that cannot, 1,5 or 0,234,
    makes all decimal.
    """
    found = [
        (cell.strip(), _place(row, column, number))
        for row, (number, line) in enumerate(lines)
        for column, cell in enumerate(cells_of(number, line, ","))
        if "," in cell
    ]
    if all(_MAY_BE_THOUSANDS.fullmatch(cell) for cell, _ in found):
        cell, place = found[0]
        raise FileError(
            f"{symbol} holds {cell!r} in {place}, which may be {cell.replace(',', '.')} or"
            f" {cell.replace(',', '')}: write every number with a decimal point, and nothing"
            " between thousands"
        )


def _place(row: int, column: int, line: int) -> str:
    return f"row {row}, column {column} (counted from 0; line {line} of the file)"
