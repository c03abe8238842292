"""Files with weights, made by code: whole ones, and the corpus of hostile ones that must be
refused with a sentence.
"""

from __future__ import annotations

import io
import json
import pickle
import struct
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np

Arrays = dict[str, np.ndarray]
KINDS = {"f8": "F64", "f4": "F32", "f2": "F16", "i8": "I64", "u1": "U8", "b1": "BOOL"}


def safetensors(arrays: Arrays, metadata: dict[str, str] | None = None) -> bytes:
    """A whole file, as the library writes it."""
    header: dict[str, Any] = {"__metadata__": metadata} if metadata else {}
    body = b""
    for name, array in arrays.items():
        data = np.ascontiguousarray(array).tobytes()
        offsets = [len(body), len(body) + len(data)]
        header[name] = {
            "dtype": KINDS[array.dtype.str[1:]],
            "shape": list(array.shape),
            "data_offsets": offsets,
        }
        body += data
    return with_header(header, body)


def with_header(header: Any, body: bytes = b"") -> bytes:
    """A file with this header, whatever it says."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + body


def tensor(shape: Any, begin: int, end: int, dtype: Any = "F32") -> dict[str, Any]:
    """One entry of a header."""
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def npz(arrays: Arrays) -> bytes:
    """A whole archive, as NumPy writes it."""
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def archive(members: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    """A ZIP archive of any members."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as made:
        for name, content in members.items():
            made.writestr(name, content)
    return file.getvalue()


def npy(header: str, body: bytes = b"") -> bytes:
    """An .npy with this header, whatever it says."""
    text = header.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + body


def head(shape: str, descr: str = "'<f4'") -> str:
    """The header NumPy writes for a shape."""
    return f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}"


def with_fields(data: bytes, signature: bytes, place: int, value: bytes) -> bytes:
    """The archive with one field of its last record of this kind changed."""
    at = data.rfind(signature) + place
    return data[:at] + value + data[at + len(value) :]


def zeros(told: int) -> bytes:
    """Ten megabytes of zeros in ten kilobytes, whose directory tells another length."""
    content = npy(head("(2500000,)"), bytes(10_000_000))
    return with_fields(
        archive({"w_q.npy": content}, zipfile.ZIP_DEFLATED),
        b"PK\x01\x02",
        24,
        struct.pack("<I", told),
    )


W = np.zeros((2, 3), np.float32)
LLAMA = {f"{letter}_proj.weight": np.eye(2, dtype=np.float32) for letter in "qkvo"}
GOOD, GOOD_NPZ = safetensors({"w": W}), npz({"w": W})
ENTRY = tensor([2, 3], 0, 24)
DIRECTORY_64 = b"PK\x06\x07" + bytes(16)


def beyond_every_file() -> bytes:
    """An archive whose directory places its member, in the field of 64 bits, where no file
    reaches.
    """
    member = zipfile.ZipInfo("w.npy")
    member.extra = struct.pack("<HHQ", 1, 8, 2**63)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as written:
        written.writestr(member, npy(head("(0,)")))
    return with_fields(made.getvalue(), b"PK\x01\x02", 42, b"\xff" * 4)


# What is wrong -> the bytes (made when asked for), and what the sentence must say.
Corpus = dict[str, tuple[Callable[[], bytes], str]]

