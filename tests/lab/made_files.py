"""Files made by code: whole ones of weights and matrices, broken ones, and a pickle that would
run.
"""

from __future__ import annotations

import io
import json
import struct
import zipfile
from typing import Any

import numpy as np

Arrays = dict[str, np.ndarray]
KINDS = {"f8": "F64", "f4": "F32", "f2": "F16", "i8": "I64", "u1": "U8", "b1": "BOOL"}
RAN: list[str] = []


def harm() -> None:
    """What a hostile pickle would run."""
    RAN.append("harm")


class Harm:
    """An object that leaves a trace when it is unpickled."""

    def __reduce__(self) -> Any:
        return harm, ()


def safetensors(arrays: Arrays, metadata: dict[str, str] | None = None) -> bytes:
    """A whole file, as the library writes it."""
    header: dict[str, Any] = {"__metadata__": metadata} if metadata else {}
    body = b""
    for name, array in arrays.items():
        data = np.ascontiguousarray(array).tobytes()
        header[name] = tensor(
            list(array.shape), len(body), len(body) + len(data), KINDS[array.dtype.str[1:]]
        )
        body += data
    return with_header(header, body)


def with_header(header: Any, body: bytes = b"") -> bytes:
    """A safetensors file with this header, whatever it says."""
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
            made.writestr(zipfile.ZipInfo(name), content, compression)
    return file.getvalue()


def npy(
    header: str | bytes, body: bytes = b"", version: bytes = b"\1\0", length: int | None = None
) -> bytes:
    """An .npy with this header, whatever it says. length: what is said of the header's own."""
    text = header if isinstance(header, bytes) else header.encode() + b"\n"
    width = "<H" if version == b"\1\0" else "<I"
    told = struct.pack(width, len(text) if length is None else length)
    return b"\x93NUMPY" + version + told + text + body


def head(shape: str, descr: str = "'<f4'", order: str = "False") -> str:
    """The header NumPy writes for a shape."""
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}"


def with_field(data: bytes, signature: bytes, place: int, value: bytes) -> bytes:
    """The archive with one field of its last record of this kind changed, as PKWARE APPNOTE 4.3
    places them.
    """
    at = data.rfind(signature) + place
    return data[:at] + value + data[at + len(value) :]
