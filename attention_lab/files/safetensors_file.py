"""The safetensors format: the length of the header in eight bytes, the header as JSON, then the
bytes of the tensors, one after another.

Source: https://github.com/huggingface/safetensors, section Format of its README. Each of its rules
is checked here.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, BinaryIO, NoReturn

import numpy as np

from attention_core.checks import Array
from attention_core.errors import FileError

from .file_checks import is_possible_shape
from .npz_archive import check_array_names
from .weight_file import MAX_HEADER_BYTES, MAX_TENSORS, bytes_read, file_size

# BF16 is the upper half of a float32.
_TYPES = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "BF16": "<u2",
    "I64": "<i8",
    "U64": "<u8",
    "I32": "<i4",
    "U32": "<u4",
    "I16": "<i2",
    "U16": "<u2",
    "I8": "i1",
    "U8": "u1",
    "BOOL": "?",
}


@dataclass(frozen=True)
class _Tensor:
    kind: str
    shape: tuple[int, ...]
    begin: int
    end: int


class SafetensorsFile:
    """An open safetensors file. Raises: FileError if its header breaks a rule of the format or
    exceeds a limit.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        size = file_size(file)
        file.seek(0)
        length = int.from_bytes(file.read(8), "little")
        if size < 10 or not 2 <= length <= size - 8:
            _refuse(f"its header should have {length:,} bytes, but the file has {size:,}")
        if length > MAX_HEADER_BYTES:
            _refuse(f"its header has {length:,} bytes, and at most {MAX_HEADER_BYTES:,} are read")
        self._start = 8 + length
        header = _parse(file.read(length))
        self._metadata = _metadata(header.pop("__metadata__", {}))
        check_array_names(header, MAX_TENSORS)
        self._tensors = {name: _tensor(name, entry) for name, entry in header.items()}
        _check_layout(self._tensors, size - self._start)

    @cached_property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The name and shape of every tensor."""
        return {name: tensor.shape for name, tensor in self._tensors.items()}

    @property
    def labels(self) -> tuple[str, ...]:
        """The metadata's "tokens", a JSON list of words."""
        try:
            words = json.loads(self._metadata.get("tokens", "[]"))
        except (ValueError, RecursionError):
            words = None
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise FileError(
                'The metadata\'s "tokens" must be a JSON list of words, such as ["the", "cat"]'
            )
        return tuple(words)

    def n_bytes(self, name: str) -> int:
        """The bytes of a tensor in memory."""
        tensor = self._tensors[name]
        return bytes_read(tensor.shape, np.dtype(_TYPES[tensor.kind]).itemsize)

    def read(self, name: str) -> Array:
        """One tensor; half precision becomes float32."""
        tensor = self._tensors[name]
        self._file.seek(self._start + tensor.begin)
        data = self._file.read(tensor.end - tensor.begin)
        if len(data) != tensor.end - tensor.begin:
            _refuse(f"it ends within {name!r}")
        array: Array = np.ndarray(tensor.shape, _TYPES[tensor.kind], data)
        if tensor.kind == "BF16":
            return (array.astype(np.uint32) << 16).view(np.float32)
        return array.astype(np.float32) if tensor.kind == "F16" else array


def _parse(text: bytes) -> dict[str, Any]:
    """The header as a dictionary. Raises: FileError if a name occurs twice."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) != len(pairs):
            _refuse("a name occurs twice in its header")
        return dict(pairs)

    try:
        header = json.loads(text.decode("utf-8"), object_pairs_hook=unique)
    except FileError:
        raise
    except (ValueError, RecursionError):
        _refuse("its header is not JSON")
    if not isinstance(header, dict):
        _refuse("its header is not a JSON object")
    return header


def _metadata(entry: Any) -> dict[str, str]:
    if not isinstance(entry, dict) or not all(isinstance(text, str) for text in entry.values()):
        _refuse("its metadata is not a table of texts")
    return entry


def _tensor(name: str, entry: Any) -> _Tensor:
    """One entry of the header; every part of it is checked."""
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        _refuse(f"{name!r} must have a dtype, a shape and data_offsets")
    kind, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(kind, str) or kind not in _TYPES:
        raise FileError(
            f"{name!r} holds numbers of type {kind!r:.40}, which this app does not read; convert"
            " them to F32"
        )
    if not _whole_numbers(shape) or not is_possible_shape(shape, np.dtype(_TYPES[kind]).itemsize):
        _refuse(f"{name!r} has the impossible shape {shape!r:.80}")
    if not _whole_numbers(offsets) or len(offsets) != 2:
        _refuse(f"{name!r} has the impossible offsets {offsets!r:.80}")
    begin, end = offsets
    expected = math.prod(shape) * np.dtype(_TYPES[kind]).itemsize
    if end - begin != expected:
        _refuse(
            f"{name!r} of shape {tuple(shape)} needs {expected:,} bytes, but has {end - begin:,}"
        )
    return _Tensor(kind, tuple(shape), begin, end)


def _whole_numbers(values: Any) -> bool:
    return isinstance(values, list) and all(
        type(value) is int and 0 <= value < 2**63 for value in values
    )


def _check_layout(tensors: dict[str, _Tensor], n_bytes: int) -> None:
    """The tensors fill the rest of the file, without gaps and without overlaps."""
    position = 0
    for name, tensor in sorted(tensors.items(), key=lambda item: (item[1].begin, item[1].end)):
        if tensor.begin != position:
            _refuse(f"{name!r} begins at byte {tensor.begin:,}, with an overlap or a gap before it")
        position = tensor.end
    if position != n_bytes:
        _refuse(f"its tensors need {position:,} bytes, but {n_bytes:,} follow the header")


def _refuse(reason: str) -> NoReturn:
    raise FileError(f"The file cannot be read as safetensors, because {reason}; save it again")