HOSTILE_SAFETENSORS: Corpus = {
    "a header beyond the file": (lambda: struct.pack("<Q", 2**63) + b"{}", "should have 9,223,372"),
    "a huge header": (lambda: with_header(b"{" + b" " * 2**23 + b"}"), "at most 4,194,304"),
    "no JSON": (lambda: with_header(b"{x}"), "not JSON"),
    "no UTF-8": (lambda: with_header(b'{"\xff": 1}'), "not JSON"),
    "deep JSON": (lambda: with_header(b'{"a": ' + b"[" * 100_000), "not JSON"),
    "a name twice": (lambda: with_header(b'{"w": 1, "w": 2}'), "occurs twice"),
    "no table": (lambda: with_header({"w": [1]}), "must have a dtype"),
    "too many keys": (lambda: with_header({"w": ENTRY | {"x": 1}}, bytes(24)), "must have a dtype"),
    "metadata of numbers": (lambda: with_header({"__metadata__": {"a": 1}}), "table of texts"),
    "an unknown type": (
        lambda: with_header({"w": tensor([1], 0, 1, "F8_E4M3")}, b"x"),
        "convert them to F32",
    ),
    "a type that is a list": (
        lambda: with_header({"w": tensor([1], 0, 4, [])}, bytes(4)),
        "not read here",
    ),
    "a negative shape": (
        lambda: with_header({"w": tensor([-2, -3], 0, 24)}, bytes(24)),
        "impossible shape",
    ),
    "a fraction of a shape": (
        lambda: with_header({"w": tensor([2.0, 3], 0, 24)}, bytes(24)),
        "shape",
    ),
    "True as a size": (
        lambda: with_header({"w": tensor([True, 6], 0, 24)}, bytes(24)),
        "impossible shape",
    ),
    "nine axes": (lambda: with_header({"w": tensor([1] * 9, 0, 4)}, bytes(4)), "impossible shape"),
    "an endless size": (
        lambda: with_header({"w": tensor([10**30], 0, 24)}, bytes(24)),
        "impossible shape",
    ),
    "more numbers than bytes": (
        lambda: with_header({"w": tensor([2**40], 0, 24)}, bytes(24)),
        "needs 4,398",
    ),
    "negative offsets": (lambda: with_header({"w": tensor([2, 3], -24, 0)}, bytes(24)), "offsets"),
    "offsets the wrong way": (
        lambda: with_header({"w": tensor([0], 24, 0)}, bytes(24)),
        "needs 0 bytes",
    ),
    "three offsets": (
        lambda: with_header({"w": ENTRY | {"data_offsets": [0, 1, 2]}}, bytes(24)),
        "offsets",
    ),
    "overlapping offsets": (
        lambda: with_header({"a": tensor([2], 0, 8), "b": tensor([2], 4, 12)}, bytes(12)),
        "'b' overlaps",
    ),
    "a gap": (lambda: with_header({"a": tensor([2], 4, 12)}, bytes(12)), "'a' leaves a gap"),
    "cut off": (lambda: GOOD[:-1], "tensors need 24 bytes, but 23"),
    "something behind": (lambda: GOOD + b"x", "tensors need 24 bytes, but 25"),
    "an empty array beyond NumPy": (
        lambda: with_header({"w": tensor([0, 2**62, 2**62], 0, 0)}),
        "impossible shape",
    ),
    "a type as long as the file": (
        lambda: with_header({"w": tensor([1], 0, 4, "x" * 10**6)}, bytes(4)),
        "not read",
    ),
    "a name of 5,000 digits": (
        lambda: safetensors({f"{'9' * 5000}.{name}": array for name, array in LLAMA.items()}),
        "at most 256 char",
    ),
    "half a character in a name": (lambda: safetensors({"\ud800": W}), "all of which can be shown"),
    "an endless bias": (
        lambda: safetensors(LLAMA | {"q_proj.bias": np.zeros(98_305, "f4")}),
        "at most 98,304 numbers",
    ),
    "10,000 tensors": (
        lambda: with_header({f"w{n}": tensor([0], 0, 0) for n in range(10_000)}),
        "10,000 arrays, but",
    ),
}
HOSTILE_NPZ: Corpus = {
    "a member twice": (
        lambda: archive({"w": npy(head("(0,)")), "w.npy": npy(head("(0,)"))}),
        "the same name",
    ),
    "a name of 300 letters": (lambda: archive({"w" * 300 + ".npy": b""}), "at most 256 characters"),
    "a name with a control character": (
        lambda: archive({"w\r.npy": b""}),
        "all of which can be shown",
    ),
    "text without characters": (
        lambda: archive({"tokens.npy": npy(head(f"({10**12},)", "'<U0'"))}),
        "impossible type or shape",
    ),
    "an empty array beyond NumPy": (
        lambda: archive({"w.npy": npy(head(f"(0, {2**62}, {2**62})"))}),
        "impossible type or shape",
    ),
    "a head beyond its member": (
        lambda: archive({"w.npy": npy(head("(0,)"))[:-9]}),
        "does not begin",
    ),
    "a pickle further back": (lambda: archive({"w.npy": b"", "x.pkl": b""}), "torch.load"),
    "10,000 members": (
        lambda: archive({f"w{n}.npy": b"" for n in range(10_000)}),
        "10,000 arrays, but at most",
    ),
    "a zip bomb": (lambda: zeros(4_000_000_000), "unpacks to 4,000,000,000 bytes, but at most"),
    "a member longer than it says": (lambda: zeros(1000), "is damaged"),
    "pickle inside": (
        lambda: npz({"w": np.array([{"a": 1}], dtype=object)}),
        "Python objects, which could run code",
    ),
    "a member that is no array": (lambda: archive({"w.txt": b"hello"}), "is not an array"),
    "an empty member": (lambda: archive({"w.npy": b""}), "'w' is no array of NumPy"),
    "another magic inside": (
        lambda: archive({"w.npy": b"\x93NUMPX" + bytes(99)}),
        "'w' is no array of NumPy",
    ),
    "a negative shape inside": (
        lambda: archive({"w.npy": npy(head("(-2, -3)"), bytes(24))}),
        "does not begin",
    ),
    "a blank in a size": (
        lambda: archive({"w.npy": npy(head("(1 2, 1)"), bytes(48))}),
        "does not begin",
    ),
    "a shape of commas": (
        lambda: archive({"w.npy": npy(head("(,2,,3,)"), bytes(24))}),
        "does not begin",
    ),
    "a size alone": (lambda: archive({"w.npy": npy(head("(6)"), bytes(24))}), "does not begin"),
    "a size with a zero before": (
        lambda: archive({"w.npy": npy(head("(06,)"), bytes(24))}),
        "does not begin",
    ),
    "code for a header": (
        lambda: archive({"w.npy": npy("__import__('os').getcwd()")}),
        "does not begin",
    ),
    "endless digits": (
        lambda: archive({"w.npy": npy(head(f"({'9' * 199},)"))}),
        "impossible type or shape",
    ),
    "records": (lambda: npz({"w": np.zeros(3, dtype=[("a", "<f4")])}), "unusual type"),
    "complex numbers": (lambda: npz({"w": np.zeros(3, complex)}), "'w' holds complex"),
    "a type without a size": (
        lambda: archive({"w.npy": npy(head("(2,)", "'<f3'"), bytes(6))}),
        "unusual type",
    ),
    "too few numbers inside": (
        lambda: archive({"w.npy": npy(head("(2, 3)"), bytes(20))}),
        "needs .* but has",
    ),
    "another compression": (
        lambda: archive({"w.npy": npy(head("(0,)"))}, zipfile.ZIP_LZMA),
        "does not use",
    ),
    "an archive cut off": (lambda: GOOD_NPZ[:-30], "no directory"),
    "a directory of megabytes": (
        lambda: with_fields(GOOD_NPZ, b"PK\x05\x06", 12, b"\xff" * 4),
        "more than 4,096",
    ),
    "a directory of its own length": (
        lambda: with_fields(GOOD_NPZ, b"PK\x05\x06", 0, DIRECTORY_64 + GOOD_NPZ[-22:]),
        "more than 4,096",
    ),
    "a directory elsewhere": (
        lambda: with_fields(GOOD_NPZ, b"PK\x05\x06", 16, b"\xff\xff\xff\x00"),
        "npz",
    ),
    "a member beyond every file": (beyond_every_file, "'w' is damaged"),
    "an encrypted member": (
        lambda: with_fields(GOOD_NPZ, b"PK\x01\x02", 8, b"\x01"),
        "'w' is encrypted",
    ),
}
# The same with the name of the file before.
HOSTILE: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "a PyTorch file": ("model.pt", lambda: archive({"archive/data.pkl": b""}), "torch.load"),
    "a PyTorch file renamed": (
        "model.npz",
        lambda: archive({"x/data.pkl": b"", "x/data/0": b""}),
        "torch.load",
    ),
    "a .bin": (
        "pytorch_model.bin",
        lambda: pickle.dumps([1], protocol=0),
        r'save_file\(.*"pytorch_model.safetensors"',
    ),
    "a bare pickle": (
        "model.safetensors",
        lambda: pickle.dumps({"w": [1]}),
        "runs whatever program",
    ),
    "nothing": ("model.safetensors", lambda: b"", "model.safetensors is empty"),
    "wrong magic": ("model.npz", lambda: b"GGUF" + bytes(100), "neither .safetensors nor .npz"),
}
HOSTILE |= {fault: ("m.safetensors", *case) for fault, case in HOSTILE_SAFETENSORS.items()}
HOSTILE |= {fault: ("m.npz", *case) for fault, case in HOSTILE_NPZ.items()}
