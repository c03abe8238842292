"""What an .npy file says at its head: type, shape and order of the numbers, read without evaluating
anything.

Source: the NumPy manual, numpy.lib.format.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import IO

import numpy as np

from attention_core.checks import Array
from attention_core.errors import FileError

from .file_checks import is_possible_shape

MAX_HEAD_BYTES = 2**16
# What NumPy writes, and only that; the type of a record is a list.
_SIZE = rb"(?:0|[1-9]\d{0,199})"
_SHAPE = rb"(?:%b, ?|%b(?:, ?%b){1,63},? ?)?" % (_SIZE, _SIZE, _SIZE)
_HEAD = re.compile(
    rb"\{'descr': (?P<type>'[^'\n]{1,99}'|\[[^\n]{1,999}?\]), 'fortran_order':"
    rb" (?P<order>True|False), "
    rb"'shape': \((?P<shape>%b)\),? ?\} *\n" % _SHAPE
)
_TYPE = re.compile("'([<>|=][?biufUSc]\\d{0,6})'", re.ASCII)
_AS_NUMBERS = "as float64: numpy.asarray(x, dtype=float)"
_KINDS = {"c": "complex numbers", "S": "text as bytes"}


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


def read_npy_head(stream: IO[bytes], said: str) -> NpyHead:
    """The head of an array; the stream then stands before the numbers. Numbers and text are read.

    said: what the array is called in sentences.
    Raises: FileError for Python objects, for any other type, and for what is no array.
    """
    start = stream.read(8)
    if len(start) < 8 or start[:6] != b"\x93NUMPY" or start[6] not in (1, 2, 3):
        raise FileError(f"{said} is no array of NumPy; save it with numpy.save or numpy.savez")
    width = 2 if start[6] == 1 else 4
    length = int.from_bytes(stream.read(width), "little")
    if length > MAX_HEAD_BYTES:
        raise FileError(
            f"{said} has a head of {length:,} bytes, but {MAX_HEAD_BYTES:,} are the most; save"
            " it again"
        )
    text = stream.read(length)
    found = _HEAD.fullmatch(text) if len(text) == length else None
    if found is None:
        raise FileError(
            f"{said} does not begin as NumPy's arrays of numbers do; save it with numpy.save again"
        )
    shape = tuple(map(int, re.findall(_SIZE, found["shape"])))
    dtype = _type(said, found["type"].decode("latin-1"), shape)
    return NpyHead(dtype, shape, found["order"] == b"True", 8 + width + length)


def _type(said: str, kind: str, shape: tuple[int, ...]) -> np.dtype[np.generic]:
    """The type that a head names, when NumPy can make an array of this shape of it."""
    if kind.strip("'|") == "O":
        raise FileError(
            f"{said} holds Python objects, which could run code and are not read; save numbers"
        )
    found = _TYPE.fullmatch(kind)
    try:
        dtype: np.dtype[np.generic] | None = np.dtype(found[1]) if found else None
    except TypeError:
        dtype = None
    if dtype is None or dtype.kind in _KINDS or (dtype.kind != "U" and dtype.itemsize > 8):
        letter = dtype.kind if dtype else ""
        held = _KINDS.get(letter, "an unusual type of number")
        remedy = "as text, where text is meant: x.astype(str)" if letter == "S" else _AS_NUMBERS
        raise FileError(f"{said} holds {held}, which is not read; save it {remedy}")
    if dtype.itemsize == 0 or not is_possible_shape(shape, dtype.itemsize):
        raise FileError(f"{said} has an impossible type or shape; save it again")
    return dtype
