"""Files with weights, made by code: whole ones, and the writers of broken ones."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.lab.refusal import Facts

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


W = np.zeros((2, 3), np.float32)
# What is wrong -> the bytes (made when asked for), and what the sentence must hold.
Corpus = dict[str, tuple[Callable[[], bytes], Facts]]
