"""Files that mean harm, or are broken: each is refused with a sentence, quickly, and nothing in
them is run.
"""

from __future__ import annotations

import base64
import io
import pickle
import random
import struct
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from attention_core import AttentionError, FileError, SettingsError, ShapeError
from attention_lab.user_data.matrix_names import MAX_FILE, MAX_UNPACKED
from attention_lab.user_data.own_matrices import OwnMatrices, read_own
from tests.lab.test_own_matrices import npz

RAN: list[str] = []


def harm() -> None:
    """What a hostile pickle would run."""
    RAN.append("harm")


class Harm:
    """An object that leaves a trace when it is unpickled."""

    def __reduce__(self) -> Any:
        return harm, ()


def npy(
    header: str | bytes, numbers: bytes = b"", version: bytes = b"\1\0", length: int | None = None
) -> bytes:
    """One array with a header of one's own."""
    said = header.encode() if isinstance(header, str) else header
    width = "<H" if version == b"\1\0" else "<I"
    return (
        b"\x93NUMPY"
        + version
        + struct.pack(width, len(said) if length is None else length)
        + said
        + numbers
    )


def header(descr: str = "'<f8'", shape: str = "(2, 3)", order: str = "False") -> str:
    """The text of an array's header."""
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n"


def zipped(*members: tuple[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    """A zip of members; a name may come twice."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return buffer.getvalue()


def one(array: bytes, method: int = zipfile.ZIP_STORED) -> bytes:
    """An NPZ file with W_Q alone."""
    return zipped(("W_Q.npy", array), method=method)


def directory(data: bytes, offset: int, layout: str, value: int) -> bytes:
    """A zip with one number of its (first) directory entry replaced, as PKWARE APPNOTE 4.3.12
    places them.
    """
    changed, start = bytearray(data), data.index(b"PK\1\2")
    struct.pack_into(layout, changed, start + offset, value)
    return bytes(changed)


SIX = np.arange(6.0).tobytes()
WHOLE = one(npy(header(), SIX))
LYING = one(npy(header()) + bytes(2 * 10**6), zipfile.ZIP_DEFLATED)

NPZ: dict[str, tuple[Callable[[], bytes], type[AttentionError], str]] = {
    "empty": (lambda: b"", FileError, "no beginning or no directory"),
    "wrong magic": (lambda: b"GIF89a" + WHOLE[6:], FileError, "no beginning or no directory"),
    "text": (lambda: b"1,2,3\n" * 9, FileError, "no beginning or no directory"),
    "cut off": (lambda: WHOLE[:-1], FileError, "no beginning or no directory"),
    "half": (lambda: WHOLE[: len(WHOLE) // 2], FileError, "no beginning or no directory"),
    "no members": (lambda: zipped(), FileError, "no beginning or no directory"),
    "flipped number": (lambda: WHOLE.replace(SIX, SIX[::-1]), FileError, "damaged"),
    "too large": (
        lambda: bytes(MAX_FILE + 1),
        FileError,
        "41,943,041 bytes but may have at most 41,943,040",
    ),
    "bomb": (
        lambda: zipped(("a.npy", bytes(MAX_UNPACKED + 1)), method=zipfile.ZIP_DEFLATED),
        FileError,
        "unpacks to",
    ),
    "lying bomb": (
        lambda: directory(LYING, 24, "<I", len(npy(header())) + 48),
        FileError,
        "damaged",
    ),
    "10,000 members": (
        lambda: zipped(*((f"{i}", b"") for i in range(10_000))),
        FileError,
        "more than 64 arrays",
    ),
    "long directory": (
        lambda: zipped(*((f"{i}" * 999, b"") for i in range(40))),
        FileError,
        "more than 64 arrays",
    ),
    "65 members": (
        lambda: zipped(*((f"{i}", b"") for i in range(65))),
        FileError,
        "holds 65 arrays, but at most 64",
    ),
    "zip64 directory": (
        lambda: WHOLE[:-22] + b"PK\6\7" + bytes(16) + WHOLE[-22:],
        FileError,
        "more than 64 arrays",
    ),
    "twice": (lambda: npz(W_Q=np.eye(2), wq=np.eye(2)), FileError, "holds W_Q twice"),
    "none of ours": (lambda: npz(a=np.eye(2)), FileError, "W_O, b_Q, b_K, b_V, b_O, but a; rename"),
    "bias as matrix": (
        lambda: npz(b_Q=np.eye(2)),
        ShapeError,
        "b_Q has shape (2, 2) but must be one row of numbers",
    ),
    "endless bias": (
        lambda: zipped(("b_o.npy", npy(header(shape="(10**9,)")))),
        FileError,
        "'b_o' does not begin",
    ),
    "long bias": (
        lambda: zipped(("b_o.npy", npy(header(shape="(1000000000,)")))),
        FileError,
        "needs 8,000,000,000",
    ),
    "encrypted": (lambda: directory(WHOLE, 8, "<H", 1), FileError, "'W_Q' is encrypted"),
    "bzip2": (
        lambda: one(npy(header(), SIX), zipfile.ZIP_BZIP2),
        FileError,
        "in a way that NumPy does not use",
    ),
    "pickle": (
        lambda: npz(W_Q=np.array([[Harm()]], dtype=object)),
        FileError,
        "Python objects, which could run code",
    ),
    "bare pickle": (lambda: one(pickle.dumps(Harm())), FileError, "'W_Q' is no array of NumPy"),
    "objects by header": (
        lambda: one(npy(header("'|O'"), pickle.dumps(Harm()))),
        FileError,
        "Python objects",
    ),
    "text cells": (lambda: npz(W_Q=np.array([["a", "b"]])), FileError, "W_Q holds text"),
    "bytes": (lambda: npz(W_Q=np.array([[b"a"]])), FileError, "'W_Q' holds text as bytes"),
    "bools": (lambda: npz(W_Q=np.eye(2) > 0), FileError, "W_Q holds yes and no"),
    "complex": (lambda: npz(W_Q=np.eye(2) * 1j), FileError, "'W_Q' holds complex"),
    "records": (lambda: npz(W_Q=np.zeros((2, 2), "f8,f8")), FileError, "an unusual type of number"),
    "dates": (lambda: npz(W_Q=np.zeros((2, 2), "M8[s]")), FileError, "an unusual type of number"),
    "many types": (
        lambda: one(npy(header("'<f8,<f8'"), SIX)),
        FileError,
        "an unusual type of number",
    ),
    "nan": (
        lambda: npz(W_Q=np.array([[1, 2, 3], [4, 5, np.nan]])),
        SettingsError,
        "W_Q holds nan in row 1, column 2",
    ),
    "infinity": (
        lambda: npz(X=np.array([[1, -np.inf]])),
        SettingsError,
        "X holds -inf in row 0, column 1",
    ),
    "huge integer": (
        lambda: npz(X=[[2**53 + 1]]),
        SettingsError,
        "must lie between -1,000,000 and 1,000,000",
    ),
    "one axis": (
        lambda: npz(W_Q=np.ones(3)),
        ShapeError,
        "W_Q has 1 axes (3,) but must be a matrix",
    ),
    "three axes": (lambda: npz(W_Q=np.ones((2, 3, 4))), ShapeError, "W_Q has 3 axes (2, 3, 4)"),
    "no axis": (lambda: npz(W_Q=np.array(1.0)), ShapeError, "W_Q has 0 axes ()"),
    "no rows": (
        lambda: npz(W_Q=np.ones((0, 3))),
        ShapeError,
        "W_Q has shape (0, 3), which holds no number",
    ),
    "too many tokens": (
        lambda: npz(X=np.ones((65, 2))),
        ShapeError,
        "X is 65 × 2 but may be at most 64 × 512",
    ),
    "too wide": (
        lambda: npz(W_K=np.ones((2, 2049))),
        ShapeError,
        "W_K is 2 × 2049 but may be at most 512 × 2048",
    ),
    "negative shape": (
        lambda: one(npy(header(shape="(-2, -3)"), SIX)),
        FileError,
        "'W_Q' does not begin",
    ),
    "huge shape": (
        lambda: one(npy(header(shape="(10**9, 2)"), SIX)),
        FileError,
        "'W_Q' does not begin",
    ),
    "huger shape": (
        lambda: one(npy(header(shape="(1000000000, 2)"), SIX)),
        FileError,
        "needs 16,000,000,000 bytes",
    ),
    "shape of words": (
        lambda: one(npy(header(shape="('2', 3)"), SIX)),
        FileError,
        "'W_Q' does not begin",
    ),
    "shape of bools": (
        lambda: one(npy(header(shape="(True, 6)"), SIX)),
        FileError,
        "'W_Q' does not begin",
    ),
    "order of words": (
        lambda: one(npy(header(order="'C'"), SIX)),
        FileError,
        "'W_Q' does not begin",
    ),
    "too few numbers": (
        lambda: one(npy(header(), SIX[:-8])),
        FileError,
        "needs 48 bytes of numbers, but has 40",
    ),
    "too many numbers": (lambda: one(npy(header(), SIX + b"\0")), FileError, "but has 49"),
    "huge header": (
        lambda: one(npy(" " * 70_000, SIX, version=b"\2\0")),
        FileError,
        "head of 70,000 bytes",
    ),
    "endless header": (
        lambda: one(npy("", version=b"\2\0", length=2**32 - 1)),
        FileError,
        "4,294,967,295 bytes",
    ),
    "short header": (lambda: one(npy(header(), length=4000)), FileError, "'W_Q' does not begin"),
    "code as header": (
        lambda: one(npy("__import__('os').abort()", SIX)),
        FileError,
        "'W_Q' does not begin",
    ),
    "deep header": (lambda: one(npy("(" * 4000, SIX)), FileError, "'W_Q' does not begin"),
    "zeros as header": (lambda: one(npy(bytes(64), SIX)), FileError, "'W_Q' does not begin"),
    "header without shape": (
        lambda: one(npy("{'descr': '<f8'}", SIX)),
        FileError,
        "'W_Q' does not begin",
    ),
    "another version": (
        lambda: one(npy(header(), SIX, version=b"\t\0")),
        FileError,
        "no array of NumPy",
    ),
}

CSV: dict[str, tuple[Callable[[], bytes], type[AttentionError], str]] = {
    "10 MB line": (
        lambda: b"1," * (5 * 2**20),
        FileError,
        "Line 1 has 10,485,760 characters but may have at most",
    ),
    "a million lines": (lambda: b"1\n" * 10**6, FileError, "more than 4,096 lines"),
    "a million blank lines": (lambda: b"\r" * 10**6, FileError, "more than 4,096 lines"),
    "513 rows": (
        lambda: b"1,2\n" * 513,
        ShapeError,
        "W_Q is 513 × 2 but may be at most 512 × 2048",
    ),
    "513 rows, the last of words": (lambda: b"1,2\n" * 512 + b"a,b", ShapeError, "W_Q is 513 × 2"),
    "2049 columns": (
        lambda: b"1" + b",1" * 2048,
        ShapeError,
        "W_Q is 1 × 2049 but may be at most 512 × 2048",
    ),
    "zero bytes": (lambda: b"1,\0", FileError, "Line 1 holds a zero byte"),
    "a zip": (lambda: WHOLE, FileError, "Line 1"),
    "UTF-16": (
        lambda: "1;2\n".encode("utf-16"),
        FileError,
        "Line 1 is no text in UTF-8; save the file as CSV UTF-8",
    ),
    "open quote": (
        lambda: b'"1,2\n"3,4',
        FileError,
        "Line 1 has a quote that does not end with its cell",
    ),
}


@pytest.mark.parametrize("name", NPZ)
def test_hostile_npz(name: str) -> None:
    """A damaged, swollen or lying NPZ file is refused by what is wrong with it; no pickle is
    opened.
    """
    make, kind, words = NPZ[name]
    with pytest.raises(kind) as caught:
        read_own(make(), "matrices.npz")
    assert words in str(caught.value)
    assert RAN == []


@pytest.mark.parametrize("name", CSV)
def test_hostile_csv(name: str) -> None:
    """A CSV file with too much in it, or something else altogether, is refused by line."""
    make, kind, words = CSV[name]
    with pytest.raises(kind) as caught:
        read_own(make(), "w_q.csv")
    assert words in str(caught.value)


def test_the_pickle_would_have_run() -> None:
    """The harmful object does run when unpickled, so that an empty list above means something."""
    pickle.loads(pickle.dumps(Harm()))
    assert RAN == ["harm"]
    RAN.clear()


@pytest.mark.parametrize("kind", ["xlsx", "npy", "", "npz.exe"])
def test_other_files(kind: str) -> None:
    """A file of another kind is refused by its name."""
    with pytest.raises(FileError, match="save the matrices in one of these"):
        read_own(WHOLE, f"matrices.{kind}")


def test_sizes_are_checked_before_numbers_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of an array that is too large only the header is read."""
    read, lengths = zipfile.ZipExtFile.read, []

    def counted(self: zipfile.ZipExtFile, n: int | None = -1) -> bytes:
        lengths.append(n)
        return read(self, n)

    monkeypatch.setattr(zipfile.ZipExtFile, "read", counted)
    with pytest.raises(ShapeError, match="may be at most"):
        read_own(npz(W_Q=np.ones((600, 600))), "matrices.npz")
    assert all(n is not None and 0 <= n < 4096 for n in lengths)


@pytest.mark.parametrize("name", ["matrices.npz", "w_q.csv"])
def test_damaged_files(name: str) -> None:
    """However a file is damaged, what comes of it is matrices or a sentence, never another
    error.
    """
    rng = random.Random(7)
    packed = io.BytesIO()
    np.savez_compressed(
        packed, X=np.eye(3), W_Q=np.asfortranarray(np.ones((3, 4))), other=np.array(["text"])
    )
    files = (
        [packed.getvalue(), WHOLE]
        if name.endswith("npz")
        else [b"W_Q\n1;2,5\n-3;4e1\n", b'"1",2\n3,4\n']
    )
    outcomes = set()
    for _ in range(1500):
        data = bytearray(rng.choice(files))
        for _ in range(rng.randint(1, 3)):
            place, change = rng.randrange(len(data)), rng.randrange(3)
            data[place : place + (change == 0)] = rng.randbytes(1) if change else b""
        try:
            outcomes.add(type(read_own(bytes(data), name)))
        except AttentionError as error:
            outcomes.add(type(error))
    assert {OwnMatrices, FileError} <= outcomes


def text_of(content: bytes) -> str:
    """Any bytes packed like the text of matrices."""
    return base64.urlsafe_b64encode(zlib.compress(content)).rstrip(b"=").decode()


TEXTS: dict[str, tuple[Callable[[], str], type[AttentionError], str]] = {
    "letters that are none": (lambda: "a+b/", FileError, "is damaged"),
    "not packed": (lambda: "AAAA", FileError, "is damaged"),
    "beyond ASCII": (lambda: "é" * 8, FileError, "is damaged"),
    "cut off": (lambda: OwnMatrices(x=np.eye(9)).encode()[:-8], FileError, "cut off"),
    "goes on": (lambda: text_of(b"x 1 1\n" + bytes(8)) + "AAAA", FileError, "cut off or goes on"),
    "bomb": (lambda: text_of(bytes(36 * 2**20)), FileError, "unpacks to more than"),
    "too long": (lambda: "A" * (50 * 2**20), FileError, "more than any can need"),
    "unknown name": (lambda: text_of(b"w_z 1 1\n" + bytes(8)), FileError, "damaged at 'w_z 1 1'"),
    "no head": (lambda: text_of(bytes(8)), FileError, "damaged at"),
    "twice": (lambda: text_of(b"x 1 1;x 1 1\n" + bytes(16)), FileError, "damaged at 'x 1 1'"),
    "negative": (lambda: text_of(b"x -1 1\n" + bytes(8)), FileError, "damaged at 'x -1 1'"),
    "too large": (lambda: text_of(b"x 65 1\n" + bytes(8)), ShapeError, "X is 65 × 1"),
    "bias too long": (
        lambda: text_of(b"b_q 1 9999\n" + bytes(8)),
        ShapeError,
        "b_Q has 9999 numbers but may have",
    ),
    "bias as matrix": (
        lambda: text_of(b"b_o 2 2\n" + bytes(32)),
        ShapeError,
        "b_O has shape (2, 2) but must",
    ),
    "bias without numbers": (
        lambda: text_of(b"b_v 1 0\n"),
        ShapeError,
        "b_V has shape (1, 0), which holds no number",
    ),
    "bias nan": (
        lambda: text_of(b"b_k 1 2\n" + struct.pack("<dd", 0, np.inf)),
        SettingsError,
        "b_K holds inf in",
    ),
    "huge": (
        lambda: text_of(b"b_k 1 2\n" + struct.pack("<dd", 1e6, 1e39)),
        SettingsError,
        "b_K holds 1e+39 in",
    ),
    "too short": (
        lambda: text_of(b"x 1 2\n" + bytes(8)),
        FileError,
        "holds 8 bytes of numbers, not 16",
    ),
    "too many numbers": (
        lambda: text_of(b"x 1 1\n" + bytes(9)),
        FileError,
        "holds 9 bytes of numbers, not 8",
    ),
    "nan": (
        lambda: text_of(b"x 1 1\n" + struct.pack("<d", np.nan)),
        SettingsError,
        "X holds nan in row 0, column 0",
    ),
}


@pytest.mark.parametrize("name", TEXTS)
def test_hostile_texts(name: str) -> None:
    """A made-up address gives a sentence, and a small one never unpacks to more than the
    largest matrices.
    """
    make, kind, words = TEXTS[name]
    with pytest.raises(kind) as caught:
        OwnMatrices.decode(make())
    assert words in str(caught.value)
