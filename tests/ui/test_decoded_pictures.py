"""Pictures that Pillow decodes: their greys are right, and hostile ones are refused with a
sentence.
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
from attention_lab.labs.picture_file import MAX_BYTES
from attention_ui.labs import convolution_lab
from attention_ui.labs.decoded_pictures import KINDS, read_any_picture
from tests.ui.app import opened, scenes
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
    written,
)


@pytest.mark.parametrize("kind", ["png", "bmp", "gif", "webp"])
def test_greys_are_their_share_of_white(kind: str) -> None:
    """In every kind without loss a grey of 51 is exactly a fifth of white; height comes before
    width.
    """
    picture = GREYS.convert("RGB") if kind == "webp" else GREYS
    data = written(picture, kind.upper(), **({"lossless": True} if kind == "webp" else {}))
    assert read_any_picture(data, f"a.{kind.upper()}").tolist() == SHARES


@pytest.mark.parametrize("name", ["a.jpg", "a.jpeg"])
def test_jpeg(name: str) -> None:
    """A JPEG loses a little, so each quarter is within two of its 255 greys."""
    corners = read_any_picture(JPEG, name)[[0, 0, 31, 31], [0, 31, 0, 31]]
    assert corners.tolist() == pytest.approx([0.2, 0.4, 0.6, 0.8], abs=2 / 255)


def test_colours_become_their_luminance() -> None:
    """Red, green and blue have the shares of ITU-R BT.601; together they are white."""
    picture = made("RGB", [(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)], (4, 1))
    assert read_any_picture(written(picture, "PNG"), "a.png").tolist() == [[RED, GREEN, BLUE, 1.0]]


def test_sixteen_bits() -> None:
    """A grey of 16 bits keeps all of them; the one that is transparent is white."""
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
    """A picture of black and white has zeros and ones."""
    assert read_any_picture(written(made("1", [0, 255, 255], (3, 1)), "PNG"), "a.png").tolist() == [
        [0, 1, 1]
    ]


def test_printers_colours() -> None:
    """CMYK without ink is white, and with black ink black."""
    ink = Image.new("CMYK", (32, 16), (0, 0, 0, 0))
    ink.paste((0, 0, 0, 255), (16, 0, 32, 16))
    light = read_any_picture(written(ink, "JPEG", quality=100), "a.jpg")
    assert light[8, [4, 28]].tolist() == pytest.approx([1, 0], abs=2 / 255)


@pytest.mark.parametrize("kind", ["gif", "webp", "png"])
def test_the_first_picture_of_an_animation(kind: str) -> None:
    """Of several pictures the first one is read."""
    one, two = GREYS.convert("RGB"), Image.new("RGB", (3, 2), "black")
    options = {"lossless": True} if kind == "webp" else {}
    data = written(one, kind.upper(), save_all=True, append_images=[two], **options)
    assert read_any_picture(data, f"a.{kind}").tolist() == SHARES


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize(
    ("way", "corners"),
    list(
        enumerate(["1234", "2143", "4321", "3412", "1324", "3142", "4231", "2413", "1234"], start=1)
    ),
)
def test_photographs_stand_upright(way: int, corners: str, order: str) -> None:
    """The eight ways up of Exif 2.32: what was the quarter 1 2 over 3 4 is turned and mirrored
    back.
    """
    lies = exif_of(way, order)
    for data, name in (
        (written(QUARTERS, "JPEG", quality=100, exif=lies), "a.jpg"),
        (written(QUARTERS, "PNG", exif=lies), "a.png"),
    ):
        seen = read_any_picture(data, name)[[0, 0, 31, 31], [0, 31, 0, 31]]
        assert "".join(str(round(5 * grey)) for grey in seen) == corners


def test_a_turned_picture_changes_its_sides() -> None:
    """A photograph taken sideways becomes as high as it was wide."""
    wide = read_any_picture(written(GREYS, "PNG", exif=exif_of(6)), "a.png")
    assert wide.tolist() == [[0.6, 0.0], [0.8, 0.2], [1.0, 0.4]]


def test_a_picture_is_decoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that runs again shows the pixels that were read; another file, or the same one
    again, is read anew.
    """
    names: list[str] = []

    def read(data: bytes, name: str) -> np.ndarray:
        names.append(name)
        return read_any_picture(data, name)

    monkeypatch.setattr(convolution_lab, "read_any_picture", read)
    app = opened("convolution", conv_image="file")
    for name, shape in (("a.png", [2, 3]), ("b.png", [16, 16])):
        data = written(GREYS if name == "a.png" else QUARTERS, "PNG")
        app.file_uploader(key="conv file").set_value((name, data, "")).run()
        app.run()
        assert not app.exception
        assert scenes(app)[0]["arrays"]["picture"]["shape"] == shape
    assert names == ["a.png", "b.png"]
    app.file_uploader(key="conv file").set_value(None).run()
    assert convolution_lab.READ not in app.session_state


@pytest.mark.parametrize(("width", "height"), [(1025, 700), (1500, 2100), (4096, 3072), (4096, 3)])
@pytest.mark.parametrize("progressive", [False, True])
def test_photographs(width: int, height: int, progressive: bool) -> None:
    """What is larger than other pictures may be is decoded at a fraction of its size, and shows
    the same.
    """
    ramp = Image.linear_gradient("L").rotate(90 if width > height else 0)
    small = read_any_picture(
        written(ramp.resize((width, height)), "JPEG", progressive=progressive), "a.jpg"
    )
    assert max(small.shape) <= 1024 or min(small.shape) == 2
    whole = np.asarray(ramp.resize(small.shape[::-1])) / 255
    np.testing.assert_allclose(small, whole, atol=0.02)


