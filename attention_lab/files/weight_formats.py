"""Files of weights: the first bytes decide which format a file has, and its header decides what is
read and what is refused, before any array is read.

Both formats hold only numbers and text. A pickle can hold a program, so pickles are refused. Every
member of NumPy's .npz is an array, and all headers are read at once. A safetensors file holds the
length of its header in eight bytes, the header as JSON, then the bytes of the tensors, one after
another; each rule of the format is checked.
Source: https://github.com/huggingface/safetensors, section Format of its README.
"""

import json
import math
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path, PurePath
from typing import Any, BinaryIO, NoReturn
from weakref import finalize

import numpy as np

from attention_core.checks import Array
from attention_core.errors import FileError

from .file_checks import is_possible_shape
from .json_file import JsonFile
from .npz import MAX_NAME_LENGTH, NpzArchive, check_array_names

MAX_WEIGHT_BYTES = 600_000_000
MAX_TENSORS = 4096
MAX_HEADER_BYTES = 2**22  # room for 4096 tensors with long names
PICKLE_ENDINGS = (".pt", ".pth", ".bin", ".ckpt", ".pkl", ".pickle")


class WeightFile(ABC):
    """An open file: the name, shape and type of every array of numbers are known, and each array
    is read on request.
    """

    shapes: Mapping[str, tuple[int, ...]]
    types: Mapping[str, np.dtype[np.generic]]

    def n_bytes(self, name: str) -> int:
        """The bytes of an array in memory: eight for a number of 64 bits, four for any other."""
        return bytes_read(self.shapes[name], self.types[name].itemsize)

    @property
    @abstractmethod
    def labels(self) -> tuple[str, ...]:
        """The token labels in the file, or none."""

    @abstractmethod
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


def pickle_error(name: str) -> FileError:
    """The error for a pickle, with the two lines of Python that convert it."""
    target = f"{PurePath(name).stem or 'weights'}.safetensors"
    return FileError(
        f"{name} is a pickle. Opening a pickle runs any program in it, so it is not opened. If you"
        " trust it, convert it with two lines of Python:\nimport torch,"
        f" safetensors.torch\nsafetensors.torch.save_file(torch.load({_quoted(name)},"
        f" weights_only=True), {_quoted(target)})"
    )


class NpzFile(WeightFile):
    """An open .npz file. Raises: FileError if it holds anything but arrays of numbers or text, or
    exceeds a limit.
    """

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._archive = NpzArchive(file, MAX_TENSORS, MAX_WEIGHT_BYTES)
        if any(member.endswith(".pkl") for member in self._archive.names):
            raise pickle_error(name)
        self._heads = {member: self._archive.head(member) for member in self._archive.names}
        numbers = {name: head for name, head in self._heads.items() if head.dtype.kind != "U"}
        self.shapes = {name: head.shape for name, head in numbers.items()}
        self.types = {name: head.dtype for name, head in numbers.items()}

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

    def read(self, name: str) -> Array:
        """One array in native byte order; half precision becomes float32."""
        array = self._archive.read(name, self._heads[name])
        if array.dtype.kind != "f":
            return array
        return array.astype(np.float64 if array.dtype.itemsize == 8 else np.float32, copy=False)


_HEADER = JsonFile("safetensors header", "", 0, "save it again", MAX_HEADER_BYTES, MAX_HEADER_BYTES)
# F64 to F16, I64 to I8 and U64 to U8; BF16 is the upper half of a float32.
_TYPES = {
    f"{kind}{8 * size}": np.dtype(f"<{kind.lower()}{size}")
    for kind, sizes in (("F", (8, 4, 2)), ("I", (8, 4, 2, 1)), ("U", (8, 4, 2, 1)))
    for size in sizes
} | {"BF16": np.dtype("<u2"), "BOOL": np.dtype("?")}


@dataclass(frozen=True)
class _Tensor:
    kind: str
    shape: tuple[int, ...]
    begin: int
    end: int


