"""NumPy's .npz: a ZIP archive of .npy arrays, read without pickle and without trusting what it says about itself.

Source: numpy.lib.format, the .npy format; PKWARE's ZIP specification (APPNOTE), section 4.3.16.
"""

from __future__ import annotations

import math
import re
import struct
import zipfile
import zlib
from dataclasses import dataclass
from typing import BinaryIO, NoReturn

import numpy as np

from ..checks import Array
from ..errors import FileError
from .weight_file import MAX_AXES, MAX_BYTES, MAX_HEADER, check_count, file_size, pickle_error

_END, _END_64 = b"PK\x05\x06", b"PK\x06\x07"
_LONGEST_COMMENT = 2**16
_ENCRYPTED = 1
# What NumPy writes; nothing of it is evaluated.
_HEADER = re.compile(
    rb"\{'descr': '(?P<type>[<>|=][a-zA-Z?]\d{0,6})', 'fortran_order': (?P<order>True|False), "
    rb"'shape': \((?P<shape>[\d, ]{0,200})\),? ?\} *\n"
)
_DAMAGE = (
    zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError, struct.error
)  # fmt: skip


@dataclass(frozen=True)
class _Member:
    info: zipfile.ZipInfo
    dtype: np.dtype[np.generic]
    shape: tuple[int, ...]
    fortran_order: bool


class NpzFile:
    """An open .npz file. Raises: FileError when it holds anything but arrays of numbers or text, or breaks a limit."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        _check_directory(file)
        try:
            self._archive = zipfile.ZipFile(file)
        except _DAMAGE as error:
            _refuse("its directory is damaged", error)
        infos = self._archive.infolist()
        check_count(len(infos))
        if any(info.filename.endswith(".pkl") for info in infos):
            raise pickle_error(name)
        if len({info.filename for info in infos}) != len(infos):
            _refuse("two of its members have the same name")
        total = sum(info.file_size for info in infos)
        if total > MAX_BYTES:
            raise FileError(f"The file unpacks to {total:,} bytes, but at most {MAX_BYTES:,} are read: save less")
        self._members = {info.filename.removesuffix(".npy"): self._member(info) for info in infos}

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The name and shape of every array of numbers."""
        return {name: member.shape for name, member in self._members.items() if member.dtype.kind != "U"}

    @property
    def labels(self) -> tuple[str, ...]:
        """The array "tokens", if it holds words."""
        member = self._members.get("tokens")
        if member is None or member.dtype.kind != "U" or len(member.shape) != 1:
            return ()
        return tuple(str(word) for word in self.read("tokens"))

    def read(self, name: str) -> Array:
        """One array; half precision becomes float32."""
        member = self._members[name]
        try:
            with self._archive.open(member.info) as stream:
                stream.read(_header_length(stream.read(12)) - 12)
                data = stream.read(member.info.file_size)
            array: Array = np.ndarray(member.shape, member.dtype, data, order="F" if member.fortran_order else "C")
        except (*_DAMAGE, TypeError) as error:
            _refuse(f"{name!r} is damaged", error)
        return array.astype(np.float32) if array.dtype == np.float16 else array

    def _member(self, info: zipfile.ZipInfo) -> _Member:
        """What the head of one .npy says, checked against the size of its member."""
        name = info.filename
        if not name.endswith(".npy") or info.flag_bits & _ENCRYPTED:
            _refuse(f"{name!r} is not an array")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            _refuse(f"{name!r} is compressed in a way that NumPy does not use")
        try:
            with self._archive.open(info) as stream:
                start = stream.read(12)
                length = _header_length(start)
                header = _HEADER.fullmatch((start + stream.read(length - 12))[10 if start[6] == 1 else 12 :])
        except _DAMAGE as error:
            _refuse(f"{name!r} is damaged", error)
        if header is None:
            _refuse(f"{name!r} does not begin as NumPy's arrays do")
        if header["type"][1:2] == b"O":
            raise FileError(f"{name!r} holds Python objects, which only pickle can read; it is not used: save numbers")
        return _checked(name, header, length, info)


def _header_length(start: bytes) -> int:
    """The bytes before the numbers of an .npy file. Raises: ValueError when they do not begin as they should."""
    if len(start) < 12 or start[:6] != b"\x93NUMPY" or start[6] not in (1, 2, 3):
        raise ValueError("no .npy file")
    length = 10 + int.from_bytes(start[8:10], "little") if start[6] == 1 else 12 + int.from_bytes(start[8:12], "little")
    if not 12 < length <= 2**16:
        raise ValueError("no plausible header")
    return length


def _checked(name: str, header: re.Match[bytes], length: int, info: zipfile.ZipInfo) -> _Member:
    """Type and shape, if they need exactly the bytes that the member has."""
    kind = header["type"].decode()
    if kind[1] not in "?biufU":
        raise FileError(f"{name!r} holds values of type {kind!r}, but only numbers and text are read")
    try:
        dtype: np.dtype[np.generic] = np.dtype(kind)
        shape = tuple(int(size) for size in header["shape"].rstrip(b", ").split(b",") if size)
    except (TypeError, ValueError, OverflowError) as error:
        _refuse(f"{name!r} has an impossible type or shape", error)
    if len(shape) > MAX_AXES or any(size >= 2**63 for size in shape):
        _refuse(f"{name!r} has an impossible type or shape")
    needed = math.prod(shape) * dtype.itemsize + length
    if needed != info.file_size:
        _refuse(f"{name!r} of shape {shape} needs {needed:,} bytes, but has {info.file_size:,}")
    return _Member(info, dtype, shape, header["order"] == b"True")


def _check_directory(file: BinaryIO) -> None:
    """The list of members is short enough to be read: a file can have millions of empty ones."""
    size = file_size(file)
    file.seek(max(0, size - _LONGEST_COMMENT - 22 - 20))
    tail = file.read()
    place = tail.rfind(_END)
    if place < 0 or len(tail) < place + 22:
        _refuse("it has no directory")
    length = int.from_bytes(tail[place + 12 : place + 16], "little")
    if length > MAX_HEADER or _END_64 in tail[max(0, place - 20) : place]:
        _refuse("its directory is longer than any that is read")


def _refuse(reason: str, cause: Exception | None = None) -> NoReturn:
    raise FileError(f"The file cannot be read as .npz, because {reason}; write it with numpy.savez") from cause
