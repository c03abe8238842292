"""Pictures that Pillow decodes: in every kind of file their greys are right, photographs stand
upright, metadata are removed, and hostile files are refused before they are decoded.
"""

from __future__ import annotations

import random
import struct
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image

from attention_core import AttentionError, FileError
from attention_lab.labs.picture_file import (
    MAX_PICTURE_BYTES,
    gif_without_metadata,
    jpeg_without_metadata,
    png_without_metadata,
    upright,
)
from attention_ui.labs.picture_upload import DAMAGED_PICTURE, PICTURE_ENDINGS, read_any_picture
from tests.ui.picturing import (
    BLUE,
    GREEN,
    GREYS,
    JPEG,
    QUARTERS,
    RED,
    SHARES,
    chunk,
    exif_of,
    made,
    pixels_of,
    png,
    segment,
    written,
)


@pytest.mark.parametrize("kind", ["png", "bmp", "gif", "webp"])
def test_greys_are_their_share_of_white(kind: str) -> None:
    picture = GREYS.convert("RGB") if kind == "webp" else GREYS
    data = written(picture, kind.upper(), **({"lossless": True} if kind == "webp" else {}))
    assert read_any_picture(data, f"a.{kind.upper()}").tolist() == SHARES


@pytest.mark.parametrize("name", ["a.jpg", "a.jpeg"])
def test_jpeg(name: str) -> None:
    corners = read_any_picture(JPEG, name)[[0, 0, 31, 31], [0, 31, 0, 31]]
    assert corners.tolist() == pytest.approx([0.2, 0.4, 0.6, 0.8], abs=2 / 255)


def test_colours_become_their_luminance() -> None:
    picture = made("RGB", [(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)], (4, 1))
    assert read_any_picture(written(picture, "PNG"), "a.png").tolist() == [[RED, GREEN, BLUE, 1.0]]


def test_sixteen_bits() -> None:
    body = pixels_of(struct.pack(">3H", 0, 1, 65535), struct.pack(">3H", 13107, 300, 26214))
    hidden = chunk(b"tRNS", struct.pack(">H", 300))
    assert read_any_picture(png(3, 2, body, depth=16), "a.png").tolist() == [
        [0, 1 / 65535, 1],
        [0.2, 300 / 65535, 0.4],
    ]
    assert read_any_picture(png(3, 2, hidden, body, depth=16), "a.png").tolist() == [
        [0, 1 / 65535, 1],
        [0.2, 1, 0.4],
    ]


def test_one_bit() -> None:
    assert read_any_picture(written(made("1", [0, 255, 255], (3, 1)), "PNG"), "a.png").tolist() == [
        [0, 1, 1]
    ]


def test_printers_colours() -> None:
    ink = Image.new("CMYK", (32, 16), (0, 0, 0, 0))
    ink.paste((0, 0, 0, 255), (16, 0, 32, 16))
    light = read_any_picture(written(ink, "JPEG", quality=100), "a.jpg")
    assert light[8, [4, 28]].tolist() == pytest.approx([1, 0], abs=2 / 255)


@pytest.mark.parametrize("kind", ["gif", "webp", "png"])
def test_the_first_picture_of_an_animation(kind: str) -> None:
    one, two = GREYS.convert("RGB"), Image.new("RGB", (3, 2), "black")
    options = {"lossless": True} if kind == "webp" else {}
    data = written(one, kind.upper(), save_all=True, append_images=[two], **options)
    assert read_any_picture(data, f"a.{kind}").tolist() == SHARES


def test_transparency_lies_on_white() -> None:
    half = 1 - 102 / 255
    seen = made("RGBA", [(0, 0, 0, 255), (0, 0, 0, 102), (0, 0, 0, 0)], (3, 1))
    assert read_any_picture(written(seen, "PNG"), "a.png").tolist() == [[0.0, half, 1.0]]
    assert read_any_picture(written(seen.convert("LA"), "PNG"), "a.png").tolist() == [
        [0.0, half, 1.0]
    ]
    palette = made("P", [0, 1, 2], (3, 1))
    palette.putpalette([0, 0, 0, 255, 0, 0, 0, 0, 255])
    assert read_any_picture(written(palette, "PNG"), "a.png").tolist() == [[0.0, RED, BLUE]]
    assert read_any_picture(written(palette, "PNG", transparency=1), "a.png").tolist() == [
        [0.0, 1.0, BLUE]
    ]
    assert read_any_picture(written(palette, "GIF", transparency=2), "a.gif").tolist() == [
        [0.0, RED, 1.0]
    ]
    assert read_any_picture(written(GREYS, "PNG", transparency=51), "a.png").tolist() == [
        [0, 1, 0.4],
        SHARES[1],
    ]


