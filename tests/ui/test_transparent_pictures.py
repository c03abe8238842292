"""What is transparent in a picture lies on white, however many bits its samples have."""

from __future__ import annotations

import struct

import pytest

from attention_ui.labs.picture_upload import read_any_picture
from tests.ui.picturing import BLUE, GREYS, RED, SHARES, chunk, made, pixels_of, png, written


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
