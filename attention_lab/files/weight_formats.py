"""Which format a file of weights has: its first bytes say it."""

from __future__ import annotations

from pathlib import PurePath
from typing import BinaryIO

from attention_core.errors import FileError

from .npz_archive import MAX_NAME_LENGTH
from .npz_file import NpzFile
from .safetensors_file import SafetensorsFile
from .weight_file import MAX_WEIGHT_BYTES, PICKLES, WeightFile, file_size, pickle_error


def open_weights(file: BinaryIO, name: str) -> WeightFile:
    """The file behind `file`, called `name`, as .safetensors or .npz, whichever its first bytes say
    it is.

    Raises: FileError for pickles, for anything else, and for what is damaged or beyond the limits.
    """
    name = PurePath(name).name
    if len(name) > MAX_NAME_LENGTH or not name.isprintable():
        raise FileError(
            f"The file's name must have at most {MAX_NAME_LENGTH} characters that can all be shown:"
            " rename it"
        )
    size = file_size(file)
    if size > MAX_WEIGHT_BYTES:
        raise FileError(
            f"{name} has {size:,} bytes, but at most {MAX_WEIGHT_BYTES:,} are read: save the"
            " layer you want alone"
        )
    file.seek(0)
    start = file.read(300)
    if start[8:9] == b"{":
        return SafetensorsFile(file)
    # PyTorch's archives begin with their pickle, older files are one.
    if start[:1] == b"\x80" or b"/data.pkl" in start:
        raise pickle_error(name)
    if start[:4] == b"PK\x03\x04":
        return NpzFile(file, name)
    if PurePath(name).suffix.lower() in PICKLES:  # the oldest kinds begin in many ways
        raise pickle_error(name)
    if not start:
        raise FileError(f"{name} is empty: save or copy it again")
    raise FileError(
        f"{name} is neither .safetensors nor .npz by its first bytes; save the weights as one of"
        " them"
    )