def declared(height: int, width: int) -> bytes:
    """A JPEG that says it is of this size."""
    return JPEG.replace(struct.pack(">HH", 32, 32), struct.pack(">HH", height, width), 1)


HUGE_GIF = b"GIF89a" + struct.pack("<HH", 9999, 9999) + written(GREYS, "GIF")[10:]
SCANS = b"\xff\xda\0\x08\1\1\0\0\x3f\0"
HOSTILE: dict[str, tuple[Callable[[], bytes], str, str]] = {
    "a huge PNG": (lambda: png(10_000, 10_000, pixels_of(b"")), "a.png", "1 to 1,024"),
    "a large PNG": (
        lambda: png(1, 1025, pixels_of(b"")),
        "a.png",
        "1,025 × 1 pixels, but 1 to 1,024",
    ),
    "a PNG beyond all": (lambda: png(2**31 - 1, 2**31 - 1, pixels_of(b"")), "a.png", "1 to 1,024"),
    "a PNG of nothing": (lambda: png(0, 5, pixels_of(b"")), "a.png", "damaged or cut off"),
    "a PNG of 3 bits": (lambda: png(1, 1, pixels_of(b"a"), depth=3), "a.png", "damaged or cut off"),
    "a PNG whose header is changed": (
        lambda: png(1, 1, pixels_of(b"a")).replace(b"\0\0\0\1\x08", b"\0\0\0\2\x08"),
        "a.png",
        "damaged or cut off",
    ),
    "a PNG that hides nothing": (
        lambda: png(1, 1, chunk(b"tRNS", b""), pixels_of(b"a")),
        "a.png",
        "damaged or cut",
    ),
    "a PNG that hides more colours than it has": (
        lambda: png(
            1, 1, chunk(b"PLTE", bytes(6)), chunk(b"tRNS", bytes(257)), pixels_of(b"\0"), colour=3
        ),
        "a.png",
        "damaged or cut off",
    ),
    "a GIF cut in its notes": (
        lambda: written(GREYS, "GIF", comment=b"a" * 99).partition(b"aa")[0],
        "a.gif",
        "before its first pixel",
    ),
    "a huge BMP": (
        lambda: written(GREYS, "BMP").replace(
            struct.pack("<ii", 3, 2), struct.pack("<ii", 9999, 9999)
        ),
        "a.bmp",
        "1 to 1,024",
    ),
    "a huge GIF": (lambda: HUGE_GIF, "a.gif", "1 to 1,024"),
    "a GIF with a huge frame": (
        lambda: written(GREYS, "GIF").replace(
            b"," + struct.pack("<4H", 0, 0, 3, 2), b"," + b"\0\0\0\0\0\x27\0\x27"
        ),
        "a.gif",
        "1 to 1,024",
    ),
    "a huge WebP": (
        lambda: b"RIFF\x1e\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0" + b"\xff\xff\0" * 2,
        "a.webp",
        "1 to 1,024|damaged",
    ),
    "a huge JPEG": (lambda: declared(9999, 9999), "a.jpg", "1 to 4,096"),
    "a JPEG too wide by one": (
        lambda: declared(10, 4097),
        "a.jpg",
        "10 × 4,097 pixels, but 1 to 4,096",
    ),
    "a cut PNG": (lambda: written(QUARTERS, "PNG")[:60], "a.png", "damaged or cut off"),
    "a cut JPEG": (lambda: JPEG[:-10], "a.jpg", "damaged or cut off"),
    "a cut GIF": (lambda: written(QUARTERS, "GIF")[:-40], "a.gif", "damaged or cut off"),
    "a cut BMP": (lambda: written(QUARTERS, "BMP")[:-40], "a.bmp", "damaged or cut off"),
    "a JPEG cut in its header": (lambda: JPEG[:30], "a.jpg", "damaged before its first pixel"),
    "text": (lambda: b"hello", "a.png", "named png but does not begin as PNG"),
    "nothing": (lambda: b"", "a.jpg", "named jpg but does not begin as JPEG"),
    "a JPEG named PNG": (lambda: JPEG, "a.png", "named png but does not begin as PNG"),
    "a PNG named JPEG": (
        lambda: png(1, 1, pixels_of(b"a")),
        "a.jpeg",
        "named jpeg but does not begin as JPEG",
    ),
    "a TIFF named PNG": (lambda: written(GREYS, "TIFF"), "a.png", "does not begin as PNG"),
    "another kind": (
        lambda: written(GREYS, "TIFF"),
        "a.tiff",
        "png, jpg, .* but this one is 'tiff'",
    ),
    "no kind": (lambda: b"x", "png", "but this one is ''"),
    "too many bytes": (lambda: bytes(MAX_BYTES + 1), "a.png", "at most 8,388,608"),
    "too many scans": (
        lambda: declared(4096, 4096)[:-2] + SCANS * 31,
        "a.jpg",
        "painted in 32 scans",
    ),
    "a marker out of place": (
        lambda: b"\xff\xd8\xff\xd0" + JPEG[2:],
        "a.jpg",
        "before its first pixel",
    ),
}


@pytest.mark.parametrize("fault", HOSTILE)
def test_hostile_pictures(fault: str) -> None:
    """What is too large, cut off or something else is refused by what is wrong with it, before
    it is decoded.
    """
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
    "kind", [kind for kind in KINDS if kind not in ("csv", "npy", "pgm", "jpg")]
)
def test_damaged_pictures(kind: str) -> None:
    """However a file is damaged, what comes of it is a picture or a sentence, never another
    error.
    """
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
