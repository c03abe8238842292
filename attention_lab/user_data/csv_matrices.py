"""One matrix or bias from a CSV file. Its name is in the first line, or in the name of the file."""

from __future__ import annotations

import csv
import re
from io import StringIO

from attention_core.checks import Array
from attention_core.errors import FileError

from ..files.csv_numbers import Lines, cells_of, csv_lines, csv_numbers, delimiter_of
from .matrix_names import ALL_SYMBOLS, check_matrix_shape, matrix_named

_NAME_IN_FILE_NAME = re.compile(r"(?<![a-z0-9])(?:x|[wb]_?[qkvo])(?![a-z0-9])")
_NAMES = ", ".join(ALL_SYMBOLS.values())


def read_csv(data: bytes, file_name: str) -> tuple[str, Array]:
    """The name of the matrix, and its numbers as float64. Raises: FileError naming row, column and
    line, ShapeError.

    A table of the inputs downloaded from the app, with tokens before its rows and numbers above its
    columns, is X.

    >>> name, matrix = read_csv(b"W_Q;;\\n1,5;2;-3\\n4;5e-1;6", "my matrix.csv")
    >>> name, matrix.tolist()
    ('w_q', [[1.5, 2.0, -3.0], [4.0, 0.5, 6.0]])
    """
    lines = csv_lines(data)
    if lines and _is_labelled(*lines[0]):
        return "x", csv_numbers(
            _without_labels(lines), "X", lambda *shape: check_matrix_shape("x", shape)
        )
    named = matrix_named(lines[0][1].strip("#;,\t\" '")) if lines else None
    if named:
        lines = lines[1:]
    name = named or _name_from(file_name)
    return name, csv_numbers(
        lines, ALL_SYMBOLS[name], lambda *shape: check_matrix_shape(name, shape)
    )


def _is_labelled(number: int, line: str) -> bool:
    """Whether a line is the heading of such a table: "token", then 0, 1, 2 and so on."""
    first, *places = cells_of(number, line, delimiter_of(line)) or [""]
    return first == "token" and places == [str(place) for place in range(len(places))]


def _without_labels(lines: Lines) -> Lines:
    delimiter = delimiter_of(lines[0][1])
    rows = []
    for number, line in lines[1:]:
        row = StringIO()
        csv.writer(row, delimiter=delimiter or ",", lineterminator="").writerow(
            cells_of(number, line, delimiter)[1:]
        )
        rows.append((number, row.getvalue()))
    return rows


def _name_from(file_name: str) -> str:
    names = {matrix_named(match) for match in _NAME_IN_FILE_NAME.findall(file_name.lower())}
    if len(names) != 1 or not (name := names.pop()):
        raise FileError(
            "Which matrix is it? Write its name into the first line or into the file's name:"
            f" {_NAMES}"
        )
    return name
