"""What an .npy file says at its head: type, shape and order of the numbers.

NumPy reads the head, which evaluates nothing but literals; here only its size is bounded, and what
it says is refused unless numbers or text of that shape can be made.
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
    (3, 0): npy.read_array_header_2_0,  # the same in UTF-8, which only names of records need
}
_HELD = {
    "O": "Python objects, which could run code",
    "c": "complex numbers",
    "S": "text as bytes",
}
_REMEDY = {"S": "as text: x.astype(str)"}


@dataclass(frozen=True)
class NpyHead:
    """Type and shape of an array, and where its numbers begin: length is the bytes before them."""

    dtype: np.dtype[np.generic]
    shape: tuple[int, ...]
    fortran_order: bool
    length: int

    @property
    def n_bytes(self) -> int:
        """How many bytes the numbers take."""
        return math.prod(self.shape) * self.dtype.itemsize

    def array(self, data: bytes) -> Array:
        """The array that these bytes are; read-only. Raises: FileError when they are too few."""
        if len(data) < self.n_bytes:
            raise FileError(
                f"The array ends before its {math.prod(self.shape):,} numbers; save it again"
            )
        return np.ndarray(self.shape, self.dtype, data, order="F" if self.fortran_order else "C")


def read_npy_head(stream: IO[bytes], called: str) -> NpyHead:
    """The head of an array, of which no more than its largest size is read from the stream.

    called: what the array is called in sentences.
    Raises: FileError for Python objects, for any other type, and for what is no array.
    """
    start = io.BytesIO(stream.read(MAX_HEAD_BYTES + npy.MAGIC_LEN + 4))
    try:
        shape, fortran_order, dtype = _READERS[npy.read_magic(start)](start)
    except (ValueError, KeyError, TypeError, MemoryError, RecursionError, TokenError) as error:
        raise FileError(
            f"{called} does not begin as NumPy's arrays of numbers do, within {MAX_HEAD_BYTES:,}"
            " bytes; save it as float64 with numpy.save or numpy.savez"
        ) from error
    if dtype.kind not in "biufU" or (dtype.kind != "U" and dtype.itemsize > 8):
        held = _HELD.get(dtype.kind, "an unusual type of number")
        remedy = _REMEDY.get(dtype.kind, "as float64: numpy.asarray(x, dtype=float)")
        raise FileError(f"{called} holds {held}, which are not read; save it {remedy}")
    possible = all(type(size) is int and size >= 0 for size in shape)
    if not possible or dtype.itemsize == 0 or not is_possible_shape(shape, dtype.itemsize):
        raise FileError(f"{called} has an impossible type or shape; save it with numpy.save again")
    return NpyHead(dtype, shape, fortran_order, start.tell())
