"""Files with somebody else's arrays: what is read and what is refused, decided from the header
before any array is.

Neither format can hold anything but numbers and text. A pickle can hold a program, so pickles are
refused.
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
# Of a header: room for 4096 tensors with long names.
MAX_HEADER_BYTES = 2**22
PICKLES = (".pt", ".pth", ".bin", ".ckpt", ".pkl", ".pickle")


class WeightFile(Protocol):
    """An open file: the shapes of its arrays are known, each array is read when asked for."""

    @property
    def shapes(self) -> Mapping[str, tuple[int, ...]]:
        """The name and shape of every array."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Token labels stored beside the arrays, or none."""

    def n_bytes(self, name: str) -> int:
        """How many bytes an array takes once it is read: eight for a number of 64 bits, four
        for any other.
        """

    def read(self, name: str) -> Array:
        """One array, in float32 or float64 if it holds numbers with a fraction. Raises:
        FileError.
        """


def _quoted(name: str) -> str:
    """A name as Python's source has it, whatever quotes are in it."""
    return json.dumps(name, ensure_ascii=False)


def bytes_read(shape: tuple[int, ...], itemsize: int) -> int:
    """How many bytes an array takes that is kept in float32, or in 64 bits where the file has them.

    >>> bytes_read((2, 3), 2), bytes_read((2, 3), 8)
    (24, 48)
    """
    return math.prod(shape) * max(4, itemsize)


def file_size(file: BinaryIO) -> int:
    """The length of a file in bytes."""
    return file.seek(0, 2)


def pickle_error(name: str) -> FileError:
    """Why a pickle is refused, and the two lines that convert it."""
    target = f"{PurePath(name).stem or 'weights'}.safetensors"
    return FileError(
        f"{name} is a pickle, and opening a pickle runs whatever program it holds; it is not opened"
        " here. Where you trust it, two lines of Python convert it:\nimport torch,"
        f" safetensors.torch\nsafetensors.torch.save_file(torch.load({_quoted(name)},"
        f" weights_only=True), {_quoted(target)})"
    )