class SafetensorsFile(WeightFile):
    """An open safetensors file. Raises: FileError if its header breaks a rule of the format or
    exceeds a limit.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._map: Any = None
        size = file.seek(0, 2)
        file.seek(0)
        length = int.from_bytes(file.read(8), "little")
        if size < 10 or not 2 <= length <= size - 8:
            _refuse(f"its header should have {length:,} bytes, but the file has {size:,}")
        if length > MAX_HEADER_BYTES:
            _refuse(f"its header has {length:,} bytes, and at most {MAX_HEADER_BYTES:,} are read")
        self._start = 8 + length
        text = file.read(length)
        if text[:1] != b"{":
            _refuse("its header is not a JSON object")
        header = _HEADER.parse(text)
        self._metadata = header.pop("__metadata__", {})
        if not isinstance(self._metadata, dict) or not _all_texts(self._metadata.values()):
            _refuse("its metadata is not a table of texts")
        check_array_names(header, MAX_TENSORS)
        self._tensors = {name: _tensor(name, entry) for name, entry in header.items()}
        _check_layout(self._tensors, size - self._start)
        self.shapes = {name: tensor.shape for name, tensor in self._tensors.items()}
        self.types = {name: _TYPES[tensor.kind] for name, tensor in self._tensors.items()}

    @property
    def labels(self) -> tuple[str, ...]:
        """The metadata's "tokens", a JSON list of words."""
        try:
            words = json.loads(self._metadata.get("tokens", "[]"))
        except (ValueError, RecursionError):
            words = None
        if not isinstance(words, list) or not _all_texts(words):
            raise FileError(
                'The metadata\'s "tokens" must be a JSON list of words, such as ["the", "cat"]'
            )
        return tuple(words)

    def read(self, name: str) -> Array:
        """One tensor; half precision becomes float32."""
        tensor = self._tensors[name]
        self._file.seek(self._start + tensor.begin)
        data = self._file.read(tensor.end - tensor.begin)
        if len(data) != tensor.end - tensor.begin:
            _refuse(f"it ends within {name!r}")
        array: Array = np.ndarray(tensor.shape, _TYPES[tensor.kind], data)
        if tensor.kind == "BF16":
            wide = array.astype(np.uint32)
            wide <<= 16
            return wide.view(np.float32)
        return array.astype(np.float32) if tensor.kind == "F16" else array

    def kind(self, name: str) -> str:
        """The type of a tensor's numbers as the format names it, such as BF16."""
        return self._tensors[name].kind

    def mapped(self, name: str) -> Array:
        """One tensor as it stands in the file, without a copy: the system reads it when it is used.
        It cannot be written to. The file must be one of the disk, and stay as it is.
        """
        from mmap import ACCESS_READ, mmap  # a browser's Python may have none, and maps no file

        tensor = self._tensors[name]
        if self._map is None:
            self._map = mmap(self._file.fileno(), 0, access=ACCESS_READ)
        dtype = _TYPES[tensor.kind]
        start = self._start + tensor.begin
        flat = np.frombuffer(self._map, dtype, math.prod(tensor.shape), start)
        return flat.reshape(tensor.shape)


def _all_texts(values: Iterable[Any]) -> bool:
    return all(isinstance(one, str) for one in values)


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
    itemsize = _TYPES[kind].itemsize
    if not _whole_numbers(shape) or not is_possible_shape(shape, itemsize):
        _refuse(f"{name!r} has the impossible shape {shape!r:.80}")
    if not _whole_numbers(offsets) or len(offsets) != 2:
        _refuse(f"{name!r} has the impossible offsets {offsets!r:.80}")
    begin, end = offsets
    expected = math.prod(shape) * itemsize
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


def _open_path(path: Path, name: str) -> WeightFile:
    """The file at a path, which stays open as long as it is used: arrays are read on request."""
    try:
        handle = path.open("rb")
    except (OSError, ValueError) as error:
        raise FileError(f"{path.name} cannot be opened: {error}") from error
    try:
        weights = open_weights(handle, name or path.name)
    except FileError:
        handle.close()
        raise
    finalize(weights, handle.close)
    return weights


def open_weights(file: BinaryIO | str | PathLike[str], name: str = "") -> WeightFile:
    """A file as .safetensors or .npz, as its first bytes say. file: open, or its path. name: what
    the user calls it.

    Raises: FileError for pickles, for other kinds of file, for files that are damaged or too large,
    and for a path where there is none.
    """
    if isinstance(file, (str, PathLike)):
        return _open_path(Path(file), name)
    name = PurePath(name).name
    if len(name) > MAX_NAME_LENGTH or not name.isprintable():
        raise FileError(
            f"The file's name must have at most {MAX_NAME_LENGTH} printable characters: rename it"
        )
    size = file.seek(0, 2)
    if size > MAX_WEIGHT_BYTES:
        raise FileError(
            f"{name} has {size:,} bytes, but at most {MAX_WEIGHT_BYTES:,} are read: save the"
            " layer you want alone"
        )
    file.seek(0)
    start = file.read(300)
    if start[8:9] == b"{":
        return SafetensorsFile(file)
    # PyTorch's archives begin with their pickle; its older files are pickles.
    if start[:1] == b"\x80" or b"/data.pkl" in start:
        raise pickle_error(name)
    if start[:4] == b"PK\x03\x04":
        return NpzFile(file, name)
    if PurePath(name).suffix.lower() in PICKLE_ENDINGS:  # the oldest ones have no fixed first bytes
        raise pickle_error(name)
    if not start:
        raise FileError(f"{name} is empty: save or copy it again")
    raise FileError(
        f"By its first bytes, {name} is neither .safetensors nor .npz; save the weights as one of"
        " them"
    )
