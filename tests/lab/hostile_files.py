"""Files that mean harm or are broken, and the facts that refusing each must name."""

from __future__ import annotations

import io
import pickle
import struct
import zipfile
from collections.abc import Callable

import numpy as np

from attention_lab.user_data.matrix_names import MAX_FILE_BYTES
from tests.lab.made_files import (
    Harm,
    archive,
    head,
    npy,
    npz,
    safetensors,
    tensor,
    with_field,
    with_header,
)
from tests.lab.refusal import Facts

# What is wrong -> the bytes (made when asked for), and what the sentence must hold.
Cases = dict[str, tuple[Callable[[], bytes], Facts]]
SIX = np.arange(6.0).tobytes()
HEAD, PICKLED = head("(2, 3)", "'<f8'"), pickle.dumps(Harm())
END, ENTRY = b"PK\x05\x06", b"PK\x01\x02"
DIRECTORY_64 = b"PK\x06\x07" + bytes(16)


def one(array: bytes, method: int = zipfile.ZIP_STORED) -> bytes:
    """An NPZ file with W_Q alone."""
    return archive({"W_Q.npy": array}, method)


def zeros(told: int) -> bytes:
    """Ten megabytes of zeros in ten kilobytes, whose directory tells another length."""
    content = npy(head("(2500000,)"), bytes(10_000_000))
    return with_field(one(content, zipfile.ZIP_DEFLATED), ENTRY, 24, struct.pack("<I", told))


def beyond_every_file() -> bytes:
    """An archive whose directory places its member, in the field of 64 bits, where no file
    reaches.
    """
    member = zipfile.ZipInfo("W_Q.npy")
    member.extra = struct.pack("<HHQ", 1, 8, 2**63)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as written:
        written.writestr(member, npy(head("(0,)")))
    return with_field(made.getvalue(), ENTRY, 42, b"\xff" * 4)


