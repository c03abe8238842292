"""NumPy's .npz, a ZIP archive of .npy arrays. Nothing that it says about itself is trusted.

The end of the directory is read before the directory, the directory before the headers of the
arrays, and these before any number; each only if it is small enough. NumPy would compute with parts
of the type in a header, so NumPy gets only a letter with a size. Types and shapes are refused of
which no array of numbers or text can be made. Nothing is unpickled, and nothing unpacks to more
bytes than it promised.
Source: PKWARE's ZIP specification (APPNOTE), section 4.3.16; the NumPy manual, numpy.lib.format.
"""

import ast
import io
import math
import re
import struct
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import IO, Any, BinaryIO, NoReturn

import numpy as np

from attention_core.checks import Array
from attention_core.errors import FileError

from .file_checks import is_possible_shape

MAX_HEAD_BYTES = 4_000  # NumPy writes 118, rarely more
_MAGIC = b"\x93NUMPY"
_LENGTH_BYTES = {(1, 0): 2, (2, 0): 4, (3, 0): 4}  # by version; the last is in UTF-8
_TYPE = re.compile(r"[<>=|]?[?biufcSUOV]\d{0,9}")
_LONG = re.compile(r"\b(\d+)L\b")  # a whole number as Python 2 wrote it
_REFUSED_TYPES = {"O": "Python objects, which could run programs", "c": "complex numbers"}


@dataclass(frozen=True)
class NpyHead:
    """Type and shape of an array. length: the bytes before its numbers."""

    dtype: np.dtype[np.generic]
    shape: tuple[int, ...]
    fortran_order: bool
    length: int

    @property
    def n_bytes(self) -> int:
        """How many bytes the numbers take."""
        return math.prod(self.shape) * self.dtype.itemsize

    def array(self, data: bytes) -> Array:
        """The array in these bytes, read-only. Raises: FileError if there are too few."""
        if len(data) < self.n_bytes:
            raise FileError(
                f"The array ends before its {math.prod(self.shape):,} numbers; save it again"
            )
        return np.ndarray(self.shape, self.dtype, data, order="F" if self.fortran_order else "C")


def read_npy_head(stream: IO[bytes], called: str) -> NpyHead:
    """The header of an array; at most `MAX_HEAD_BYTES` and a few more are read from the stream.

    called: what errors call the array.
    Raises: FileError for Python objects, for types other than numbers and text, and for bytes that
    are not an array.
    """
    start = io.BytesIO(stream.read(len(_MAGIC) + 2 + 4 + MAX_HEAD_BYTES))
    try:
        told = _read_header(start)
        shape, fortran_order, descr = (told[key] for key in ("shape", "fortran_order", "descr"))
        is_plain = isinstance(descr, str) and _TYPE.fullmatch(descr)
        dtype = np.dtype(descr if is_plain else "V")
    except (ValueError, LookupError, TypeError, SyntaxError, MemoryError, RecursionError) as error:
        raise FileError(
            f"{called} does not begin with the header of a NumPy array of at most"
            f" {MAX_HEAD_BYTES:,} bytes; save it as float64 with numpy.save or numpy.savez"
        ) from error
    if dtype.kind not in "biufU" or (dtype.kind != "U" and dtype.itemsize > 8):
        held = _REFUSED_TYPES.get(dtype.kind, "an unusual type of number")
        remedy = "as float64: numpy.asarray(x, dtype=float)"
        if dtype.kind == "S":
            held, remedy = "text as bytes", "as text: x.astype(str)"
        raise FileError(f"{called} holds {held}, which are not read; save it {remedy}")
    is_fine = type(shape) is tuple and type(fortran_order) is bool and dtype.itemsize > 0
    is_fine = is_fine and all(type(size) is int and size >= 0 for size in shape)
    if not is_fine or not is_possible_shape(shape, dtype.itemsize):
        raise FileError(f"{called} has an impossible type or shape; save it with numpy.save again")
    return NpyHead(dtype, shape, fortran_order, start.tell())


def _read_header(start: IO[bytes]) -> Any:
    """What a header says; raises one of many errors if it says nothing."""
    if start.read(len(_MAGIC)) != _MAGIC:
        raise ValueError("another beginning")
    version = start.read(1)[0], start.read(1)[0]
    length = int.from_bytes(start.read(_LENGTH_BYTES[version]), "little")
    said = start.read(length)
    if not 0 < length == len(said) <= MAX_HEAD_BYTES:
        raise ValueError("too short or too long")
    text = said.decode("utf-8" if version == (3, 0) else "latin-1")
    return ast.literal_eval(_LONG.sub(r"\1", text).strip())


