"""Matrices and biases in an NPZ file, NumPy's ZIP of arrays: reading and writing."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import numpy as np

from attention_core.checks import Array
from attention_core.errors import FileError

from ..files.npz_archive import NpzArchive
from .matrix_names import ALL_SYMBOLS, MAX_UNPACKED_BYTES, check_matrix_shape, matrix_named

MAX_MEMBERS = 64

_NO_NUMBERS = {"b": "true and false", "U": "text"}


def read_npz(data: bytes) -> tuple[dict[str, Array], tuple[str, ...]]:
    """The matrices of an NPZ file as float64, and the names of the other arrays, which are not
    read.

    Names may be in any case, with or without the underscore; "inputs" is X. A first axis of length
    1 is dropped, so that a downloaded trace can be read. Raises: FileError, ShapeError.
    """
    archive = NpzArchive(io.BytesIO(data), MAX_MEMBERS, MAX_UNPACKED_BYTES)
    matrices: dict[str, Array] = {}
    unread = []
    for title in archive.names:
        name = matrix_named(title)
        if name is None:
            unread.append(title)
        elif name in matrices:
            raise FileError(f"The file holds {ALL_SYMBOLS[name]} twice; remove one of them")
        else:
            matrices[name] = _read_matrix(archive, title, name)
    return matrices, tuple(unread)


def write_npz(matrices: Mapping[str, Array]) -> bytes:
    """The matrices as an NPZ file with the names X, W_Q to W_O and b_Q to b_O."""
    buffer = io.BytesIO()
    named: dict[str, Any] = {ALL_SYMBOLS[name]: matrix for name, matrix in matrices.items()}
    np.savez_compressed(buffer, **named)
    return buffer.getvalue()


@np.errstate(invalid="ignore")  # a signalling NaN, which is refused later
def _read_matrix(archive: NpzArchive, title: str, name: str) -> Array:
    """One matrix; type and shape are checked before its numbers are read."""
    symbol, head = ALL_SYMBOLS[name], archive.head(title)
    is_batch_of_one = len(head.shape) == 3 and head.shape[0] == 1
    check_matrix_shape(name, head.shape[is_batch_of_one:])
    if kind := _NO_NUMBERS.get(head.dtype.kind):
        raise FileError(
            f"{symbol} holds {kind}, not real numbers; save it as float64: numpy.asarray(x,"
            " dtype=float)"
        )
    array = archive.read(title, head)
    return array.reshape(array.shape[-2:]).astype(np.float64)
