"""Files of matrices made by code, whole and broken, and a pickle that would run."""

from __future__ import annotations

import io
import struct
import zipfile
from typing import Any

import numpy as np

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
    """One array with any header."""
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
