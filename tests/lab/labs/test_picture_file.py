"""Pictures from files: PGM, CSV and NPY; what is no picture, or too large, is refused before it
is decoded.
"""

from __future__ import annotations

import io

import numpy as np
import pytest

from attention_core.errors import AttentionError, FileError
from attention_lab.labs.picture_file import MAX_BYTES, read_picture
from tests.lab.refusal import refused


def saved(array: np.ndarray) -> bytes:
    """An array as numpy.save writes it."""
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def test_a_binary_pgm() -> None:
    """P5 holds one byte per pixel, row by row; white is 1. A comment may stand in the header."""
    data = b"P5\n# a comment\n3 2\n200\n" + bytes([0, 50, 100, 150, 200, 20])
    assert read_picture(data, "a.PGM").tolist() == [[0, 0.25, 0.5], [0.75, 1, 0.1]]


def test_a_wide_pgm() -> None:
    """Above 255 a pixel of P5 has two bytes, the high one first."""
    assert read_picture(b"P5 1 1 1000 " + bytes([1, 244]), "a.pgm").tolist() == [[0.5]]


@pytest.mark.parametrize("order", ["C", "F"])
def test_npy_reads_back(order: str) -> None:
    """An array of NumPy comes back number by number, in either order of its bytes."""
    array = np.asarray(np.arange(15.0).reshape(3, 5), order=order)
    np.testing.assert_array_equal(read_picture(saved(array), "x.npy"), array)


def test_csv() -> None:
    """Numbers parted by commas, one line for each row."""
    assert read_picture(b"0,1,2\n3,4,5.5\n", "x.csv").tolist() == [[0, 1, 2], [3, 4, 5.5]]


@pytest.mark.parametrize("shape", ["(2, 3), }   ", "(2,3), }    ", "(2, 3,), }  ", "(2, 3, ), } "])
def test_shapes_of_other_writers(shape: str) -> None:
    """A shape may be written without blanks, or with a comma behind it, as other programs do."""
    data = saved(np.arange(6.0).reshape(2, 3)).replace(b"(2, 3), }   ", shape.encode())
    assert read_picture(data, "x.npy").tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize(
    ("data", "name", "says"),
    [
        (b"P5 10000 10000 255 ", "a.pgm", "10,000 × 10,000"),
        (b"P5 3 3 255 abc", "a.pgm", "ends before"),
        (b"P2 2 1 9 1 x", "a.pgm", "whole numbers"),
        (b"P2 2 1 0 1 1", "a.pgm", "White is 0"),
        (b"P2 2 1 9 1 10", "a.pgm", "pixel of 10 but white is 9"),
        (b"P5 1 1 9 \x0a", "a.pgm", "pixel of 10 but white is 9"),
        (b"P2 1 1 9 " + b"1" * 5000, "a.pgm", "whole numbers up to 9"),
        (b"GIF89a", "a.pgm", "does not begin"),
        (b"P5" + b" " * 2**20 + b"x", "a.pgm", "does not begin"),
        (b"P5" + b" # c\n" * 2**18 + b"x", "a.pgm", "does not begin"),
        (b"P5 7 7" + b" " * 4000 + b"x", "a.pgm", "does not begin"),
        (b"1,2\n3\n", "a.csv", "row 1 .* has 1"),
        (b"1,\0\n", "a.csv", "zero byte"),
        (b"1_0,1\n", "a.csv", "'1_0'"),
        ("٣\n".encode(), "a.csv", "'٣'"),
        (b"1 " * 2000, "a.csv", "1 × 2,000"),
        (b"1\n" * 2000, "a.csv", "2,000 × 1"),
        (b"1,<b>\n", "a.csv", "'<b>'"),
        (b"1,nan\n", "a.csv", "finite"),
        (b"", "a.csv", "no numbers"),
        (b"x", "a.png", "'png'"),
        (b"x", "noname", "kind"),
        (b"\x93NUMPY", "a.npy", "no array of NumPy"),
        (b"\x93NUMPY\1\0\x32\0" + b"(" * 50, "a.npy", "does not begin"),
        (b"\x93NUMPY\2\0\xff\xff\xff\xff", "a.npy", "4,294,967,295 bytes"),
        (saved(np.zeros((2, 2), complex)), "a.npy", "complex"),
        (saved(np.zeros(7)), "a.npy", "two axes"),
        (saved(np.array([["a"]])), "a.npy", "two axes"),
        (saved(np.zeros((2, 3)))[:-1], "a.npy", "ends before"),
        (b"0" * (MAX_BYTES + 1), "a.csv", "bytes"),
    ],
)
def test_what_is_no_picture_gets_a_sentence(data: bytes, name: str, says: str) -> None:
    """Anything else is refused with a sentence that says what was wrong."""
    with pytest.raises(AttentionError, match=says):
        read_picture(data, name)


def test_the_size_is_checked_before_the_pixels() -> None:
    """A header that promises a huge array is refused although the pixels are not there."""
    header = saved(np.zeros((2, 2))).replace(b"(2, 2), }      ", b"(9999, 9999), }")
    with refused(FileError, 9999):
        read_picture(header, "a.npy")
