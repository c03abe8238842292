"""The user's matrices and biases in files and in texts.

A CSV file holds one of them; its name is in the first line, or in the name of the file. An NPZ
file holds any of them. A text for a URL or a JSON file is exact, compressed, and safe to read from
strangers.
"""

import io
import math
import re
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from attention_core.checks import Array
from attention_core.errors import FileError

from ..files.csv_numbers import cells_of, csv_lines, csv_numbers, delimiter_of
from ..files.npz import NpzArchive
from ..files.packed_text import packed, unpacked
from .matrix_names import (
    ALL_SYMBOLS,
    MAX_MATRIX_BYTES,
    MAX_UNPACKED_BYTES,
    check_matrix_shape,
    matrix_named,
)

_NAME_IN_FILE_NAME = re.compile(r"(?<![a-z0-9])(?:x|[wb]_?[qkvo]|g_?[qk]|sinks)(?![a-z0-9])")
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
    is_labelled = bool(lines) and _is_labelled(*lines[0])
    name = matrix_named(lines[0][1].strip("#;,\t\" '")) if lines else None
    if is_labelled:
        name = "x"
    elif name:
        lines = lines[1:]
    else:
        name = _name_from(file_name)
    check = partial(_check_shape, name)
    return name, csv_numbers(lines, ALL_SYMBOLS[name], check, is_labelled)


def _check_shape(name: str, *shape: int) -> None:
    check_matrix_shape(name, shape)


def _is_labelled(number: int, line: str) -> bool:
    """Whether a line is the heading of such a table: "token", then 0, 1, 2 and so on."""
    first, *places = cells_of(number, line, delimiter_of(line)) or [""]
    return first == "token" and places == [str(place) for place in range(len(places))]


def _name_from(file_name: str) -> str:
    names = {matrix_named(match) for match in _NAME_IN_FILE_NAME.findall(file_name.lower())}
    if len(names) != 1 or not (name := names.pop()):
        raise FileError(
            "Which matrix is it? Write its name into the first line or into the file's name:"
            f" {_NAMES}"
        )
    return name


MAX_MEMBERS = 64

_NO_NUMBERS = {"b": "true and false", "U": "text"}


def read_npz(data: bytes) -> tuple[dict[str, Array], tuple[str, ...]]:
    """The matrices of an NPZ file as float64, and the names of the other arrays, which are not
    read.

    Names may be in any case, with or without the underscore; "inputs" is X. A first axis of length
    1 is dropped, so that a downloaded trace can be read. Raises: FileError, ShapeError.
    """
    archive = NpzArchive(io.BytesIO(data), MAX_MEMBERS, MAX_UNPACKED_BYTES)
    matrices: dict[str, Array] = {}
    unread = []
    for title in archive.names:
        name = matrix_named(title)
        if name is None:
            unread.append(title)
        elif name in matrices:
            raise FileError(f"The file holds {ALL_SYMBOLS[name]} twice; remove one of them")
        else:
            matrices[name] = _read_matrix(archive, title, name)
    return matrices, tuple(unread)


def write_npz(matrices: Mapping[str, Array]) -> bytes:
    """The matrices as an NPZ file with the names X, W_Q to W_O and b_Q to b_O."""
    buffer = io.BytesIO()
    named: dict[str, Any] = {ALL_SYMBOLS[name]: matrix for name, matrix in matrices.items()}
    np.savez_compressed(buffer, **named)
    return buffer.getvalue()


@np.errstate(invalid="ignore")  # a signalling NaN, which is refused later
def _read_matrix(archive: NpzArchive, title: str, name: str) -> Array:
    """One matrix; type and shape are checked before its numbers are read."""
    symbol, head = ALL_SYMBOLS[name], archive.head(title)
    is_batch_of_one = len(head.shape) == 3 and head.shape[0] == 1
    check_matrix_shape(name, head.shape[is_batch_of_one:])
    if kind := _NO_NUMBERS.get(head.dtype.kind):
        raise FileError(
            f"{symbol} holds {kind}, not real numbers; save it as float64: numpy.asarray(x,"
            " dtype=float)"
        )
    array = archive.read(title, head)
    return array.reshape(array.shape[-2:]).astype(np.float64)


_MAX_BYTES = MAX_MATRIX_BYTES + 200
_ENTRY = re.compile(rf"({'|'.join(ALL_SYMBOLS)}) (\d{{1,4}}) (\d{{1,4}})", re.ASCII)
# A longer text fits no URL. For a layer 384 wide the best compression takes 6 s, level 3 0.2 s.
_MAX_TIGHT_BYTES = 2**18
_AGAIN = "load your matrices, or your state file, again"


def pack(matrices: Mapping[str, Array]) -> str:
    """Names and shapes (a bias is one row), then every number as float64, compressed, as letters,
    digits, "-" and "_".

    1500 numbers take 900 characters if they are -1, 0 or 1, 4300 with two decimals, 6100 with
    three, 15,000 at random. No text begins with ".": base64 has no such letter.

    >>> unpack(pack({"w_q": np.array([[0.1, -2.0]])}))["w_q"].tolist()
    [[0.1, -2.0]]
    """
    if not matrices:
        return ""
    shapes = {name: np.atleast_2d(matrix).shape for name, matrix in matrices.items()}
    head = ";".join(f"{name} {rows} {columns}" for name, (rows, columns) in shapes.items())
    numbers = b"".join(matrix.astype("<f8").tobytes() for matrix in matrices.values())
    level = 9 if len(numbers) <= _MAX_TIGHT_BYTES else 3
    return packed(head.encode() + b"\n" + numbers, level)


def unpack(text: str) -> dict[str, Array]:
    """The matrices in such a text, to the last bit. Raises: FileError, ShapeError.

    However much a text would unpack to, at most the bytes of the largest matrices are unpacked.
    """
    if not text:
        return {}
    head, _, numbers = _inflated(text).partition(b"\n")
    matrices: dict[str, Array] = {}
    offset = 0
    for entry in head.decode("latin-1").split(";"):
        match = _ENTRY.fullmatch(entry)
        if not match or match[1] in matrices:
            raise FileError(f"The text of your matrices is damaged at {entry[:40]!r}; {_AGAIN}")
        name, shape = match[1], (int(match[2]), int(match[3]))
        check_matrix_shape(name, shape)
        end = offset + 8 * math.prod(shape)
        matrices[name] = np.frombuffer(
            numbers[offset:end].ljust(end - offset, b"\0"), "<f8"
        ).reshape(shape)
        offset = end
    if offset != len(numbers):
        raise FileError(
            f"The text of your matrices holds {len(numbers):,} bytes of numbers, not {offset:,};"
            f" {_AGAIN}"
        )
    return matrices


def _inflated(text: str) -> bytes:
    """The unpacked bytes of a text, at most those of the largest matrices."""
    if len(text) > 1.4 * _MAX_BYTES:
        raise FileError(
            f"The text of your matrices has {len(text):,} characters, more than the largest"
            f" matrices need; {_AGAIN}"
        )
    try:
        return unpacked(text, _MAX_BYTES)
    except ValueError as error:
        raise FileError(f"The text of your matrices {error}; {_AGAIN}") from error
