"""Small grey pictures from files that need no decoder: PGM, CSV and NPY.

Nothing in the file is trusted: its header is read, and its size checked, before any pixel is.
Source of the formats: the Netpbm manual, "pgm"; the NumPy manual, numpy.lib.format.
"""

from __future__ import annotations

import io
import math
import re
from pathlib import PurePath

import numpy as np

from .checks import Array
from .errors import FileError

MAX_BYTES = 4 * 2**20
MAX_SIDE = 1024
KINDS = ("pgm", "csv", "npy")
_PGM = re.compile(rb"P([25])(?:\s+|#[^\n]*\n)+(\d{1,9})(?:\s+|#[^\n]*\n)+(\d{1,9})(?:\s+|#[^\n]*\n)+(\d{1,5})\s")


def read_picture(data: bytes, file_name: str) -> Array:
    """The pixels of a picture, 0 black and 1 white for a PGM, as they stand for CSV and NPY.

    The file's name decides how it is read; it is never used as a path. Shapes: (height, width). Raises: FileError.

    >>> read_picture(b"P2 2 1 4  0 3", "a.pgm").tolist()
    [[0.0, 0.75]]
    """
    if len(data) > MAX_BYTES:
        raise FileError(
            f"The file has {len(data):,} bytes but may have at most {MAX_BYTES:,}: choose a smaller picture"
        )
    kind = PurePath(file_name).suffix.lower().removeprefix(".")
    readers = {"pgm": _read_pgm, "csv": _read_csv, "npy": _read_npy}
    if kind not in readers:
        raise FileError(
            f"A picture may be a file of kind {', '.join(KINDS)}, but this one is {kind[:8]!r}: save it as PGM"
        )
    pixels = readers[kind](data)
    if not np.isfinite(pixels).all():
        raise FileError("The picture holds a pixel that is no finite number: change it")
    return pixels


def _read_pgm(data: bytes) -> Array:
    found = _PGM.match(data)
    if found is None:
        raise FileError("The file does not begin as a PGM picture does, with P2 or P5, width, height and white")
    kind, width, height, white = (int(part) for part in found.groups())
    _check_sides(height, width)
    if not 0 < white < 65536:
        raise FileError(f"White is {white} but must lie from 1 to 65,535: save the picture again")
    body, count = data[found.end() :], height * width
    if kind == 2:
        numbers = body.split()
        if len(numbers) < count or not all(number.isdigit() for number in numbers[:count]):
            raise FileError(f"The picture should hold {count:,} whole numbers but does not: save it again")
        pixels = np.array([int(number) for number in numbers[:count]], float)
    else:
        kind_of_number = np.dtype(">u2" if white > 255 else "u1")
        if len(body) < count * kind_of_number.itemsize:
            raise FileError(f"The picture ends before its {count:,} pixels: save it again")
        pixels = np.frombuffer(body, kind_of_number, count).astype(float)
    scaled: Array = pixels.reshape(height, width) / white
    return scaled


def _read_csv(data: bytes) -> Array:
    lines = [line for line in data.removeprefix(b"\xef\xbb\xbf").splitlines() if line.strip()]
    mark = next((mark for mark in (b";", b"\t", b",") if lines and mark in lines[0]), None)
    rows = [line.split(mark) for line in lines]
    _check_sides(len(rows), len(rows[0]) if rows else 0)
    pixels = np.empty((len(rows), len(rows[0])))
    for place, row in enumerate(rows):
        if len(row) != pixels.shape[1]:
            raise FileError(
                f"Row 0 has {pixels.shape[1]} pixels but row {place} has {len(row)}: give every row as many"
            )
        for column, cell in enumerate(row):
            pixels[place, column] = _number(cell, place, column)
    return pixels


def _number(cell: bytes, row: int, column: int) -> float:
    try:
        return float(cell.decode("ascii"))
    except ValueError:
        said = cell[:20].decode("utf-8", "replace")
        raise FileError(f"Row {row}, column {column} holds {said!r}, which is no number: change it") from None


def _read_npy(data: bytes) -> Array:
    file = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(file)
        read_header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, fortran_order, dtype = read_header(file, max_header_size=4096)
    except (ValueError, EOFError, OverflowError) as error:
        raise FileError("The file does not begin as an array of NumPy does: save it again with numpy.save") from error
    if len(shape) != 2 or dtype.kind not in "fiub" or dtype.itemsize > 8:
        raise FileError(f"A picture is an array of numbers with two axes, but this one is {dtype} of shape {shape}")
    _check_sides(*shape)
    body = data[file.tell() :]
    if len(body) < math.prod(shape) * dtype.itemsize:
        raise FileError(f"The array ends before its {math.prod(shape):,} numbers: save it again")
    pixels = np.frombuffer(body, dtype, math.prod(shape)).astype(float)
    ordered: Array = pixels.reshape(shape, order="F" if fortran_order else "C")
    return ordered


def _check_sides(height: int, width: int) -> None:
    if not (0 < height <= MAX_SIDE and 0 < width <= MAX_SIDE):
        raise FileError(
            f"The picture has {height:,} × {width:,} pixels, but 1 to {MAX_SIDE:,} a side are read: choose another"
        )