MAX_NAME_LENGTH = 256
_END, _END_64 = b"PK\x05\x06", b"PK\x06\x07"
_MAX_COMMENT_BYTES = 2**16
# Of the directory for one array, with some room for other programs' notes.
_MAX_ENTRY_BYTES = 46 + MAX_NAME_LENGTH + 128
_ENCRYPTED = 1
_DAMAGE_ERRORS = (
    *(zipfile.BadZipFile, zlib.error, struct.error),
    *(EOFError, OSError, OverflowError, RuntimeError, ValueError),
)


class NpzArchive:
    """An open .npz file with at most `max_arrays`, which unpack to at most `max_bytes`. Raises:
    FileError.

    The headers of its arrays, and their numbers, are read on request.
    """

    def __init__(self, file: BinaryIO, max_arrays: int, max_bytes: int) -> None:
        _check_directory(file, max_arrays)
        try:
            self._archive = zipfile.ZipFile(file)
        except _DAMAGE_ERRORS as error:
            _refuse("its directory is damaged", error)
        infos = self._archive.infolist()
        check_array_names([info.filename for info in infos], max_arrays)
        self._infos = {info.filename.removesuffix(".npy"): info for info in infos}
        if len(self._infos) != len(infos):
            _refuse("two of its members have the same name")
        total = sum(info.file_size for info in infos)
        if total > max_bytes:
            raise FileError(
                f"The file unpacks to {total:,} bytes, but at most {max_bytes:,} are read: leave"
                " some arrays out"
            )

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the members, without .npy."""
        return tuple(self._infos)

    def head(self, name: str) -> NpyHead:
        """Type and shape of one array; its member must have exactly the bytes that these need."""
        info = self._infos[name]
        if not info.filename.endswith(".npy"):
            _refuse(f"{name!r} is not an array")
        if info.flag_bits & _ENCRYPTED:
            _refuse(f"{name!r} is encrypted")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            _refuse(f"{name!r} is compressed in a way that NumPy does not use")
        try:
            with self._archive.open(info) as stream:
                head = read_npy_head(stream, repr(name))
        except FileError:
            raise
        except _DAMAGE_ERRORS as error:
            _refuse(f"{name!r} is damaged", error)
        if head.length + head.n_bytes != info.file_size:
            held = info.file_size - head.length
            _refuse(
                f"{name!r} of shape {head.shape} needs {head.n_bytes:,} bytes of numbers, but has"
                f" {held:,}"
            )
        return head

    def read(self, name: str, head: NpyHead) -> Array:
        """One array, read-only; head: from `head(name)`."""
        try:
            with self._archive.open(self._infos[name]) as stream:
                stream.read(head.length)
                return head.array(stream.read(head.n_bytes))
        except _DAMAGE_ERRORS as error:
            _refuse(f"{name!r} is damaged", error)


def check_array_names(names: Iterable[str], max_arrays: int) -> None:
    """A file holds at most `max_arrays`, with short printable names. Raises: FileError."""
    listed = tuple(names)
    if len(listed) > max_arrays:
        raise FileError(
            f"The file holds {len(listed):,} arrays, but at most {max_arrays:,} are read: leave"
            " some out"
        )
    for name in listed:
        if len(name) > MAX_NAME_LENGTH or not name.isprintable():
            raise FileError(
                f"The name of an array, {name[:40]!r}…, must have at most {MAX_NAME_LENGTH}"
                " printable characters: rename it"
            )


def _check_directory(file: BinaryIO, max_arrays: int) -> None:
    """The directory is short enough to be read; a file can have millions of empty members. Raises:
    FileError.
    """
    file.seek(0)
    start, size = file.read(4), file.seek(0, 2)
    file.seek(max(0, size - _MAX_COMMENT_BYTES - 22 - 20))
    tail = file.read()
    place = tail.rfind(_END)
    if start != b"PK\x03\x04" or place < 0 or len(tail) < place + 22:
        _refuse("its beginning or its directory is missing: it is cut off, or another kind of file")
    length = int.from_bytes(tail[place + 12 : place + 16], "little")
    if length > max_arrays * _MAX_ENTRY_BYTES or _END_64 in tail[max(0, place - 20) : place]:
        raise FileError(
            f"The file lists more than {max_arrays:,} arrays, or its directory is too large:"
            " leave some arrays out"
        )


def _refuse(reason: str, cause: Exception | None = None) -> NoReturn:
    raise FileError(
        f"The file cannot be read as .npz, because {reason}; write it with numpy.savez"
    ) from cause
