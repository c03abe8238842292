"""How the tests make picture files: whole ones with Pillow, others chunk by chunk."""

from __future__ import annotations

import io
import struct
import zlib
from typing import Any

from PIL import Image

RED, GREEN, BLUE = 0.299, 0.587, 0.114


def written(picture: Image.Image, kind: str, **options: Any) -> bytes:
    """A picture as Pillow writes it."""
    file = io.BytesIO()
    picture.save(file, kind, **options)
    return file.getvalue()


def made(mode: str, pixels: list[Any], size: tuple[int, int]) -> Image.Image:
    """A picture of these pixels, row by row."""
    picture = Image.new(mode, size)
    picture.putdata(pixels)
    return picture


def chunk(kind: bytes, content: bytes) -> bytes:
    """One chunk of a PNG, with its checksum."""
    return (
        struct.pack(">I", len(content))
        + kind
        + content
        + struct.pack(">I", zlib.crc32(kind + content))
    )


def png(width: int, height: int, *chunks: bytes, depth: int = 8, colour: int = 0) -> bytes:
    """A PNG, of greys unless colour is 2, whose header says this size, and what follows it."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + b"".join(chunks) + chunk(b"IEND", b"")


def pixels_of(*rows: bytes) -> bytes:
    """The pixels of a PNG, unfiltered."""
    return chunk(b"IDAT", zlib.compress(b"".join(b"\0" + row for row in rows)))


def exif_of(way: int, order: str = "<", entries: int = 1) -> bytes:
    """Exif that says which way up the picture is; with more entries than one, each points at
    all of it.
    """
    mark = b"II*\0" if order == "<" else b"MM\0*"
    tags = b"".join(
        struct.pack(f"{order}HHII", 40_000 + n, 7, 12 * entries, 8) for n in range(entries - 1)
    )
    return (
        b"Exif\0\0"
        + mark
        + struct.pack(f"{order}IH", 8, entries)
        + tags
        + struct.pack(f"{order}HHIHH", 274, 3, 1, way, 0)
        + bytes(4)
    )


def segment(marker: int, content: bytes) -> bytes:
    """One segment of a JPEG."""
    return bytes([0xFF, marker]) + struct.pack(">H", len(content) + 2) + content


GREYS = made("L", [0, 51, 102, 153, 204, 255], (3, 2))
SHARES = [[0.0, 0.2, 0.4], [0.6, 0.8, 1.0]]
# Quarters of one grey each, wide enough for JPEG to keep them: 1 2 over 3 4, in twentieths of white
# from 8 on.
QUARTERS = made(
    "L", [51 * (1 + x // 16 + 2 * (y // 16)) for y in range(32) for x in range(32)], (32, 32)
)
JPEG = written(QUARTERS, "JPEG", quality=100)
