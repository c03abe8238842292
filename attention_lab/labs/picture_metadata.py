"""The metadata of a picture's file. Only its orientation is read.

All metadata are removed before the file is decoded. A decoder would read all entries, and each may
claim to be as long as the file: a photograph of one megabyte can ask for 100 GB.
Source: ITU-T T.81, annex B (segments of a JPEG); the PNG specification, section 5 (chunks); GIF89a,
sections 17 to 26 (blocks); Exif 2.32, sections 4.5.4 and 4.6.4 (the tag Orientation).
"""

from __future__ import annotations

import re
import struct

import numpy as np

from attention_core.checks import Array
from attention_core.errors import FileError

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
