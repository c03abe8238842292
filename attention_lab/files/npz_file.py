"""NumPy's .npz as a file of weights: every member is an array, and all headers are read at once."""

from __future__ import annotations

import sys
from functools import cached_property
from typing import BinaryIO

import numpy as np

from attention_core.checks import Array
from attention_core.errors import FileError

from .npz_archive import NpzArchive
from .weight_file import MAX_HEADER_BYTES, MAX_TENSORS, MAX_WEIGHT_BYTES, bytes_read, pickle_error


class NpzFile:
    """An open .npz file. Raises: FileError if it holds anything but arrays of numbers or text, or
    exceeds a limit.
    """

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._archive = NpzArchive(file, MAX_TENSORS, MAX_WEIGHT_BYTES)
        if any(member.endswith(".pkl") for member in self._archive.names):
            raise pickle_error(name)
        self._heads = {member: self._archive.head(member) for member in self._archive.names}

    @cached_property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The name and shape of every array of numbers."""
        return {name: head.shape for name, head in self._heads.items() if head.dtype.kind != "U"}

    @property
    def labels(self) -> tuple[str, ...]:
        """The array "tokens", if it holds words; a first axis of length 1 is dropped."""
        head = self._heads.get("tokens")
        if head is None or head.dtype.kind != "U":
            return ()
        if len(head.shape) != 1 and (len(head.shape) != 2 or head.shape[0] != 1):
            raise FileError(
                f'"tokens" has shape {head.shape}, but must be a list of words, one for each'
                " position"
            )
        if head.n_bytes > MAX_HEADER_BYTES:
            raise FileError(
                f'"tokens" has {head.n_bytes:,} bytes, but labels may have at most'
                f" {MAX_HEADER_BYTES:,}: shorten them"
            )
        words = self._archive.read("tokens", head).reshape(-1)
        if words.view(f"{words.dtype.byteorder}u4").max(initial=0) > sys.maxunicode:
            raise FileError(
                '"tokens" holds a number that stands for no character; save the words again'
            )
        return tuple(map(str, words))

    def n_bytes(self, name: str) -> int:
        """The bytes of an array in memory."""
        head = self._heads[name]
        return bytes_read(head.shape, head.dtype.itemsize)

    def read(self, name: str) -> Array:
        """One array in native byte order; half precision becomes float32."""
        array = self._archive.read(name, self._heads[name])
        if array.dtype.kind != "f":
            return array
        return array.astype(np.float64 if array.dtype.itemsize == 8 else np.float32, copy=False)
