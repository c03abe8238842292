"""Matrices and biases from an NPZ file, NumPy's zip of arrays, and into one.

Nothing in the file is trusted: the zip directory and each array's header are checked before any number is read, so
that a small file cannot unpack into a huge one, and an array of Python objects, which could run code, is refused.
Source of the format: NumPy manual, numpy.lib.format; PKWARE APPNOTE 6.3, section 4.3.16 (end of the directory).
"""

from __future__ import annotations

import ast
import io
import math
import re
import struct
import zipfile
import zlib
from collections.abc import Mapping
from typing import IO, Any

import numpy as np

from ..checks import Array
from ..errors import AttentionError, FileError
from .matrix_names import ALL_SYMBOLS, check_matrix_shape, matrix_named

MAX_MEMBERS = 64
MAX_UNPACKED = 64 * 2**20
EXACT_INTEGERS = 2**53  # beyond it float64 leaves whole numbers out

_END_SIZE = 22
_DIRECTORY_ENTRY = 512  # bytes of the directory for one array with a name of ordinary length
_LONGEST_HEADER = 4096
_TYPE = re.compile(r"[<>=|]?(?:f[248]|[iu][1248])")
_DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, RuntimeError, ValueError)


def read_npz(data: bytes) -> tuple[dict[str, Array], tuple[str, ...]]:
    """The matrices of an NPZ file as float64, and the names of the arrays that are none of ours and were left unread.

    Names may be in any case, with or without the underscore; "inputs" is X. An array with one axis of length 1 in
    front is a matrix too, so that a downloaded trace can be read. Raises: FileError, ShapeError.
    """
    _check_directory(data)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            _check_members(members)
            wanted = {info: matrix_named(_title(info)) for info in members}
            matrices: dict[str, Array] = {}
            for info, name in wanted.items():
                if name in matrices:
                    raise FileError(f"The file holds {ALL_SYMBOLS[name]} twice; leave one of them out")
                if name:
                    with archive.open(info) as file:
                        matrices[name] = _read_matrix(file, name, info.file_size)
            return matrices, tuple(_title(info) for info, name in wanted.items() if not name)
    except AttentionError:
        raise
    except _DAMAGE as error:
        raise FileError("The NPZ file is damaged and cannot be read; save it again with numpy.savez") from error


def write_npz(matrices: Mapping[str, Array]) -> bytes:
    """The matrices as an NPZ file with the names X, W_Q to W_O and b_Q to b_O."""
    buffer = io.BytesIO()
    named: dict[str, Any] = {ALL_SYMBOLS[name]: matrix for name, matrix in matrices.items()}
    np.savez_compressed(buffer, **named)
    return buffer.getvalue()


def _title(info: zipfile.ZipInfo) -> str:
    return info.filename.removesuffix(".npy")


def _check_directory(data: bytes) -> None:
    """Whether the zip directory is small, before it is read: a large one costs seconds and a gigabyte."""
    end = data[-_END_SIZE:]
    if data[:4] != b"PK\x03\x04" or len(end) < _END_SIZE or end[:4] != b"PK\x05\x06" or end[-2:] != b"\0\0":
        raise FileError("The file is no whole NPZ file: it is cut off or something else; save it with numpy.savez")
    n_members, directory_size = struct.unpack("<HI", end[10:16])
    zip64 = data[-_END_SIZE - 20 : -_END_SIZE - 16] == b"PK\x06\x07"
    if zip64 or n_members > MAX_MEMBERS or directory_size > MAX_MEMBERS * _DIRECTORY_ENTRY:
        raise FileError(f"The file holds more than {MAX_MEMBERS} arrays; only X, W_Q to W_O and b_Q to b_O are needed")


def _check_members(members: list[zipfile.ZipInfo]) -> None:
    if len(members) > MAX_MEMBERS:
        raise FileError(f"The file holds {len(members)} arrays but may hold at most {MAX_MEMBERS}")
    unpacked = sum(info.file_size for info in members)
    if unpacked > MAX_UNPACKED:
        raise FileError(f"The file unpacks to {unpacked:,} bytes but may unpack to at most {MAX_UNPACKED:,}")
    for info in members:
        if info.flag_bits & 1:
            raise FileError(f"{_title(info)[:40]!r} in the file is encrypted; save it without a password")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise FileError(f"{_title(info)[:40]!r} in the file is packed in a way NumPy does not use; save it again")


def _read_matrix(file: IO[bytes], name: str, size: int) -> Array:
    """One matrix from its .npy member of `size` bytes; the header is checked before the numbers are read."""
    symbol = ALL_SYMBOLS[name]
    dtype, fortran_order, shape, header_size = _read_header(file, symbol)
    check_matrix_shape(name, shape[1:] if len(shape) == 3 and shape[0] == 1 else shape)
    expected = math.prod(shape) * dtype.itemsize
    if size != header_size + expected:
        raise FileError(f"{symbol} must hold {expected:,} bytes of numbers but holds {size - header_size:,}")
    array = np.frombuffer(file.read(expected), dtype).reshape(shape, order="F" if fortran_order else "C")
    if dtype.kind in "iu" and (array.max() > EXACT_INTEGERS or array.min() < -EXACT_INTEGERS):
        raise FileError(f"{symbol} holds whole numbers beyond 2^53, which would be rounded; save it as float64")
    return array.reshape(shape[-2:]).astype(np.float64)


def _read_header(file: IO[bytes], symbol: str) -> tuple[np.dtype, bool, tuple[int, ...], int]:
    """Number type, Fortran order, shape, and how many bytes all of this took."""
    start = file.read(8)
    if start[:6] != b"\x93NUMPY" or start[6:] not in (b"\1\0", b"\2\0", b"\3\0"):
        raise FileError(f"{symbol} in the file is no NumPy array; save it with numpy.savez")
    width = 2 if start[6] == 1 else 4
    length = int.from_bytes(file.read(width), "little")
    if length > _LONGEST_HEADER:
        raise FileError(f"The header of {symbol} has {length:,} bytes but may have at most {_LONGEST_HEADER:,}")
    try:
        header = ast.literal_eval(file.read(length).decode("latin-1").strip())
        descr, fortran_order, shape = header["descr"], header["fortran_order"], header["shape"]
    except (SyntaxError, ValueError, TypeError, KeyError, MemoryError, RecursionError) as error:
        raise FileError(f"The header of {symbol} is damaged; save the file again with numpy.savez") from error
    if not isinstance(descr, str) or not _TYPE.fullmatch(descr):
        raise FileError(_refused(symbol, descr))
    whole = isinstance(shape, tuple) and all(type(length) is int for length in shape)
    if not whole or not isinstance(fortran_order, bool):
        raise FileError(f"The header of {symbol} gives no shape that can be read; save the file again")
    return np.dtype(descr), fortran_order, shape, 8 + width + length


def _refused(symbol: str, descr: object) -> str:
    """Why numbers of this type are not read. A descr is a code such as "<f8", or a list for records."""
    kinds = {"O": "Python objects, which could run code", "U": "text", "S": "text", "b": "yes and no", "c": "complex"}
    letter = re.sub("[^A-Za-z]", "", descr)[:1] if isinstance(descr, str) else ""
    kind = kinds.get(letter, "an unusual type of number")
    return f"{symbol} holds {kind}, not real numbers; save it as float64: numpy.asarray(matrix, dtype=float)"
