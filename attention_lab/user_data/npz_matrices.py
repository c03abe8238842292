"""Matrices and biases from an NPZ file, NumPy's zip of arrays, and into one."""

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

_KINDS = {"b": "yes and no", "U": "text"}


def read_npz(data: bytes) -> tuple[dict[str, Array], tuple[str, ...]]:
    """The matrices of an NPZ file as float64, and the names of the arrays that are none of ours and
    were left unread.

    Names may be in any case, with or without the underscore; "inputs" is X. An array with one axis
    of length 1 in front is a matrix too, so that a downloaded trace can be read. Raises: FileError,
    ShapeError.
    """
    archive = NpzArchive(io.BytesIO(data), MAX_MEMBERS, MAX_UNPACKED_BYTES)
    matrices: dict[str, Array] = {}
    unread = []
    for title in archive.names:
        name = matrix_named(title)
        if name is None:
            unread.append(title)
        elif name in matrices:
            raise FileError(f"The file holds {ALL_SYMBOLS[name]} twice; leave one of them out")
        else:
            matrices[name] = _read_matrix(archive, title, name)
    return matrices, tuple(unread)


def write_npz(matrices: Mapping[str, Array]) -> bytes:
    """The matrices as an NPZ file with the names X, W_Q to W_O and b_Q to b_O."""
    buffer = io.BytesIO()
    named: dict[str, Any] = {ALL_SYMBOLS[name]: matrix for name, matrix in matrices.items()}
    np.savez_compressed(buffer, **named)
    return buffer.getvalue()


@np.errstate(invalid="ignore")  # a NaN that signals, which is refused later
def _read_matrix(archive: NpzArchive, title: str, name: str) -> Array:
    """One matrix; type and shape are checked before its numbers are read."""
    symbol, head = ALL_SYMBOLS[name], archive.head(title)
    check_matrix_shape(
        name, head.shape[1:] if len(head.shape) == 3 and head.shape[0] == 1 else head.shape
    )
    if kind := _KINDS.get(head.dtype.kind):
        raise FileError(
            f"{symbol} holds {kind}, not real numbers; save it as float64: numpy.asarray(x,"
            " dtype=float)"
        )
    array = archive.read(title, head)
    return array.reshape(array.shape[-2:]).astype(np.float64)
