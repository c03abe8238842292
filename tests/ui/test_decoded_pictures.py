"""Pictures that Pillow decodes: in every kind of file their greys are right."""

from __future__ import annotations

import struct

import pytest
from PIL import Image

from attention_ui.labs.picture_upload import read_any_picture
from tests.ui.picturing import (
    BLUE,
    GREEN,
    GREYS,
    JPEG,
    RED,
    SHARES,
    chunk,
    made,
    pixels_of,
    png,
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
