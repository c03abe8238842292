"""NPZ files of matrices that must be refused, each with its error and the facts it must hold."""

from __future__ import annotations

import pickle
import zipfile
from collections.abc import Callable
from functools import partial

import numpy as np

from attention_core import AttentionError, FileError, ShapeError
from attention_lab.user_data.matrix_names import MAX_FILE_BYTES, MAX_UNPACKED_BYTES
from tests.lab.made_matrix_files import LYING, SIX, WHOLE, Harm, directory, header, npy, one, zipped
from tests.lab.refusal import Facts
from tests.lab.user_matrix_cases import npz

NPZ: dict[str, tuple[Callable[[], bytes], type[AttentionError], Facts]] = {
    "empty": (lambda: b"", FileError, ("npz",)),
    "wrong magic": (lambda: b"GIF89a" + WHOLE[6:], FileError, ("npz",)),
    "text": (lambda: b"1,2,3\n" * 9, FileError, ("npz",)),
    "cut off": (lambda: WHOLE[:-1], FileError, ("npz",)),
    "half": (lambda: WHOLE[: len(WHOLE) // 2], FileError, ("npz",)),
    "no members": (lambda: zipped(), FileError, ("npz",)),
    "flipped number": (lambda: WHOLE.replace(SIX, SIX[::-1]), FileError, ("W_Q", "numpy.savez")),
    "too large": (
        lambda: bytes(MAX_FILE_BYTES + 1),
        FileError,
        (41943041, 41943040),
    ),
    "bomb": (
        lambda: zipped(("a.npy", bytes(MAX_UNPACKED_BYTES + 1)), method=zipfile.ZIP_DEFLATED),
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
        FileError,
        ("W_Q", "row 1", "column 2", "nan"),
    ),
    "infinity": (
        lambda: npz(X=np.array([[1, -np.inf]])),
        FileError,
        ("X", "row 0", "column 1", "-inf"),
    ),
    "huge integer": (
        lambda: npz(X=[[2**53 + 1]]),
        FileError,
        ("X", "9007199254740992.0", -1000000, 1000000),
    ),
    "one axis": (
        lambda: npz(W_Q=np.ones(3)),
        ShapeError,
        ("W_Q", "(3,)"),
    ),
    "three axes": (lambda: npz(W_Q=np.ones((2, 3, 4))), ShapeError, ("W_Q", "(2, 3, 4)")),
    "no axis": (lambda: npz(W_Q=np.array(1.0)), ShapeError, ("W_Q", "()")),
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
    "huger shape": (
        lambda: one(npy(header(shape="(1000000000, 2)"), SIX)),
        FileError,
        ("W_Q", "(1000000000, 2)", 16000000000, 48),
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
        ("W_Q", 4000, "numpy.save"),
    ),
    "endless header": (
        lambda: one(npy("", version=b"\2\0", length=2**32 - 1)),
        FileError,
        ("W_Q", 4000, "numpy.save"),
    ),
    "short header": (lambda: one(npy(header(), length=4000)), FileError, ("W_Q", "numpy.save")),
    "another version": (
        lambda: one(npy(header(), SIX, version=b"\t\0")),
        FileError,
        ("W_Q", "numpy.savez"),
    ),
}
# Headers that are refused, each before six numbers.
HEADERS: dict[str, str | bytes] = {
    "negative shape": header(shape="(-2, -3)"),
    "huge shape": header(shape="(10**9, 2)"),
    "shape of words": header(shape="('2', 3)"),
    "shape of bools": header(shape="(True, 6)"),
    "order of words": header(order="'C'"),
    "code as header": "__import__('os').abort()",
    "header without shape": "{'descr': '<f8'}",
    "deep header": "(" * 4000,
    "zeros as header": bytes(64),
}
NPZ |= {
    name: (partial(one, npy(head, SIX)), FileError, ("W_Q", "numpy.save"))
    for name, head in HEADERS.items()
}