@pytest.mark.parametrize("hidden", range(4))
@pytest.mark.parametrize(("depth", "row"), [(1, b"\x50"), (2, b"\x1b"), (4, b"\x01\x23")])
def test_transparent_greys_of_few_bits(depth: int, row: bytes, hidden: int) -> None:
    most = 2**depth - 1
    greys = [sample & most for sample in range(4)]
    data = png(4, 1, chunk(b"tRNS", struct.pack(">H", hidden & most)), pixels_of(row), depth=depth)
    expected = [1.0 if grey == hidden & most else grey / most for grey in greys]
    assert read_any_picture(data, "a.png").tolist() == [pytest.approx(expected)]


def test_a_transparent_colour_of_sixteen_bits() -> None:
    body = pixels_of(struct.pack(">6H", 256, 256, 256, 512, 512, 512))
    hidden = chunk(b"tRNS", struct.pack(">3H", 256, 256, 256))
    assert read_any_picture(png(2, 1, hidden, body, depth=16, colour=2), "a.png").tolist() == [
        [1.0, 2 / 255]
    ]


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize(
    ("way", "corners"),
    list(
        enumerate(["1234", "2143", "4321", "3412", "1324", "3142", "4231", "2413", "1234"], start=1)
    ),
)
def test_photographs_stand_upright(way: int, corners: str, order: str) -> None:
    lies = exif_of(way, order)
    for data, name in (
        (written(QUARTERS, "JPEG", quality=100, exif=lies), "a.jpg"),
        (written(QUARTERS, "PNG", exif=lies), "a.png"),
    ):
        seen = read_any_picture(data, name)[[0, 0, 31, 31], [0, 31, 0, 31]]
        assert "".join(str(round(5 * grey)) for grey in seen) == corners


def test_a_turned_picture_changes_its_sides() -> None:
    wide = read_any_picture(written(GREYS, "PNG", exif=exif_of(6)), "a.png")
    assert wide.tolist() == [[0.6, 0.0], [0.8, 0.2], [1.0, 0.4]]


@pytest.mark.parametrize(("width", "height"), [(1025, 700), (1500, 2100), (4096, 3072), (4096, 3)])
@pytest.mark.parametrize("progressive", [False, True])
def test_photographs(width: int, height: int, progressive: bool) -> None:
    ramp = Image.linear_gradient("L").rotate(90 if width > height else 0)
    small = read_any_picture(
        written(ramp.resize((width, height)), "JPEG", progressive=progressive), "a.jpg"
    )
    assert max(small.shape) <= 1024 or min(small.shape) == 2
    whole = np.asarray(ramp.resize(small.shape[::-1])) / 255
    np.testing.assert_allclose(small, whole, atol=0.02)


def test_metadata_are_removed() -> None:
    entries = ((0xE1, exif_of(6)), (0xFE, b"hello"), (0xE2, b"MPF\0" + bytes(9)), (0xE1, b"x"))
    with_metadata = (
        JPEG[:2] + b"".join(segment(*entry) for entry in entries) + b"\xff\xff" + JPEG[2:]
    )
    assert jpeg_without_metadata(with_metadata) == (JPEG, exif_of(6))
    body = pixels_of(b"ab", b"cd")
    with_chunks = png(
        2, 2, chunk(b"tEXt", b"a\0b"), chunk(b"eXIf", exif_of(6)[6:]), chunk(b"iCCP", b"x"), body
    )
    assert png_without_metadata(with_chunks) == (png(2, 2, body), exif_of(6)[6:])
    assert (
        read_any_picture(with_metadata, "a.jpg") == upright(read_any_picture(JPEG, "a.jpg"), 6)
    ).all()


