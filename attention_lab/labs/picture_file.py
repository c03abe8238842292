"""Pictures from files that a visitor chooses, as grey numbers. Nothing in a file is trusted.

The luminance of the pixels of a decoded picture: 0 is black, 1 is white.

Metadata: only the orientation is read, and all are removed before a file is decoded. A decoder
would read all entries, and each may claim to be as long as the file: a photograph of one megabyte
can ask for 100 GB.
Source: ITU-T T.81, annex B (segments of a JPEG); the PNG specification, section 5 (chunks); GIF89a,
sections 17 to 26 (blocks); Exif 2.32, sections 4.5.4 and 4.6.4 (the tag Orientation).

Small grey pictures that need no decoder: PGM, CSV and NPY. Their size is read from the header and
checked before any pixel is read.
Source of the formats: the Netpbm manual, "pgm"; the NumPy manual, numpy.lib.format.
"""

from __future__ import annotations

import io
import re
import struct
from pathlib import PurePath

import numpy as np

from attention_core.checks import Array
from attention_core.errors import FileError

from ..files.csv_numbers import csv_lines, csv_numbers
from ..files.npz import read_npy_head

# The weights of red, green and blue in the luminance, in thousandths. Source: ITU-R BT.601, section
# 2.5.1.
_SHARES = np.array([299, 587, 114])
_WHITE = 255 * int(_SHARES.sum())


def rgba_luminance(pixels: bytes, height: int, width: int) -> Array:
    """The luminance of RGBA pixels, four bytes each, on a white background.

    A grey gives exactly its share of white. Shapes: (height, width).

    >>> rgba_luminance(bytes([51, 51, 51, 255, 0, 0, 0, 0]), 1, 2).tolist()
    [[0.2, 1.0]]
    """
    pixels_HW4 = np.frombuffer(pixels, np.uint8).reshape(height, width, 4).astype(np.int64)
    opaque_HW = pixels_HW4[..., 3]
    light: Array = (pixels_HW4[..., :3] @ _SHARES * opaque_HW + _WHITE * (255 - opaque_HW)) / (
        _WHITE * 255
    )
    return light


def grey_luminance(
    pixels: bytes, height: int, width: int, *, kind: str = "<u2", hidden: object = None
) -> Array:
    """The luminance of greys from 0 to 65,535 on a white background.

    kind: the NumPy type of the pixels. hidden: the grey that is transparent. Shapes: (height,
    width).

    >>> grey_luminance(bytes([255, 255, 0, 0, 1, 0]), 1, 3, hidden=1).tolist()
    [[1.0, 0.0, 1.0]]
    """
    greys_HW = np.frombuffer(pixels, kind).reshape(height, width).astype(np.int64)
    return np.where(greys_HW == hidden, 1.0, greys_HW / 65535)


_EXIF = b"Exif\0\0"
_ORIENTATION = 274
_JPEG, _PNG = b"\xff\xd8", b"\x89PNG\r\n\x1a\n"
# A segment before the first scan; any number of bytes 255 may stand before it.
_SEGMENT = re.compile(rb"\xff+([\xc0-\xcf\xda-\xfe])")
_SCAN, _APP_1, _COMMENT = 0xDA, 0xE1, 0xFE
_ADOBE = 0xEE  # the colour model of the numbers
_GIF = (b"GIF87a", b"GIF89a")
# An extension or a picture; decoders skip the bytes before it.
_GIF_BLOCK = re.compile(rb"[^!,;]*([!,])")
_HAS_COLOURS, _CONTROL = 128, b"\xf9"


def jpeg_without_metadata(data: bytes) -> tuple[bytes, bytes]:
    """A JPEG without metadata, and its Exif part. Bytes of other kinds stay as they are.

    Raises: FileError.
    """
    if not data.startswith(_JPEG):
        return data, b""
    pieces, exif, position = [_JPEG], b"", len(_JPEG)
    while match := _SEGMENT.match(data, position):
        marker, start = match[1][0], match.end()
        if marker == _SCAN:
            return b"".join((*pieces, data[start - 2 :])), exif
        position = start + max(2, int.from_bytes(data[start : start + 2], "big"))
        if marker == _APP_1 and not exif and data.startswith(_EXIF, start + 2):
            exif = data[start + 2 : position]
        elif not (_APP_1 <= marker <= 0xEF or marker == _COMMENT) or marker == _ADOBE:
            pieces.append(data[start - 2 : position])
    raise FileError("The JPEG is damaged before its first pixel: save it again")


def png_without_metadata(data: bytes) -> tuple[bytes, bytes]:
    """A PNG without metadata, and its Exif part. Bytes of other kinds stay as they are."""
    if not data.startswith(_PNG):
        return data, b""
    pieces, exif, position = [_PNG], b"", len(_PNG)
    while kind := data[position + 4 : position + 8]:
        end = position + 12 + int.from_bytes(data[position : position + 4], "big")
        # The name of a chunk that no reader may skip begins with a capital letter.
        if kind[:1].isupper() or kind == b"tRNS":
            pieces.append(data[position:end])
        elif kind == b"eXIf":
            exif = data[position + 8 : end - 4]
        position = end
    return b"".join(pieces), exif


def gif_without_metadata(data: bytes) -> tuple[bytes, bytes]:
    """The first picture of a GIF without metadata; a GIF has no Exif part. Bytes of other kinds
    stay as they are.

    Raises: FileError.
    """
    if not data.startswith(_GIF):
        return data, b""
    flags = int.from_bytes(data[10:11], "big")
    start = position = 13 + (3 * 2 ** (flags % 8 + 1) if flags & _HAS_COLOURS else 0)
    control = b""
    while match := _GIF_BLOCK.match(data, position):
        begin = match.end() - 1
        if match[1] == b",":
            return data[:start] + control + data[begin:], b""
        position = begin + 2
        while length := int.from_bytes(data[position : position + 1], "big"):
            position += 1 + length
        position += 1
        if data[begin + 1 : begin + 2] == _CONTROL:  # which colour is transparent
            control = data[begin:position]
    raise FileError("The GIF is damaged before its first pixel: save it again")


def orientation(exif: bytes) -> int:
    """The orientation in an Exif part, 1 to 8; 1 is upright, also if the part cannot be read."""
    tags = exif.removeprefix(_EXIF)
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(tags[:4])
    if order is None:
        return 1
    try:
        (start,) = struct.unpack_from(f"{order}I", tags, 4)
        (count,) = struct.unpack_from(f"{order}H", tags, start)
        for entry in range(count):
            tag, _, _, value = struct.unpack_from(f"{order}HHIH", tags, start + 2 + 12 * entry)
            if tag == _ORIENTATION:
                return value if 1 <= value <= 8 else 1
    except struct.error:
        pass
    return 1


def upright(pixels: Array, orientation: int) -> Array:
    """The pixels rotated and mirrored by an Exif orientation.

    Shapes: (H, W) -> (H, W) or (W, H).
    """
    if orientation >= 5:
        pixels = pixels.T
    if orientation in (2, 3, 6, 7):
        pixels = pixels[:, ::-1]
    if orientation in (3, 4, 7, 8):
        pixels = pixels[::-1]
    return np.ascontiguousarray(pixels)


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
