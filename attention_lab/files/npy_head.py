"""The header of an .npy file: type, shape and order of the numbers.

NumPy reads the header and evaluates only literals. This module bounds its size, and refuses types
and shapes of which no array of numbers or text can be made.
"""

from __future__ import annotations

import io
import math
from dataclasses import dataclass
from tokenize import TokenError
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy

from attention_core.checks import Array
from attention_core.errors import FileError

from .file_checks import is_possible_shape

MAX_HEAD_BYTES = 4_000  # NumPy writes 118, rarely more
_READERS: dict[tuple[int, int], Any] = {
    (1, 0): npy.read_array_header_1_0,
    (2, 0): npy.read_array_header_2_0,
    (3, 0): npy.read_array_header_2_0,  # differs only in the names of records, in UTF-8
}
_REFUSED_TYPES = {
    "O": "Python objects, which could run programs",
    "c": "complex numbers",
    "S": "text as bytes",
}
_REMEDIES = {"S": "as text: x.astype(str)"}


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
    start = io.BytesIO(stream.read(MAX_HEAD_BYTES + npy.MAGIC_LEN + 4))
    try:
        shape, fortran_order, dtype = _READERS[npy.read_magic(start)](start)
    except (ValueError, KeyError, TypeError, MemoryError, RecursionError, TokenError) as error:
        raise FileError(
            f"{called} does not begin with the header of a NumPy array of at most"
            f" {MAX_HEAD_BYTES:,} bytes; save it as float64 with numpy.save or numpy.savez"
        ) from error
    if dtype.kind not in "biufU" or (dtype.kind != "U" and dtype.itemsize > 8):
        held = _REFUSED_TYPES.get(dtype.kind, "an unusual type of number")
        remedy = _REMEDIES.get(dtype.kind, "as float64: numpy.asarray(x, dtype=float)")
        raise FileError(f"{called} holds {held}, which are not read; save it {remedy}")
    possible = all(type(size) is int and size >= 0 for size in shape)
    if not possible or dtype.itemsize == 0 or not is_possible_shape(shape, dtype.itemsize):
        raise FileError(f"{called} has an impossible type or shape; save it with numpy.save again")
    return NpyHead(dtype, shape, fortran_order, start.tell())
