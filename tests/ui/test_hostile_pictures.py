"""Hostile pictures are refused by what is wrong with them, before they are decoded."""

from __future__ import annotations

import random
import struct
import tracemalloc
from collections.abc import Callable

import pytest

from attention_core import AttentionError, FileError
from attention_lab.labs.picture_file import MAX_PICTURE_BYTES
from attention_ui.labs.picture_upload import DAMAGED_PICTURE, PICTURE_ENDINGS, read_any_picture
from tests.ui.picturing import (
    GREYS,
    JPEG,
    QUARTERS,
    chunk,
    pixels_of,
    png,
    written,
)


def declared(height: int, width: int) -> bytes:
    """A JPEG that says it is of this size."""
    return JPEG.replace(struct.pack(">HH", 32, 32), struct.pack(">HH", height, width), 1)


HUGE_GIF = b"GIF89a" + struct.pack("<HH", 9999, 9999) + written(GREYS, "GIF")[10:]
SCANS = b"\xff\xda\0\x08\1\1\0\0\x3f\0"
HOSTILE: dict[str, tuple[Callable[[], bytes], str, str]] = {
    "a huge PNG": (lambda: png(10_000, 10_000, pixels_of(b"")), "a.png", "1,024"),
    "a large PNG": (
        lambda: png(1, 1025, pixels_of(b"")),
        "a.png",
        "1,025 × 1 .*1,024",
    ),
    "a PNG beyond all": (lambda: png(2**31 - 1, 2**31 - 1, pixels_of(b"")), "a.png", "1,024"),
    "a PNG of nothing": (lambda: png(0, 5, pixels_of(b"")), "a.png", DAMAGED_PICTURE),
    "a PNG of 3 bits": (lambda: png(1, 1, pixels_of(b"a"), depth=3), "a.png", DAMAGED_PICTURE),
    "a PNG whose header is changed": (
        lambda: png(1, 1, pixels_of(b"a")).replace(b"\0\0\0\1\x08", b"\0\0\0\2\x08"),
        "a.png",
        DAMAGED_PICTURE,
    ),
    "a PNG that hides nothing": (
        lambda: png(1, 1, chunk(b"tRNS", b""), pixels_of(b"a")),
        "a.png",
        DAMAGED_PICTURE,
    ),
    "a PNG that hides more colours than it has": (
        lambda: png(
            1, 1, chunk(b"PLTE", bytes(6)), chunk(b"tRNS", bytes(257)), pixels_of(b"\0"), colour=3
        ),
        "a.png",
        DAMAGED_PICTURE,
    ),
    "a GIF cut in its notes": (
        lambda: written(GREYS, "GIF", comment=b"a" * 99).partition(b"aa")[0],
        "a.gif",
        "GIF",
    ),
    "a huge BMP": (
        lambda: written(GREYS, "BMP").replace(
            struct.pack("<ii", 3, 2), struct.pack("<ii", 9999, 9999)
        ),
        "a.bmp",
        "1,024",
    ),
    "a huge GIF": (lambda: HUGE_GIF, "a.gif", "1,024"),
    "a GIF with a huge frame": (
        lambda: written(GREYS, "GIF").replace(
            b"," + struct.pack("<4H", 0, 0, 3, 2), b"," + b"\0\0\0\0\0\x27\0\x27"
        ),
        "a.gif",
        "1,024",
    ),
    "a huge WebP": (
        lambda: b"RIFF\x1e\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0" + b"\xff\xff\0" * 2,
        "a.webp",
        f"1,024|{DAMAGED_PICTURE}",
    ),
    "a huge JPEG": (lambda: declared(9999, 9999), "a.jpg", "4,096"),
    "a JPEG too wide by one": (
        lambda: declared(10, 4097),
        "a.jpg",
        "10 × 4,097 .*4,096",
    ),
    "a cut PNG": (lambda: written(QUARTERS, "PNG")[:60], "a.png", DAMAGED_PICTURE),
    "a cut JPEG": (lambda: JPEG[:-10], "a.jpg", DAMAGED_PICTURE),
    "a cut GIF": (lambda: written(QUARTERS, "GIF")[:-40], "a.gif", DAMAGED_PICTURE),
    "a cut BMP": (lambda: written(QUARTERS, "BMP")[:-40], "a.bmp", DAMAGED_PICTURE),
    "a JPEG cut in its header": (lambda: JPEG[:30], "a.jpg", "JPEG"),
    "text": (lambda: b"hello", "a.png", "png .*PNG"),
    "nothing": (lambda: b"", "a.jpg", "jpg .*JPEG"),
    "a JPEG named PNG": (lambda: JPEG, "a.png", "png .*PNG"),
    "a PNG named JPEG": (
        lambda: png(1, 1, pixels_of(b"a")),
        "a.jpeg",
        "jpeg .*JPEG",
    ),
    "a TIFF named PNG": (lambda: written(GREYS, "TIFF"), "a.png", "png .*PNG"),
    "another kind": (
        lambda: written(GREYS, "TIFF"),
        "a.tiff",
        "png, jpg, .*'tiff'",
    ),
    "no kind": (lambda: b"x", "png", "png, jpg, .*''"),
    "too many bytes": (lambda: bytes(MAX_PICTURE_BYTES + 1), "a.png", f"{MAX_PICTURE_BYTES:,}"),
    "too many scans": (
        lambda: declared(4096, 4096)[:-2] + SCANS * 31,
        "a.jpg",
        " 32 ",
    ),
    "a marker out of place": (
        lambda: b"\xff\xd8\xff\xd0" + JPEG[2:],
        "a.jpg",
        "JPEG",
    ),
}


@pytest.mark.parametrize("fault", HOSTILE)
def test_hostile_pictures(fault: str) -> None:
    make, name, says = HOSTILE[fault]
    data = make()
    tracemalloc.start()
    try:
        with pytest.raises(FileError, match=says):
            read_any_picture(data, name)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "kind", [kind for kind in PICTURE_ENDINGS if kind not in ("csv", "npy", "pgm", "jpg")]
)
def test_damaged_pictures(kind: str) -> None:
    rng = random.Random(7)
    whole = written(QUARTERS.convert("RGB"), kind.upper())
    outcomes = set()
    for _ in range(300):
        data = bytearray(whole)
        for _ in range(rng.randint(1, 3)):
            place, change = rng.randrange(min(len(data), 200)), rng.randrange(3)
            data[place : place + (change == 0)] = rng.randbytes(1) if change else b""
        try:
            outcomes.add(f"{read_any_picture(bytes(data), f'a.{kind}').ndim} axes")
        except AttentionError:
            outcomes.add("refused")
    assert {"refused"} <= outcomes <= {"refused", "2 axes"}
