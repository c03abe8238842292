"""What a picture's file holds beside its pixels goes before it is decoded, but for which way up
it is.
"""

from __future__ import annotations

import tracemalloc

import pytest

from attention_lab.labs.picture_metadata import (
    gif_without_metadata,
    jpeg_without_metadata,
    png_without_metadata,
    upright,
)
from attention_ui.labs.decoded_pictures import read_any_picture
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


def test_what_stands_beside_the_pixels_goes() -> None:
    """Without its notes a file is the one that was written without them, up to fill bytes; its
    Exif part is kept.
    """
    notes = ((0xE1, exif_of(6)), (0xFE, b"hello"), (0xE2, b"MPF\0" + bytes(9)), (0xE1, b"x"))
    noted = JPEG[:2] + b"".join(segment(*note) for note in notes) + b"\xff\xff" + JPEG[2:]
    assert jpeg_without_metadata(noted) == (JPEG, exif_of(6))
    body = pixels_of(b"ab", b"cd")
    marked = png(
        2, 2, chunk(b"tEXt", b"a\0b"), chunk(b"eXIf", exif_of(6)[6:]), chunk(b"iCCP", b"x"), body
    )
    assert png_without_metadata(marked) == (png(2, 2, body), exif_of(6)[6:])
    assert (read_any_picture(noted, "a.jpg") == upright(read_any_picture(JPEG, "a.jpg"), 6)).all()


def test_what_stands_beside_the_first_picture_of_a_gif_goes() -> None:
    """Comments by the thousand take no memory; which colour is transparent is kept, other bytes
    are as they are.
    """
    clear = written(made("P", [0, 1, 2], (3, 1)), "GIF", transparency=2)
    colours = 13 + 3 * 2 ** (clear[10] % 8 + 1)
    begin, rest = clear[:colours], clear[colours:]
    noted = begin + b"\0!\xfe\1a\0" * 20_000 + b"!\xff\x0bXMP DataXMP\1x\0" + rest
    assert gif_without_metadata(noted) == gif_without_metadata(clear) == (clear, b"")
    assert gif_without_metadata(b"GIF88a") == (b"GIF88a", b"")
    tracemalloc.start()
    seen, peak = read_any_picture(noted, "a.gif"), tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert seen.tolist() == read_any_picture(clear, "a.gif").tolist()
    assert peak < 1_000_000


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("kind", ["jpeg", "png"])
def test_entries_that_say_they_are_as_long_as_the_file(kind: str, order: str) -> None:
    """Exif of 5,000 entries, each of them all of it, takes no memory, and still says which way
    is up.
    """
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
