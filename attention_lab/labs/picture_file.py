"""Small grey pictures from files that need no decoder: PGM, CSV and NPY.

Nothing in the file is trusted: its size is read from the header and checked before any pixel is
read.
Source of the formats: the Netpbm manual, "pgm"; the NumPy manual, numpy.lib.format.
"""

from __future__ import annotations

import io
import re
from pathlib import PurePath

import numpy as np

from attention_core.checks import Array
from attention_core.errors import FileError

from ..files.csv_numbers import csv_lines, csv_numbers
from ..files.npy_head import read_npy_head

MAX_PICTURE_BYTES = 8 * 2**20
MAX_PICTURE_SIDE = 1024
PICTURE_KINDS = ("pgm", "csv", "npy")
_MAX_HEADER_BYTES = 4096
_GAP = rb"(?:\s|#[^\n]*\n)+"
_PGM = re.compile(_GAP.join((rb"P([25])", rb"(\d{1,9})", rb"(\d{1,9})", rb"(\d{1,5})\s")))


def read_picture(data: bytes, file_name: str) -> Array:
    """The pixels of a picture. In a PGM 0 is black and 1 is white; numbers of CSV and NPY stay
    unchanged.

    The ending of the file's name decides how the file is read; the name is never used as a path.
    Shapes: (height, width). Raises: FileError, ShapeError.

    >>> read_picture(b"P2 2 1 4  0 3", "a.pgm").tolist()
    [[0.0, 0.75]]
    """
    check_file_size(data)
    kind = PurePath(file_name).suffix.lower().removeprefix(".")
    readers = {"pgm": _read_pgm, "csv": _read_csv, "npy": _read_npy}
    if kind not in readers:
        raise FileError(
            f"A picture may be a file of kind {', '.join(PICTURE_KINDS)}, but this one is"
            f" {kind[:8]!r}: save it as PGM"
        )
    pixels = readers[kind](data)
    if not np.isfinite(pixels).all():
        raise FileError("The picture has a pixel that is not a finite number: change it")
    return pixels


def _read_pgm(data: bytes) -> Array:
    match = _PGM.match(data, 0, _MAX_HEADER_BYTES)
    if match is None:
        raise FileError(
            "The file does not begin like a PGM picture, with P2 or P5, width, height and white:"
            " save the picture again"
        )
    kind, width, height, white = (int(part) for part in match.groups())
    check_picture_size(height, width)
    if not 0 < white < 65536:
        raise FileError(f"White is {white} but must be from 1 to 65,535: save the picture again")
    read = _plain_pixels if kind == 2 else _raw_pixels
    pixels = read(data[match.end() :], height * width, white)
    if pixels.max() > white:
        raise FileError(
            f"The picture has a pixel of {pixels.max():.0f}, but white is {white}: save it again"
        )
    scaled: Array = pixels.reshape(height, width) / white
    return scaled


def _plain_pixels(body: bytes, count: int, white: int) -> Array:
    """Pixels written as whole numbers with white space between them."""
    numbers = body.split(None, count)[:count]
    if len(numbers) < count or not all(number.isdigit() and len(number) <= 5 for number in numbers):
        raise FileError(
            f"The picture must have {count:,} whole numbers up to {white:,}, but it does not: save"
            " it again"
        )
    return np.array([int(number) for number in numbers], float)


def _raw_pixels(body: bytes, count: int, white: int) -> Array:
    """Pixels of one byte, or of two if white is above 255."""
    kind_of_number = np.dtype(">u2" if white > 255 else "u1")
    if len(body) < count * kind_of_number.itemsize:
        raise FileError(f"The picture ends before its {count:,} pixels: save it again")
    return np.frombuffer(body, kind_of_number, count).astype(float)


def _read_csv(data: bytes) -> Array:
    return csv_numbers(csv_lines(data), "The picture", check_picture_size)


@np.errstate(invalid="ignore")  # a signalling NaN, which is refused later
def _read_npy(data: bytes) -> Array:
    head = read_npy_head(io.BytesIO(data), "The picture")
    if len(head.shape) != 2 or head.dtype.kind == "U":
        raise FileError(
            f"The picture is an array of {head.dtype} with shape {head.shape}, but it must have"
            " numbers and two axes: save it again"
        )
    check_picture_size(*head.shape)
    return head.array(data[head.length :]).astype(float)


def check_file_size(data: bytes) -> None:
    """Refuse a file that is too large to be read. Raises: FileError."""
    if len(data) > MAX_PICTURE_BYTES:
        raise FileError(
            f"The file has {len(data):,} bytes but may have at most {MAX_PICTURE_BYTES:,}: choose a"
            " smaller picture"
        )


def check_picture_size(height: int, width: int, max_side: int = MAX_PICTURE_SIDE) -> None:
    """Refuse a picture that is empty or too large to be decoded. Raises: FileError."""
    if not (0 < height <= max_side and 0 < width <= max_side):
        raise FileError(
            f"The picture has {height:,} × {width:,} pixels, but a side may have 1 to {max_side:,}:"
            " choose another picture"
        )
