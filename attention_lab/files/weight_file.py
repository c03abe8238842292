"""Files of weights: the header decides what is read and what is refused, before any array is read.

Both formats hold only numbers and text. A pickle can hold a program, so pickles are refused.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import PurePath
from typing import BinaryIO, Protocol

from attention_core.checks import Array
from attention_core.errors import FileError

MAX_WEIGHT_BYTES = 600_000_000
MAX_TENSORS = 4096
MAX_HEADER_BYTES = 2**22  # room for 4096 tensors with long names
PICKLE_ENDINGS = (".pt", ".pth", ".bin", ".ckpt", ".pkl", ".pickle")


class WeightFile(Protocol):
    """An open file: the shapes of its arrays are known, and each array is read on request."""

    @property
    def shapes(self) -> Mapping[str, tuple[int, ...]]:
        """The name and shape of every array."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The token labels in the file, or none."""

    def n_bytes(self, name: str) -> int:
        """The bytes of an array in memory: eight for a number of 64 bits, four for any other."""

    def read(self, name: str) -> Array:
        """One array; floating-point numbers are float32 or float64. Raises: FileError."""


def _quoted(name: str) -> str:
    """A name as a Python literal, whatever quotes are in it."""
    return json.dumps(name, ensure_ascii=False)


def bytes_read(shape: tuple[int, ...], itemsize: int) -> int:
    """The bytes of an array in memory: in 32 bits, or in 64 bits where the file has them.

    >>> bytes_read((2, 3), 2), bytes_read((2, 3), 8)
    (24, 48)
    """
    return math.prod(shape) * max(4, itemsize)


def file_size(file: BinaryIO) -> int:
    """The size of a file in bytes."""
    return file.seek(0, 2)


def pickle_error(name: str) -> FileError:
    """The error for a pickle, with the two lines of Python that convert it."""
    target = f"{PurePath(name).stem or 'weights'}.safetensors"
    return FileError(
        f"{name} is a pickle. Opening a pickle runs any program in it, so it is not opened. If you"
        " trust it, convert it with two lines of Python:\nimport torch,"
        f" safetensors.torch\nsafetensors.torch.save_file(torch.load({_quoted(name)},"
        f" weights_only=True), {_quoted(target)})"
    )
