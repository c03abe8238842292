"""Opening a file of weights; its first bytes decide which format it has."""

from __future__ import annotations

from pathlib import PurePath
from typing import BinaryIO

from attention_core.errors import FileError

from .npz_archive import MAX_NAME_LENGTH
from .npz_file import NpzFile
from .safetensors_file import SafetensorsFile
from .weight_file import MAX_WEIGHT_BYTES, PICKLE_ENDINGS, WeightFile, file_size, pickle_error


def open_weights(file: BinaryIO, name: str) -> WeightFile:
    """An open file as .safetensors or .npz, as its first bytes say. name: what the user calls it.

    Raises: FileError for pickles, for other kinds of file, and for files that are damaged or too
    large.
    """
    name = PurePath(name).name
    if len(name) > MAX_NAME_LENGTH or not name.isprintable():
        raise FileError(
            f"The file's name must have at most {MAX_NAME_LENGTH} printable characters: rename it"
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
