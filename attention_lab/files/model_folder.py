"""A folder of a model as Hugging Face saves it: its files, and the weights in one file or in parts.

Nothing in a folder is run. A file is read only if it lies in the folder, also behind links, and is
not larger than its kind may be.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fstat
from pathlib import Path
from typing import Any, BinaryIO
from weakref import finalize

import numpy as np

from attention_core.checks import Array
from attention_core.errors import FileError, short_repr

from .json_file import JsonFile, check_object
from .weight_formats import PICKLE_ENDINGS, SafetensorsFile, pickle_error

CONFIG, TOKENIZER, WEIGHTS = "config.json", "tokenizer.json", "model.safetensors"
INDEX = f"{WEIGHTS}.index.json"
MAX_TOKENIZER_BYTES = 2**26  # that of Gemma 3, with 262 thousand pieces, has 33 million
MAX_PARTS = 64
_REMEDY = "take the folder from its maker again"
_CONFIG = JsonFile(CONFIG, "", 0, _REMEDY, 2**20, 2**16)
_INDEX = JsonFile(INDEX, "", 0, _REMEDY, 2**22, 2**17)


class ModelFolder:
    """An open folder. path: an own string or path. Raises: FileError if it is no folder."""

    def __init__(self, path: str | PathLike[str]) -> None:
        try:
            self._root = Path(path).resolve(strict=True)
        except (OSError, ValueError, TypeError, RuntimeError) as error:
            raise FileError(
                f"folder is {short_repr(path)}, which cannot be found: give the path of a folder"
            ) from error
        if not self._root.is_dir():
            raise FileError(f"folder is {self._root.name}, which is a file: give its folder")

    @property
    def name(self) -> str:
        """The name of the folder."""
        return self._root.name

    def config(self) -> dict[str, Any]:
        """The entries of config.json. Raises: FileError."""
        return check_object(CONFIG, _CONFIG.parse(self._bytes(CONFIG, _CONFIG.max_bytes)))

    def tokenizer(self) -> str:
        """The text of tokenizer.json. Raises: FileError."""
        try:
            return self._bytes(TOKENIZER, MAX_TOKENIZER_BYTES).decode("utf-8")
        except UnicodeDecodeError as error:
            raise FileError(f"{TOKENIZER} is not in UTF-8: {_REMEDY}") from error

    def weights(self) -> FolderWeights:
        """The headers of the weights. Raises: FileError."""
        if self._has(WEIGHTS) or not self._has(INDEX):
            self._refuse_pickles()
            file = self._safetensors(WEIGHTS)
            return FolderWeights(dict.fromkeys(file.shapes, file))
        entries = check_object(INDEX, _INDEX.parse(self._bytes(INDEX, _INDEX.max_bytes)))
        places = check_object(f"weight_map in {INDEX}", entries.get("weight_map"))
        names = sorted({name for name in places.values() if isinstance(name, str)})
        if len(names) > MAX_PARTS or not all(isinstance(name, str) for name in places.values()):
            raise FileError(
                f"{INDEX} must name at most {MAX_PARTS} files, each by its name: {_REMEDY}"
            )
        files = {name: self._safetensors(name) for name in names}
        for name, place in places.items():
            if name not in files[place].shapes:
                raise FileError(f"{INDEX} says that {place} holds {name!r:.80}, but it does not")
        return FolderWeights({name: files[place] for name, place in places.items()})

    def _has(self, name: str) -> bool:
        return (self._root / name).is_file()

    def _refuse_pickles(self) -> None:
        """Raises: FileError if the weights are there as a pickle alone."""
        if not self._has(WEIGHTS):
            pickles = (path.name for path in self._root.glob("*model*.*"))
            for name in sorted(pickles):
                if Path(name).suffix in PICKLE_ENDINGS:
                    raise pickle_error(name)

    def _file(self, name: str) -> Path:
        """Where a file of the folder really lies. Raises: FileError."""
        if Path(name).name != name or "\\" in name or not name.isprintable():
            raise FileError(
                f"the folder names {short_repr(name)}, which is no file of its own: {_REMEDY}"
            )
        try:
            path = (self._root / name).resolve(strict=True)
        except (OSError, RuntimeError) as error:
            raise FileError(f"The folder {self._root.name} has no {name}: {_REMEDY}") from error
        if not path.is_relative_to(self._root):
            raise FileError(
                f"{name} is a link that leads out of the folder {self._root.name}: copy the file"
                " into it, or download the model into a folder of its own"
            )
        if not path.is_file():
            raise FileError(f"{name} in {self._root.name} is no file: {_REMEDY}")
        return path

    def _open(self, name: str) -> BinaryIO:
        try:
            return self._file(name).open("rb")
        except OSError as error:
            raise FileError(f"{name} cannot be opened: {error.strerror}") from error

    def _bytes(self, name: str, most: int) -> bytes:
        with self._open(name) as file:
            if (size := fstat(file.fileno()).st_size) > most:
                raise FileError(
                    f"{name} has {size:,} bytes, but at most {most:,} are read: {_REMEDY}"
                )
            return file.read(size)

    def _safetensors(self, name: str) -> SafetensorsFile:
        handle = self._open(name)
        try:
            file = SafetensorsFile(handle)
        except FileError as error:
            handle.close()
            raise FileError(f"{name}: {error}") from error
        finalize(file, handle.close)
        return file


class FolderWeights:
    """The arrays of all files of weights by their names; none is read before it is asked for."""

    def __init__(self, files: Mapping[str, SafetensorsFile]) -> None:
        self._files = files
        self.shapes = {name: file.shapes[name] for name, file in files.items()}
        self.kinds = {name: file.kind(name) for name, file in files.items()}

    def read(self, name: str) -> Array:
        """An array in float32, which cannot be written to: that of float32 is the file itself,
        mapped into memory, unless it begins at an odd place, which would make products slow.
        Raises: FileError.
        """
        file = self._files[name]
        if self.kinds[name] == "F32" and (mapped := file.mapped(name)).flags.aligned:
            return mapped
        array = file.read(name).astype(np.float32, copy=False)
        array.setflags(write=False)
        return array
