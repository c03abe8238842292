"""Texts of matrices from a link that somebody made up."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Callable

import numpy as np
import pytest

from attention_core import AttentionError, FileError, ShapeError
from attention_lab.user_data.user_matrices import UserMatrices
from tests.lab.refusal import Facts, refused


def text_of(content: bytes) -> str:
    """Any bytes packed like the text of matrices."""
    return base64.urlsafe_b64encode(zlib.compress(content)).rstrip(b"=").decode()


TEXTS: dict[str, tuple[Callable[[], str], type[AttentionError], Facts]] = {
    "letters that are none": (lambda: "a+b/", FileError, ("matrices",)),
    "not packed": (lambda: "AAAA", FileError, ("matrices",)),
    "beyond ASCII": (lambda: "é" * 8, FileError, ("matrices",)),
    "cut off": (lambda: UserMatrices(x=np.eye(9)).encode()[:-8], FileError, ("matrices",)),
    "goes on": (lambda: text_of(b"x 1 1\n" + bytes(8)) + "AAAA", FileError, ("matrices",)),
    "bomb": (lambda: text_of(bytes(36 * 2**20)), FileError, ("matrices", 33870024)),
    "too long": (lambda: "A" * (50 * 2**20), FileError, ("matrices", 52428800)),
    "unknown name": (lambda: text_of(b"w_z 1 1\n" + bytes(8)), FileError, ("w_z 1 1",)),
    "no head": (lambda: text_of(bytes(8)), FileError, ("matrices", "\\x00")),
    "twice": (lambda: text_of(b"x 1 1;x 1 1\n" + bytes(16)), FileError, ("x 1 1",)),
    "negative": (lambda: text_of(b"x -1 1\n" + bytes(8)), FileError, ("x -1 1",)),
    "too large": (lambda: text_of(b"x 65 1\n" + bytes(8)), ShapeError, ("X", 65, 1)),
    "bias too long": (
        lambda: text_of(b"b_q 1 9999\n" + bytes(8)),
        ShapeError,
        ("b_Q", 9999, 2048),
    ),
    "bias as matrix": (
        lambda: text_of(b"b_o 2 2\n" + bytes(32)),
        ShapeError,
        ("b_O", "(2, 2)"),
    ),
    "bias without numbers": (
        lambda: text_of(b"b_v 1 0\n"),
        ShapeError,
        ("b_V", "(0,)"),
    ),
    "bias nan": (
        lambda: text_of(b"b_k 1 2\n" + struct.pack("<dd", 0, np.inf)),
        FileError,
        ("b_K", "inf", "place 1"),
    ),
    "huge": (
        lambda: text_of(b"b_k 1 2\n" + struct.pack("<dd", 1e6, 1e39)),
        FileError,
        ("b_K", "1e+39", "place 1"),
    ),
    "too short": (
        lambda: text_of(b"x 1 2\n" + bytes(8)),
        FileError,
        (8, 16),
    ),
    "too many numbers": (
        lambda: text_of(b"x 1 1\n" + bytes(9)),
        FileError,
        (9, 8),
    ),
    "nan": (
        lambda: text_of(b"x 1 1\n" + struct.pack("<d", np.nan)),
        FileError,
        ("X", "row 0", "column 0", "nan"),
    ),
}


@pytest.mark.parametrize("name", TEXTS)
def test_hostile_texts(name: str) -> None:
    make, kind, facts = TEXTS[name]
    with refused(kind, *facts):
        UserMatrices.decode(make())
