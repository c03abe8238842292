"""NumPy's .npz, a ZIP archive of .npy arrays, and how it is guarded: nothing that it says about
itself is believed.

The end of the directory is read before the directory, the directory before the heads of the arrays,
and these before any number, each only when it is small enough. Nothing is unpickled, and nothing
unpacks to more than it said.
Source: PKWARE's ZIP specification (APPNOTE), section 4.3.16; the NumPy manual, numpy.lib.format.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterable
from typing import BinaryIO, NoReturn

from attention_core.checks import Array
from attention_core.errors import FileError

from .npy_head import NpyHead, read_npy_head

MAX_NAME_LENGTH = 256
_END, _END_64 = b"PK\x05\x06", b"PK\x06\x07"
_LONGEST_COMMENT = 2**16
_ENTRY = (
    46 + MAX_NAME_LENGTH + 128
)  # bytes of the directory for one array, with some room for other programs' notes
_ENCRYPTED = 1
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    NotImplementedError,
    OverflowError,
    RuntimeError,
    ValueError,
    struct.error,
)


class NpzArchive:
    """An open .npz file with at most `most_arrays`, which unpack to at most `most_bytes`. Raises:
    FileError.

    The heads of its arrays, and their numbers, are read when asked for.
    """

    def __init__(self, file: BinaryIO, most_arrays: int, most_bytes: int) -> None:
        _check_directory(file, most_arrays)
        try:
            self._archive = zipfile.ZipFile(file)
        except _DAMAGE as error:
            _refuse("its directory is damaged", error)
        infos = self._archive.infolist()
        check_names([info.filename for info in infos], most_arrays)
        self._infos = {info.filename.removesuffix(".npy"): info for info in infos}
        if len(self._infos) != len(infos):
            _refuse("two of its members have the same name")
        total = sum(info.file_size for info in infos)
        if total > most_bytes:
            raise FileError(
                f"The file unpacks to {total:,} bytes, but at most {most_bytes:,} are read: save"
                " less"
            )

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the members, an array's without .npy."""
        return tuple(self._infos)

    def head(self, name: str) -> NpyHead:
        """Type and shape of one array, which need exactly the bytes that its member has."""
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
        except _DAMAGE as error:
            _refuse(f"{name!r} is damaged", error)
        if head.length + head.n_bytes != info.file_size:
            held = info.file_size - head.length
            _refuse(
                f"{name!r} of shape {head.shape} needs {head.n_bytes:,} bytes of numbers, but has"
                f" {held:,}"
            )
        return head

    def read(self, name: str, head: NpyHead) -> Array:
        """One array, whose head has been read; read-only."""
        try:
            with self._archive.open(self._infos[name]) as stream:
                stream.read(head.length)
                return head.array(stream.read(head.n_bytes))
        except _DAMAGE as error:
            _refuse(f"{name!r} is damaged", error)


def check_names(names: Iterable[str], most: int) -> None:
    """Whether the arrays of a file are few enough to be listed, and their names short enough to be
    said.

    Raises: FileError.
    """
    listed = tuple(names)
    if len(listed) > most:
        raise FileError(
            f"The file holds {len(listed):,} arrays, but at most {most:,} are read: leave some out"
        )
    for name in listed:
        if len(name) > MAX_NAME_LENGTH or not name.isprintable():
            raise FileError(
                f"The file names an array {name[:40]!r}…, but a name has at most {MAX_NAME_LENGTH}"
                " characters, all of which can be shown: rename it"
            )


def _check_directory(file: BinaryIO, most_arrays: int) -> None:
    """Whether the list of members is short enough to be read: a file can have millions of empty
    ones.
    """
    file.seek(0)
    start, size = file.read(4), file.seek(0, 2)
    file.seek(max(0, size - _LONGEST_COMMENT - 22 - 20))
    tail = file.read()
    place = tail.rfind(_END)
    if start != b"PK\x03\x04" or place < 0 or len(tail) < place + 22:
        _refuse("it has no beginning or no directory: it is cut off or something else")
    length = int.from_bytes(tail[place + 12 : place + 16], "little")
    if length > most_arrays * _ENTRY or _END_64 in tail[max(0, place - 20) : place]:
        raise FileError(
            f"The file lists more than {most_arrays:,} arrays, or says very much of them: leave"
            " some out"
        )


def _refuse(reason: str, cause: Exception | None = None) -> NoReturn:
    raise FileError(
        f"The file cannot be read as .npz, because {reason}; write it with numpy.savez"
    ) from cause