WHOLE = one(npy(HEAD, SIX))
# Refused before any number is read, by the reader of weights and by that of matrices.
ARCHIVES: Cases = {
    "cut off": (lambda: WHOLE[:-1], ("npz",)),
    "half": (lambda: WHOLE[: len(WHOLE) // 2], ("npz",)),
    "without its end": (lambda: WHOLE[:-30], ("npz",)),
    "long directory": (lambda: with_field(WHOLE, END, 12, b"\xff" * 4), ("arrays",)),
    "zip64 directory": (lambda: WHOLE[:-22] + DIRECTORY_64 + WHOLE[-22:], ("arrays",)),
    "directory elsewhere": (lambda: with_field(WHOLE, END, 16, b"\xff\xff\xff\0"), ("npz",)),
    "member beyond every file": (beyond_every_file, ("W_Q", "numpy.savez")),
    "encrypted": (lambda: with_field(WHOLE, ENTRY, 8, b"\1"), ("W_Q", "encrypted")),
    "bzip2": (lambda: one(npy(HEAD, SIX), zipfile.ZIP_BZIP2), ("W_Q", "NumPy")),
    "lzma": (lambda: one(npy(HEAD, SIX), zipfile.ZIP_LZMA), ("W_Q", "NumPy")),
    "10,000 members": (lambda: archive({f"{i}.npy": b"" for i in range(10_000)}), ("arrays",)),
    "a name of 300 letters": (lambda: archive({"w" * 300 + ".npy": b""}), ("w" * 40, 256)),
    "a control character": (lambda: archive({"w\r.npy": b""}), (256, "w\\r.npy")),
    "a member twice": (lambda: archive({"W_Q": b"", "W_Q.npy": b""}), ("npz", "members")),
    "a member that is no array": (lambda: archive({"W_Q": b"hello"}), ("W_Q", "numpy.savez")),
    "an empty member": (lambda: one(b""), ("W_Q", "numpy.savez")),
    "a member longer than it says": (lambda: zeros(1000), ("W_Q", "numpy.savez")),
    "objects": (lambda: npz({"W_Q": np.array([[Harm()]], dtype=object)}), ("W_Q", "Python")),
    "objects by header": (lambda: one(npy(head("(2, 3)", "'|O'"), PICKLED)), ("W_Q", "Python")),
    "bare pickle": (lambda: one(PICKLED), ("W_Q", "numpy.savez")),
    "bytes": (lambda: npz({"W_Q": np.array([[b"a"]])}), ("W_Q", "x.astype(str)")),
    "complex": (lambda: npz({"W_Q": np.eye(2) * 1j}), ("W_Q", "complex")),
    "records": (lambda: npz({"W_Q": np.zeros((2, 2), "f8,f8")}), ("W_Q", "float64")),
    "dates": (lambda: npz({"W_Q": np.zeros((2, 2), "M8[s]")}), ("W_Q", "float64")),
    **{
        f"a type that NumPy computes, {descr}": (
            lambda descr=descr: one(npy(head("(2, 3)", repr(descr)), SIX)),  # type: ignore[misc]
            ("W_Q", "float64"),
        )
        for descr in ("(,)f8", ",f8", "f8,,f8", "(1+1,)f8", "(2", "f8,)", "2f8", "(9**9**9,)f8")
    },
    "many types": (lambda: one(npy(head("(2, 3)", "'<f8,<f8'"), SIX)), ("W_Q", "float64")),
    "a type without a size": (lambda: one(npy(head("(2, 1)", "'<f3'"), SIX)), ("W_Q", "float64")),
    "text without characters": (lambda: one(npy(head(f"({10**12},)", "'<U0'"))), ("W_Q", "shape")),
    "an endless empty array": (lambda: one(npy(head(f"(0, {2**62}, {2**62})"))), ("W_Q", "shape")),
    "endless digits": (lambda: one(npy(head(f"({'9' * 199},)"))), ("W_Q", "shape")),
    "too few numbers": (lambda: one(npy(HEAD, SIX[:-8])), ("W_Q", "(2, 3)", 48, 40)),
    "too many numbers": (lambda: one(npy(HEAD, SIX + b"\0")), ("W_Q", "(2, 3)", 48, 49)),
    "head beyond its member": (lambda: one(npy(HEAD)[:-9]), ("W_Q", "numpy.save")),
    "another magic inside": (lambda: one(b"\x93NUMPX" + bytes(99)), ("W_Q", "numpy.savez")),
    "another version": (lambda: one(npy(HEAD, SIX, version=b"\t\0")), ("W_Q", "numpy.savez")),
    "huge header": (lambda: one(npy(" " * 70_000, SIX, b"\2\0")), ("W_Q", 4000, "numpy.save")),
    "endless header": (lambda: one(npy("", version=b"\2\0", length=2**32 - 1)), ("W_Q", 4000)),
    "short header": (lambda: one(npy(HEAD, length=4000)), ("W_Q", "numpy.save")),
}
LIMITED = {"long directory", "zip64 directory", "10,000 members"}  # by a number of each reader
# Headers that are refused, each before six numbers.
HEADERS: dict[str, str | bytes] = {
    "negative shape": head("(-2, -3)"),
    "shape that is computed": head("(10**9, 2)"),
    "shape of words": head("('2', 3)"),
    "shape of bools": head("(True, 6)"),
    "blank in a size": head("(1 2, 1)"),
    "shape of commas": head("(,2,,3,)"),
    "size alone": head("(6)"),
    "size with a zero before": head("(06,)"),
    "order of words": head("(2, 3)", order="'C'"),
    "code as header": "__import__('os').abort()",
    "header without shape": "{'descr': '<f8'}",
    "deep header": "(" * 4000,
    "zeros as header": bytes(64),
}


def headed(header: str | bytes) -> tuple[Callable[[], bytes], Facts]:
    """The case of a header."""
    return lambda: one(npy(header, SIX)), ("W_Q", "numpy.save")


ARCHIVES |= {name: headed(header) for name, header in HEADERS.items()}

LLAMA = {f"{letter}_proj.weight": np.eye(2, dtype=np.float32) for letter in "qkvo"}
W = np.zeros((2, 3), np.float32)
GOOD, TENSOR, EMPTY = safetensors({"w": W}), tensor([2, 3], 0, 24), tensor([0], 0, 0)
LONG = np.zeros(98_305, np.float32)


def said(
    shape: object, facts: Facts, begin: int = 0, end: int = 24, dtype: object = "F32"
) -> tuple[Callable[[], bytes], Facts]:
    """The case of a tensor of 24 bytes of which this is said."""
    return lambda: with_header({"w": tensor(shape, begin, end, dtype)}, bytes(24)), ("w", *facts)


SAFETENSORS: Cases = {
    "a header beyond the file": (lambda: struct.pack("<Q", 2**63) + b"{}", (2**63, 10)),
    "a huge header": (lambda: with_header(b"{" + b" " * 2**23 + b"}"), (8_388_610, 2**22)),
    "no JSON": (lambda: with_header(b"{x}"), ("safetensors", "JSON")),
    "no UTF-8": (lambda: with_header(b'{"\xff": 1}'), ("safetensors", "JSON")),
    "deep JSON": (lambda: with_header(b'{"a": ' + b"[" * 100_000), ("safetensors", "JSON")),
    "a name twice": (lambda: with_header(b'{"w": 1, "w": 2}'), ("safetensors", "header")),
    "no table": (lambda: with_header({"w": [1]}), ("w", "dtype")),
    "too many keys": (lambda: with_header({"w": TENSOR | {"x": 1}}, bytes(24)), ("w", "dtype")),
    "metadata of numbers": (lambda: with_header({"__metadata__": {"a": 1}}), ("metadata",)),
    "an unknown type": said([24], ("F8_E4M3", "F32"), dtype="F8_E4M3"),
    "a type that is a list": said([6], ("[]", "F32"), dtype=[]),
    "a type as long as the file": said([6], ("F32",), dtype="x" * 10**6),
    "a shape below 0": said([-2, -3], ("[-2, -3]",)),
    "a fraction of a shape": said([2.0, 3], ("[2.0, 3]",)),
    "True as a size": said([True, 6], ("[True, 6]",)),
    "nine axes": said([1] * 8 + [6], ("[1, 1, 1, 1, 1, 1, 1, 1, 6]",)),
    "an endless size": said([10**30], ("[1000000000000000000000000000000]",)),
    "more numbers than bytes": said([2**40], (4_398_046_511_104, 24)),
    "negative offsets": said([2, 3], ("offsets", "[-24, 0]"), -24, 0),
    "offsets the wrong way": said([0], ("(0,)", 0, -24), 24, 0),
    "an empty tensor beyond NumPy": said([0, 2**62, 2**62], ("shape",), 0, 0),
    "three offsets": (
        lambda: with_header({"w": TENSOR | {"data_offsets": [0, 1, 2]}}, bytes(24)),
        ("w", "offsets", "[0, 1, 2]"),
    ),
    "overlapping offsets": (
        lambda: with_header({"a": tensor([2], 0, 8), "b": tensor([2], 4, 12)}, bytes(12)),
        ("'b'", "safetensors"),
    ),
    "a gap": (lambda: with_header({"a": tensor([2], 4, 12)}, bytes(12)), ("'a'", "gap")),
    "cut within a tensor": (lambda: GOOD[:-1], (24, 23)),
    "something behind": (lambda: GOOD + b"x", (24, 25)),
    "a name of 5,000 digits": (lambda: safetensors({"9" * 5000: W}), (256, "9" * 40)),
    "half a character in a name": (lambda: safetensors({"\ud800": W}), (256, "\\ud800")),
    "an endless bias": (lambda: safetensors(LLAMA | {"q_proj.bias": LONG}), ("(98305,)", 98_304)),
    "10,000 tensors": (lambda: with_header({f"{n}": EMPTY for n in range(10_000)}), (10_000, 4096)),
}
# Refused as files of weights, by their names and first bytes.
NAMED: dict[str, tuple[str, Callable[[], bytes], Facts]] = {
    "a PyTorch file": ("m.pt", lambda: archive({"archive/data.pkl": b""}), ("m.pt", "torch.load")),
    "a PyTorch file renamed": ("m.npz", lambda: archive({"x/data.pkl": b""}), ("torch.load",)),
    "a pickle further back": (
        "m.npz",
        lambda: archive({"w.npy": b"", "x.pkl": b""}),
        ("torch.load",),
    ),
    "a .bin": (
        "pytorch_model.bin",
        lambda: pickle.dumps([1], protocol=0),
        ("pytorch_model.bin", "safetensors.torch.save_file", "pytorch_model.safetensors"),
    ),
    "a renamed pickle": ("m.safetensors", lambda: pickle.dumps({"w": [1]}), ("torch.load",)),
    "nothing": ("m.safetensors", lambda: b"", ("m.safetensors",)),
    "wrong magic": ("m.npz", lambda: b"GGUF" + bytes(100), ("m.npz", ".safetensors")),
    "a zip bomb": ("m.npz", lambda: zeros(4_000_000_000), (4_000_000_000, 600_000_000)),
    "4,097 members": (
        "m.npz",
        lambda: archive({f"{n}.npy": b"" for n in range(4097)}),
        (4097, 4096),
    ),
}
WEIGHTS = {
    **NAMED,
    **{fault: ("m.safetensors", *case) for fault, case in SAFETENSORS.items()},
    **{fault: ("m.npz", *case) for fault, case in ARCHIVES.items()},
}
# Refused as matrices only.
MATRICES: Cases = {
    **ARCHIVES,
    "empty": (lambda: b"", ("npz",)),
    "another kind": (lambda: b"GIF89a" + WHOLE[6:], ("npz",)),
    "text": (lambda: b"1,2,3\n" * 9, ("npz",)),
    "no members": (lambda: archive({}), ("npz",)),
    "flipped number": (lambda: WHOLE.replace(SIX, SIX[::-1]), ("W_Q", "numpy.savez")),
    "too large": (lambda: bytes(MAX_FILE_BYTES + 1), (41943041, 41943040)),
    "bomb": (lambda: archive({"a": bytes(2**26 + 1)}, zipfile.ZIP_DEFLATED), (2**26 + 1, 2**26)),
    "65 members": (lambda: archive({f"{i}": b"" for i in range(65)}), (65, 64)),
    "a name twice": (lambda: npz({"W_Q": np.eye(2), "wq": np.eye(2)}), ("W_Q",)),
    "none of ours": (lambda: npz({"a": np.eye(2)}), ("W_O", "b_Q", "b_K", "b_V", "b_O")),
    "bias as matrix": (lambda: npz({"b_Q": np.eye(2)}), ("b_Q", "(2, 2)")),
    "long bias": (
        lambda: archive({"b_o.npy": npy(head("(1000000000,)", "'<f8'"))}),
        ("b_o", "(1000000000,)", 8000000000, 0),
    ),
    "text cells": (lambda: npz({"W_Q": np.array([["a", "b"]])}), ("W_Q", "float64")),
    "bools": (lambda: npz({"W_Q": np.eye(2) > 0}), ("W_Q", "float64")),
    "nan": (lambda: npz({"W_Q": np.array([[1], [np.nan]])}), ("W_Q", "row 1", "column 0", "nan")),
    "infinity": (lambda: npz({"X": np.array([[1, -np.inf]])}), ("X", "row 0", "column 1", "-inf")),
    "huge integer": (lambda: npz({"X": np.array([[2**53 + 1]])}), ("X", "9007199254740992.0")),
    "one axis": (lambda: npz({"W_Q": np.ones(3)}), ("W_Q", "(3,)")),
    "three axes": (lambda: npz({"W_Q": np.ones((2, 3, 4))}), ("W_Q", "(2, 3, 4)")),
    "no axis": (lambda: npz({"W_Q": np.array(1.0)}), ("W_Q", "()")),
    "no rows": (lambda: npz({"W_Q": np.ones((0, 3))}), ("W_Q", "(0, 3)")),
    "too many tokens": (lambda: npz({"X": np.ones((65, 2))}), ("X", 65, 2, 64, 512)),
    "too wide": (lambda: npz({"W_K": np.ones((2, 2049))}), ("W_K", 2, 2049, 512, 2048)),
}
CSV: Cases = {
    "10 MB line": (lambda: b"1," * (5 * 2**20), ("line 1", 10485760, 65536)),
    "a million lines": (lambda: b"1\n" * 10**6, (4096,)),
    "a million blank lines": (lambda: b"\r" * 10**6, (4096,)),
    "513 rows": (lambda: b"1,2\n" * 513, ("W_Q", 513, 2, 512, 2048)),
    "513 rows, the last of words": (lambda: b"1,2\n" * 512 + b"a,b", ("W_Q", 513, 2)),
    "2049 columns": (lambda: b"1" + b",1" * 2048, ("W_Q", 1, 2049, 512, 2048)),
    "zero bytes": (lambda: b"1,\0", ("line 1", "byte")),
    "a zip": (lambda: WHOLE, ("line 1", "UTF-8")),
    "UTF-16": (lambda: "1;2\n".encode("utf-16"), ("line 1", "UTF-8")),
    "open quote": (lambda: b'"1,2\n"3,4', ("line 1", "quote")),
}
# The size of a matrix does not fit its place; all other files are refused with a `FileError`.
MISSHAPEN = {
    *("bias as matrix", "one axis", "three axes", "no axis", "no rows"),
    *("too many tokens", "too wide"),
    *("513 rows", "513 rows, the last of words", "2049 columns"),
}
