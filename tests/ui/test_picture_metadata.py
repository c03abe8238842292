"""The metadata of a picture's file are removed before it is decoded; its orientation is kept."""

from __future__ import annotations

import tracemalloc

import pytest

from attention_lab.labs.picture_file import (
    gif_without_metadata,
    jpeg_without_metadata,
    png_without_metadata,
    upright,
)
from attention_ui.labs.picture_upload import read_any_picture
from tests.ui.picturing import (
    JPEG,
    QUARTERS,
    chunk,
    exif_of,
    made,
    pixels_of,
    png,
    segment,
    written,
)


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
