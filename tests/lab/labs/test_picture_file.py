"""Pictures from files of kind PGM, CSV and NPY; other or too large files are refused before they
are decoded.
"""

from __future__ import annotations

import io

import numpy as np
import pytest

from attention_core.errors import AttentionError, FileError
from attention_lab.labs.picture_file import MAX_PICTURE_BYTES, read_picture
from tests.lab.refusal import Facts, refused


def saved(array: np.ndarray) -> bytes:
    """The bytes of an array written by numpy.save."""
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def test_a_binary_pgm() -> None:
    data = b"P5\n# a comment\n3 2\n200\n" + bytes([0, 50, 100, 150, 200, 20])
    assert read_picture(data, "a.PGM").tolist() == [[0, 0.25, 0.5], [0.75, 1, 0.1]]


def test_a_wide_pgm() -> None:
    assert read_picture(b"P5 1 1 1000 " + bytes([1, 244]), "a.pgm").tolist() == [[0.5]]


@pytest.mark.parametrize("order", ["C", "F"])
def test_npy_reads_back(order: str) -> None:
    array = np.asarray(np.arange(15.0).reshape(3, 5), order=order)
    np.testing.assert_array_equal(read_picture(saved(array), "x.npy"), array)


def test_csv() -> None:
    assert read_picture(b"0,1,2\n3,4,5.5\n", "x.csv").tolist() == [[0, 1, 2], [3, 4, 5.5]]


@pytest.mark.parametrize("shape", ["(2, 3), }   ", "(2,3), }    ", "(2, 3,), }  ", "(2, 3, ), } "])
def test_shapes_of_other_writers(shape: str) -> None:
    data = saved(np.arange(6.0).reshape(2, 3)).replace(b"(2, 3), }   ", shape.encode())
    assert read_picture(data, "x.npy").tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize(
    ("data", "name", "facts"),
    [
        (b"P5 10000 10000 255 ", "a.pgm", ("pixels", 10_000, 1024)),
        (b"P5 3 3 255 abc", "a.pgm", ("pixels", 9)),
        (b"P2 2 1 9 1 x", "a.pgm", (2, 9)),
        (b"P2 2 1 0 1 1", "a.pgm", (0, 1, 65_535)),
        (b"P2 2 1 9 1 10", "a.pgm", (10, 9)),
        (b"P5 1 1 9 \x0a", "a.pgm", (10, 9)),
        (b"P2 1 1 9 " + b"1" * 5000, "a.pgm", (1, 9)),
        (b"GIF89a", "a.pgm", ("PGM",)),
        (b"P5" + b" " * 2**20 + b"x", "a.pgm", ("PGM",)),
        (b"P5" + b" # c\n" * 2**18 + b"x", "a.pgm", ("PGM",)),
        (b"P5 7 7" + b" " * 4000 + b"x", "a.pgm", ("PGM",)),
        (b"1,2\n3\n", "a.csv", ("row 0", 2, "row 1", "line 2", 1)),
        (b"1 " * 2000, "a.csv", ("pixels", 1, 2000, 1024)),
        (b"1\n" * 2000, "a.csv", ("pixels", 2000, 1, 1024)),
        (b"1,nan\n", "a.csv", ("'nan'", "row 0", "column 1")),
        (b"x", "a.png", ("'png'", "pgm", "csv", "npy")),
        (b"x", "noname", ("''", "pgm", "csv", "npy")),
        (b"\x93NUMPY", "a.npy", ("numpy.savez",)),
        (saved(np.zeros(7)), "a.npy", ("float64", "(7,)")),
        (saved(np.array([["a"]])), "a.npy", ("<U1", "(1, 1)")),
        (saved(np.zeros((2, 3)))[:-1], "a.npy", (6,)),
        (b"0" * (MAX_PICTURE_BYTES + 1), "a.csv", (8_388_609, 8_388_608)),
    ],
)
def test_other_files_are_refused(data: bytes, name: str, facts: Facts) -> None:
    with refused(AttentionError, *facts):
        read_picture(data, name)


def test_the_size_is_checked_before_the_pixels() -> None:
    header = saved(np.zeros((2, 2))).replace(b"(2, 2), }      ", b"(9999, 9999), }")
    with refused(FileError, 9999):
        read_picture(header, "a.npy")
