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
from tests.lab.refusal import Facts, refused
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

NPZ: dict[str, tuple[Callable[[], bytes], type[AttentionError], Facts]] = {
    "empty": (lambda: b"", FileError, ("npz",)),
    "wrong magic": (lambda: b"GIF89a" + WHOLE[6:], FileError, ("npz",)),
    "text": (lambda: b"1,2,3\n" * 9, FileError, ("npz",)),
    "cut off": (lambda: WHOLE[:-1], FileError, ("npz",)),
    "half": (lambda: WHOLE[: len(WHOLE) // 2], FileError, ("npz",)),
    "no members": (lambda: zipped(), FileError, ("npz",)),
    "flipped number": (lambda: WHOLE.replace(SIX, SIX[::-1]), FileError, ("W_Q", "numpy.savez")),
    "too large": (
        lambda: bytes(MAX_FILE + 1),
        FileError,
        (41943041, 41943040),
    ),
    "bomb": (
        lambda: zipped(("a.npy", bytes(MAX_UNPACKED + 1)), method=zipfile.ZIP_DEFLATED),
        FileError,
        (67108865, 67108864),
    ),
    "lying bomb": (
        lambda: directory(LYING, 24, "<I", len(npy(header())) + 48),
        FileError,
        ("W_Q", "numpy.savez"),
    ),
    "10,000 members": (
        lambda: zipped(*((f"{i}", b"") for i in range(10_000))),
        FileError,
        (64,),
    ),
    "long directory": (
        lambda: zipped(*((f"{i}" * 999, b"") for i in range(40))),
        FileError,
        (64,),
    ),
    "65 members": (
        lambda: zipped(*((f"{i}", b"") for i in range(65))),
        FileError,
        (65, 64),
    ),
    "zip64 directory": (
        lambda: WHOLE[:-22] + b"PK\6\7" + bytes(16) + WHOLE[-22:],
        FileError,
        (64,),
    ),
    "twice": (lambda: npz(W_Q=np.eye(2), wq=np.eye(2)), FileError, ("W_Q",)),
    "none of ours": (lambda: npz(a=np.eye(2)), FileError, ("W_O", "b_Q", "b_K", "b_V", "b_O")),
    "bias as matrix": (
        lambda: npz(b_Q=np.eye(2)),
        ShapeError,
        ("b_Q", "(2, 2)"),
    ),
    "endless bias": (
        lambda: zipped(("b_o.npy", npy(header(shape="(10**9,)")))),
        FileError,
        ("b_o", "numpy.save"),
    ),
    "long bias": (
        lambda: zipped(("b_o.npy", npy(header(shape="(1000000000,)")))),
        FileError,
        ("b_o", "(1000000000,)", 8000000000, 0),
    ),
    "encrypted": (lambda: directory(WHOLE, 8, "<H", 1), FileError, ("W_Q", "encrypted")),
    "bzip2": (
        lambda: one(npy(header(), SIX), zipfile.ZIP_BZIP2),
        FileError,
        ("W_Q", "NumPy"),
    ),
    "pickle": (
        lambda: npz(W_Q=np.array([[Harm()]], dtype=object)),
        FileError,
        ("W_Q", "Python"),
    ),
    "bare pickle": (lambda: one(pickle.dumps(Harm())), FileError, ("W_Q", "numpy.savez")),
    "objects by header": (
        lambda: one(npy(header("'|O'"), pickle.dumps(Harm()))),
        FileError,
        ("W_Q", "Python"),
    ),
    "text cells": (lambda: npz(W_Q=np.array([["a", "b"]])), FileError, ("W_Q", "float64")),
    "bytes": (lambda: npz(W_Q=np.array([[b"a"]])), FileError, ("W_Q", "x.astype(str)")),
    "bools": (lambda: npz(W_Q=np.eye(2) > 0), FileError, ("W_Q", "float64")),
    "complex": (lambda: npz(W_Q=np.eye(2) * 1j), FileError, ("W_Q", "complex")),
    "records": (lambda: npz(W_Q=np.zeros((2, 2), "f8,f8")), FileError, ("W_Q", "float64")),
    "dates": (lambda: npz(W_Q=np.zeros((2, 2), "M8[s]")), FileError, ("W_Q", "float64")),
    "many types": (
        lambda: one(npy(header("'<f8,<f8'"), SIX)),
        FileError,
        ("W_Q", "float64"),
    ),
    "nan": (
        lambda: npz(W_Q=np.array([[1, 2, 3], [4, 5, np.nan]])),
        SettingsError,
        ("W_Q", "row 1", "column 2", "nan"),
    ),
    "infinity": (
        lambda: npz(X=np.array([[1, -np.inf]])),
        SettingsError,
        ("X", "row 0", "column 1", "-inf"),
    ),
    "huge integer": (
        lambda: npz(X=[[2**53 + 1]]),
        SettingsError,
        ("X", "9007199254740992.0", -1000000, 1000000),
    ),
    "one axis": (
        lambda: npz(W_Q=np.ones(3)),
        ShapeError,
        ("W_Q", 1, "(3,)"),
    ),
    "three axes": (lambda: npz(W_Q=np.ones((2, 3, 4))), ShapeError, ("W_Q", 3, "(2, 3, 4)")),
    "no axis": (lambda: npz(W_Q=np.array(1.0)), ShapeError, ("W_Q", 0, "()")),
    "no rows": (
        lambda: npz(W_Q=np.ones((0, 3))),
        ShapeError,
        ("W_Q", "(0, 3)"),
    ),
    "too many tokens": (
        lambda: npz(X=np.ones((65, 2))),
        ShapeError,
        ("X", 65, 2, 64, 512),
    ),
    "too wide": (
        lambda: npz(W_K=np.ones((2, 2049))),
        ShapeError,
        ("W_K", 2, 2049, 512, 2048),
    ),
    "negative shape": (
        lambda: one(npy(header(shape="(-2, -3)"), SIX)),
        FileError,
        ("W_Q", "numpy.save"),
    ),
    "huge shape": (
        lambda: one(npy(header(shape="(10**9, 2)"), SIX)),
        FileError,
        ("W_Q", "numpy.save"),
    ),
    "huger shape": (
        lambda: one(npy(header(shape="(1000000000, 2)"), SIX)),
        FileError,
        ("W_Q", "(1000000000, 2)", 16000000000, 48),
    ),
    "shape of words": (
        lambda: one(npy(header(shape="('2', 3)"), SIX)),
        FileError,
        ("W_Q", "numpy.save"),
    ),
    "shape of bools": (
        lambda: one(npy(header(shape="(True, 6)"), SIX)),
        FileError,
        ("W_Q", "numpy.save"),
    ),
    "order of words": (
        lambda: one(npy(header(order="'C'"), SIX)),
        FileError,
        ("W_Q", "numpy.save"),
    ),
    "too few numbers": (
        lambda: one(npy(header(), SIX[:-8])),
        FileError,
        ("W_Q", "(2, 3)", 48, 40),
    ),
    "too many numbers": (
        lambda: one(npy(header(), SIX + b"\0")),
        FileError,
        ("W_Q", "(2, 3)", 48, 49),
    ),
    "huge header": (
        lambda: one(npy(" " * 70_000, SIX, version=b"\2\0")),
        FileError,
        ("W_Q", 70000, 65536),
    ),
    "endless header": (
        lambda: one(npy("", version=b"\2\0", length=2**32 - 1)),
        FileError,
        ("W_Q", 4294967295, 65536),
    ),
    "short header": (lambda: one(npy(header(), length=4000)), FileError, ("W_Q", "numpy.save")),
    "code as header": (
        lambda: one(npy("__import__('os').abort()", SIX)),
        FileError,
        ("W_Q", "numpy.save"),
    ),
    "deep header": (lambda: one(npy("(" * 4000, SIX)), FileError, ("W_Q", "numpy.save")),
    "zeros as header": (lambda: one(npy(bytes(64), SIX)), FileError, ("W_Q", "numpy.save")),
    "header without shape": (
        lambda: one(npy("{'descr': '<f8'}", SIX)),
        FileError,
        ("W_Q", "numpy.save"),
    ),
    "another version": (
        lambda: one(npy(header(), SIX, version=b"\t\0")),
        FileError,
        ("W_Q", "numpy.savez"),
    ),
}

CSV: dict[str, tuple[Callable[[], bytes], type[AttentionError], Facts]] = {
    "10 MB line": (
        lambda: b"1," * (5 * 2**20),
        FileError,
        ("line 1", 10485760, 65536),
    ),
    "a million lines": (lambda: b"1\n" * 10**6, FileError, (4096,)),
    "a million blank lines": (lambda: b"\r" * 10**6, FileError, (4096,)),
    "513 rows": (
        lambda: b"1,2\n" * 513,
        ShapeError,
        ("W_Q", 513, 2, 512, 2048),
    ),
    "513 rows, the last of words": (lambda: b"1,2\n" * 512 + b"a,b", ShapeError, ("W_Q", 513, 2)),
    "2049 columns": (
        lambda: b"1" + b",1" * 2048,
        ShapeError,
        ("W_Q", 1, 2049, 512, 2048),
    ),
    "zero bytes": (lambda: b"1,\0", FileError, ("line 1", "byte")),
    "a zip": (lambda: WHOLE, FileError, ("line 1", "UTF-8")),
    "UTF-16": (
        lambda: "1;2\n".encode("utf-16"),
        FileError,
        ("line 1", "UTF-8"),
    ),
    "open quote": (
        lambda: b'"1,2\n"3,4',
        FileError,
        ("line 1", "quote"),
    ),
}


@pytest.mark.parametrize("name", NPZ)
def test_hostile_npz(name: str) -> None:
    """A damaged, swollen or lying NPZ file is refused by what is wrong with it; no pickle is
    opened.
    """
    make, kind, facts = NPZ[name]
    with refused(kind, *facts):
        read_own(make(), "matrices.npz")
    assert RAN == []


@pytest.mark.parametrize("name", CSV)
def test_hostile_csv(name: str) -> None:
    """A CSV file with too much in it, or something else altogether, is refused by line."""
    make, kind, facts = CSV[name]
    with refused(kind, *facts):
        read_own(make(), "w_q.csv")


def test_the_pickle_would_have_run() -> None:
    """The harmful object does run when unpickled, so that an empty list above means something."""
    pickle.loads(pickle.dumps(Harm()))
    assert RAN == ["harm"]
    RAN.clear()


@pytest.mark.parametrize("kind", ["xlsx", "npy", "", "npz.exe"])
def test_other_files(kind: str) -> None:
    """A file of another kind is refused by its name."""
    with refused(FileError, f"'matrices.{kind}'", ".npz", ".csv"):
        read_own(WHOLE, f"matrices.{kind}")


def test_sizes_are_checked_before_numbers_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of an array that is too large only the header is read."""
    read, lengths = zipfile.ZipExtFile.read, []

    def counted(self: zipfile.ZipExtFile, n: int | None = -1) -> bytes:
        lengths.append(n)
        return read(self, n)

    monkeypatch.setattr(zipfile.ZipExtFile, "read", counted)
    with refused(ShapeError, "W_Q", 600, 512, 2048):
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


TEXTS: dict[str, tuple[Callable[[], str], type[AttentionError], Facts]] = {
    "letters that are none": (lambda: "a+b/", FileError, ("matrices",)),
    "not packed": (lambda: "AAAA", FileError, ("matrices",)),
    "beyond ASCII": (lambda: "é" * 8, FileError, ("matrices",)),
    "cut off": (lambda: OwnMatrices(x=np.eye(9)).encode()[:-8], FileError, ("matrices",)),
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
        ("b_V", "(1, 0)"),
    ),
    "bias nan": (
        lambda: text_of(b"b_k 1 2\n" + struct.pack("<dd", 0, np.inf)),
        SettingsError,
        ("b_K", "inf", "place 1"),
    ),
    "huge": (
        lambda: text_of(b"b_k 1 2\n" + struct.pack("<dd", 1e6, 1e39)),
        SettingsError,
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
        SettingsError,
        ("X", "row 0", "column 0", "nan"),
    ),
}


@pytest.mark.parametrize("name", TEXTS)
def test_hostile_texts(name: str) -> None:
    """A made-up address gives a sentence, and a small one never unpacks to more than the
    largest matrices.
    """
    make, kind, facts = TEXTS[name]
    with refused(kind, *facts):
        OwnMatrices.decode(make())