def test_metadata_of_a_gif_are_removed() -> None:
    clear = written(made("P", [0, 1, 2], (3, 1)), "GIF", transparency=2)
    colours = 13 + 3 * 2 ** (clear[10] % 8 + 1)
    begin, rest = clear[:colours], clear[colours:]
    with_metadata = begin + b"\0!\xfe\1a\0" * 20_000 + b"!\xff\x0bXMP DataXMP\1x\0" + rest
    assert gif_without_metadata(with_metadata) == gif_without_metadata(clear) == (clear, b"")
    assert gif_without_metadata(b"GIF88a") == (b"GIF88a", b"")
    tracemalloc.start()
    seen, peak = read_any_picture(with_metadata, "a.gif"), tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert seen.tolist() == read_any_picture(clear, "a.gif").tolist()
    assert peak < 1_000_000


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("kind", ["jpeg", "png"])
def test_entries_that_claim_the_length_of_the_file(kind: str, order: str) -> None:
    bomb = exif_of(6, order, entries=5000)
    data = (
        JPEG[:2] + segment(0xE1, bomb) + JPEG[2:]
        if kind == "jpeg"
        else written(QUARTERS, "PNG", exif=bomb)
    )
    tracemalloc.start()
    seen, peak = (
        read_any_picture(data, f"a.{kind}")[[0, 0, 31, 31], [0, 31, 0, 31]],
        tracemalloc.get_traced_memory()[1],
    )
    tracemalloc.stop()
    assert "".join(str(round(5 * grey)) for grey in seen) == "3142"
    assert peak < 10_000_000


def declared(height: int, width: int) -> bytes:
    """A JPEG that says it is of this size."""
    return JPEG.replace(struct.pack(">HH", 32, 32), struct.pack(">HH", height, width), 1)


HUGE_GIF = b"GIF89a" + struct.pack("<HH", 9999, 9999) + written(GREYS, "GIF")[10:]
SCANS = b"\xff\xda\0\x08\1\1\0\0\x3f\0"
HOSTILE: dict[str, tuple[Callable[[], bytes], str, str]] = {
    "a huge PNG": (lambda: png(10_000, 10_000, pixels_of(b"")), "a.png", "1,024"),
    "a large PNG": (lambda: png(1, 1025, pixels_of(b"")), "a.png", "1,025 × 1 .*1,024"),
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
    "a JPEG too wide by one": (lambda: declared(10, 4097), "a.jpg", "10 × 4,097 .*4,096"),
    "a cut PNG": (lambda: written(QUARTERS, "PNG")[:60], "a.png", DAMAGED_PICTURE),
    "a cut JPEG": (lambda: JPEG[:-10], "a.jpg", DAMAGED_PICTURE),
    "a cut GIF": (lambda: written(QUARTERS, "GIF")[:-40], "a.gif", DAMAGED_PICTURE),
    "a cut BMP": (lambda: written(QUARTERS, "BMP")[:-40], "a.bmp", DAMAGED_PICTURE),
    "a JPEG cut in its header": (lambda: JPEG[:30], "a.jpg", "JPEG"),
    "text": (lambda: b"hello", "a.png", "png .*PNG"),
    "nothing": (lambda: b"", "a.jpg", "jpg .*JPEG"),
    "a JPEG named PNG": (lambda: JPEG, "a.png", "png .*PNG"),
    "a PNG named JPEG": (lambda: png(1, 1, pixels_of(b"a")), "a.jpeg", "jpeg .*JPEG"),
    "a TIFF named PNG": (lambda: written(GREYS, "TIFF"), "a.png", "png .*PNG"),
    "another kind": (lambda: written(GREYS, "TIFF"), "a.tiff", "png, jpg, .*'tiff'"),
    "no kind": (lambda: b"x", "png", "png, jpg, .*''"),
    "too many bytes": (lambda: bytes(MAX_PICTURE_BYTES + 1), "a.png", f"{MAX_PICTURE_BYTES:,}"),
    "too many scans": (lambda: declared(4096, 4096)[:-2] + SCANS * 31, "a.jpg", " 32 "),
    "a marker out of place": (lambda: b"\xff\xd8\xff\xd0" + JPEG[2:], "a.jpg", "JPEG"),
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
