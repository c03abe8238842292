"""A table of numbers from a CSV file, as a spreadsheet or `numpy.savetxt` writes it.

The delimiter between cells is the first of semicolon, tab, comma and space that the first line
holds. If it is not the comma, commas are decimal commas. So a single column with decimal commas
reads as two columns, unless a heading with another delimiter stands above it: write it with points.
Thousands separators are refused, not guessed: files with decimal points and decimal commas, and
quoted cells that may all hold them, as in "1,234","2,345".
"""

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
    """The lines that are not blank, with their numbers in the file from 1. Raises: FileError."""
    if data.count(b"\n") + data.count(b"\r") > 2 * MAX_LINES:
        raise FileError(
            f"The file has more than {MAX_LINES:,} lines, more than a matrix has rows; leave some"
            " out"
        )
    raw_lines = data.removeprefix(b"\xef\xbb\xbf").splitlines()
    lines = []
    for number, raw in enumerate(raw_lines, start=1):
        if len(raw) > MAX_LINE_LENGTH:
            raise FileError(
                f"Line {number} has {len(raw):,} characters but may have at most"
                f" {MAX_LINE_LENGTH:,}; write fewer columns"
            )
        try:
            line = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise FileError(
                f"Line {number} is not text in UTF-8; save the file as CSV UTF-8"
            ) from error
        if "\0" in line:
            raise FileError(
                f"Line {number} holds a zero byte, so this is not a CSV file; save it as CSV UTF-8"
            )
        if line.strip():
            lines.append((number, line))
    return lines


def csv_numbers(
    lines: Lines, symbol: str, check_size: Callable[[int, int], None], is_labelled: bool = False
) -> Array:
    """The numbers in lines, as float64. Shapes: (rows, columns), checked by `check_size` before any
    cell is read.

    symbol: what errors call the table. is_labelled: whether the first line is a heading, and the
    first cell of every other line a label. Raises: FileError naming row, column and line;
    ShapeError.
    """
    delimiter = delimiter_of(lines[0][1]) if lines else None
    n_labels = int(is_labelled)
    lines = lines[n_labels:]
    if not lines:
        raise FileError("The file holds no numbers; write one line for each row")
    n_columns = len(cells_of(*lines[0], delimiter)) - n_labels
    check_size(len(lines), n_columns)
    matrix, mark = np.empty((len(lines), n_columns)), ""
    for row, (number, line) in enumerate(lines):
        cells = cells_of(number, line, delimiter)[n_labels:]
        if len(cells) != n_columns:
            raise ShapeError(
                f"{symbol} is ragged: row 0 has {n_columns} cells, but row {row} (line {number} of"
                f" the file) has {len(cells)}; all rows must have the same number"
            )
        matrix[row] = [
            _number(symbol, cell, row, column, number) for column, cell in enumerate(cells)
        ]
        mark = _only_mark(symbol, cells, row, number, mark)
    if delimiter == mark == ",":
        _refuse_thousands(symbol, lines, n_labels)
    return matrix


def delimiter_of(line: str) -> str | None:
    """The delimiter between the cells of a line; None for spaces."""
    return next((mark for mark in ";\t," if mark in line), None)


def cells_of(number: int, line: str, delimiter: str | None) -> list[str]:
    """The cells of a line; quotes must enclose whole cells. Raises: FileError."""
    if delimiter is None:
        return line.split()
    try:
        return next(csv.reader([line], delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise FileError(
            f"Line {number} has a quote that does not end with its cell; put quotes around whole"
            " cells, or leave them out"
        ) from error


def _number(symbol: str, cell: str, row: int, column: int, line: int) -> float:
    """The number in a cell, with a decimal point or a decimal comma."""
    text = cell.strip()
    number = typed_number(text.replace(",", "."))
    if not math.isfinite(number):
        raise FileError(
            f"{symbol} holds {text[:40]!r} in {_place(row, column, line)}, which is not a finite"
            " number; write one there"
        )
    return number


def _only_mark(symbol: str, cells: list[str], row: int, line: int, mark: str) -> str:
    """The decimal mark of the file so far, "" if there is none. mark: that of the lines before."""
    for column, cell in enumerate(cells):
        used = next((one for one in ",." if one in cell), mark)
        if mark and used != mark:
            raise FileError(
                f"{symbol} holds {cell.strip()[:40]!r} in {_place(row, column, line)}, but cells"
                f" before it use {mark!r}: write every number with a decimal point and without"
                " thousands separators"
            )
        mark = used
    return mark


def _refuse_thousands(symbol: str, lines: Lines, n_labels: int) -> None:
    """Refuse commas inside cells if all may separate thousands. One that cannot, as in 1,5 or
    0,234, makes all of them decimal commas.
    """
    ambiguous = [
        (cell.strip(), _place(row, column, number))
        for row, (number, line) in enumerate(lines)
        for column, cell in enumerate(cells_of(number, line, ",")[n_labels:])
        if "," in cell
    ]
    if all(_MAY_BE_THOUSANDS.fullmatch(cell) for cell, _ in ambiguous):
        cell, place = ambiguous[0]
        raise FileError(
            f"{symbol} holds {cell!r} in {place}, which may mean {cell.replace(',', '.')} or"
            f" {cell.replace(',', '')}: write every number with a decimal point and without"
            " thousands separators"
        )


def _place(row: int, column: int, line: int) -> str:
    return f"row {row}, column {column} (counted from 0; line {line} of the file)"
