"""The five matrices a user may bring or change, X, W_Q, W_K, W_V and W_O: their names, and how large they may be."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Array, all_finite, as_array
from ..errors import SettingsError, ShapeError

MAX_TOKENS = 64
MAX_WIDTH = 512
MAX_HEADS = 16
MAX_HEAD_WIDTH = 128
_ALL_HEADS = MAX_HEADS * MAX_HEAD_WIDTH

SYMBOLS = {"x": "X", "w_q": "W_Q", "w_k": "W_K", "w_v": "W_V", "w_o": "W_O"}
# What stands in the rows and in the columns of each, D being the embedding size.
LAYOUT = {
    "x": ("tokens", "D"),
    "w_q": ("D", "heads × d_k"),
    "w_k": ("D", "heads × d_k"),
    "w_v": ("D", "heads × d_v"),
    "w_o": ("heads × d_v", "D"),
}
LARGEST_SHAPES = {
    "x": (MAX_TOKENS, MAX_WIDTH),
    "w_q": (MAX_WIDTH, _ALL_HEADS),
    "w_k": (MAX_WIDTH, _ALL_HEADS),
    "w_v": (MAX_WIDTH, _ALL_HEADS),
    "w_o": (_ALL_HEADS, MAX_WIDTH),
}
# The name that a downloaded trace gives to X.
_SPELLINGS = {name.replace("_", ""): name for name in SYMBOLS} | {"inputs": "x"}


def matrix_named(text: str) -> str | None:
    """Which matrix a name means, in any case, with or without the underscore; None for another name.

    >>> matrix_named("WQ"), matrix_named("w_o"), matrix_named("inputs"), matrix_named("W_Z")
    ('w_q', 'w_o', 'x', None)
    """
    return _SPELLINGS.get(text.strip().lower().replace("_", ""))


def check_matrix_shape(name: str, shape: tuple[int, ...]) -> None:
    """A matrix has rows and columns, at least one of each and no more than `LARGEST_SHAPES`. Raises: ShapeError."""
    rows, columns = LARGEST_SHAPES[name]
    symbol = SYMBOLS[name]
    if len(shape) != 2:
        raise ShapeError(f"{symbol} has {len(shape)} axes {shape} but must be a matrix of rows and columns")
    if min(shape) < 1:
        raise ShapeError(f"{symbol} has shape {shape}, which holds no number; give at least one row and column")
    if shape[0] > rows or shape[1] > columns:
        raise ShapeError(f"{symbol} is {shape[0]} × {shape[1]} but may be at most {rows} × {columns}; cut it down")


def as_matrix(name: str, values: ArrayLike) -> Array:
    """`values` as a new read-only float64 matrix of finite numbers. Raises: ShapeError, SettingsError."""
    array = as_array(SYMBOLS[name], values)
    check_matrix_shape(name, array.shape)
    if array.dtype.kind not in "iuf":
        raise SettingsError(f"{SYMBOLS[name]} must hold real numbers, but holds {array.dtype}; convert it first")
    matrix = np.array(array, dtype=np.float64, order="C")
    if not all_finite(matrix):
        row, column = (int(place) for place in np.argwhere(~np.isfinite(matrix))[0])
        raise SettingsError(
            f"{SYMBOLS[name]} holds {matrix[row, column]} in row {row}, column {column} (counted from 0); "
            "every number must be finite: replace it"
        )
    matrix.setflags(write=False)
    return matrix
