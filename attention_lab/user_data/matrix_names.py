"""What a user may bring: X, W_Q, W_K, W_V, W_O and the biases b_Q, b_K, b_V, b_O; their names, and
how large they are.

The five matrices may also be changed number by number; the biases come from a file or with a layer.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array, as_array
from attention_core.errors import SettingsError, ShapeError
from attention_core.number_types import all_finite

from ..files.file_checks import MAX_VALUE, VALUE_RANGE

MAX_TOKENS = 64
MAX_MATRIX_WIDTH = 512
MAX_HEADS = 16
MAX_HEAD_WIDTH = 128
_ALL_HEADS = MAX_HEADS * MAX_HEAD_WIDTH

SYMBOLS = {"x": "X", "w_q": "W_Q", "w_k": "W_K", "w_v": "W_V", "w_o": "W_O"}
BIAS_SYMBOLS = {"b_q": "b_Q", "b_k": "b_K", "b_v": "b_V", "b_o": "b_O"}
ALL_SYMBOLS = SYMBOLS | BIAS_SYMBOLS
MAX_SHAPES: dict[str, tuple[int, ...]] = {
    "x": (MAX_TOKENS, MAX_MATRIX_WIDTH),
    "w_q": (MAX_MATRIX_WIDTH, _ALL_HEADS),
    "w_k": (MAX_MATRIX_WIDTH, _ALL_HEADS),
    "w_v": (MAX_MATRIX_WIDTH, _ALL_HEADS),
    "w_o": (_ALL_HEADS, MAX_MATRIX_WIDTH),
    "b_q": (_ALL_HEADS,),
    "b_k": (_ALL_HEADS,),
    "b_v": (_ALL_HEADS,),
    "b_o": (MAX_MATRIX_WIDTH,),
}
# What a file, or the text of an address, may take: all of them as float64 are MAX_MATRIX_BYTES, in
# the base64 of a state a third more, beside the steps in a downloaded trace a third more as well.
MAX_MATRIX_BYTES = 8 * sum(map(math.prod, MAX_SHAPES.values()))
MAX_FILE_BYTES, MAX_UNPACKED_BYTES, MAX_STATE_BYTES = 40 * 2**20, 64 * 2**20, 48 * 2**20
# The name that a downloaded trace gives to X.
_SPELLINGS = {name.replace("_", ""): name for name in ALL_SYMBOLS} | {"inputs": "x"}


def matrix_named(text: str) -> str | None:
    """Which matrix or bias a name means, in any case, with or without the underscore; None for
    another name.

    >>> [matrix_named(name) for name in ("WQ", "w_o", "b_K", "inputs", "W_Z")]
    ['w_q', 'w_o', 'b_k', 'x', None]
    """
    return _SPELLINGS.get(text.strip().lower().replace("_", ""))


def check_matrix_shape(name: str, shape: tuple[int, ...]) -> None:
    """A matrix has rows and columns, at least one of each; nothing is larger than `MAX_SHAPES`.
    Raises: ShapeError.

    A bias is one row of numbers, as a list of them, or as a matrix with one row or one column.
    """
    if name in BIAS_SYMBOLS:
        return _check_bias_shape(name, shape)
    rows, columns = MAX_SHAPES[name]
    symbol = SYMBOLS[name]
    if len(shape) != 2:
        raise ShapeError(
            f"{symbol} has {len(shape)} axes {shape} but must be a matrix of rows and columns"
        )
    if min(shape) < 1:
        raise ShapeError(
            f"{symbol} has shape {shape}, which holds no number; give at least one row and column"
        )
    if shape[0] > rows or shape[1] > columns:
        raise ShapeError(
            f"{symbol} is {shape[0]} × {shape[1]} but may be at most {rows} × {columns}; cut it"
            " down"
        )


def _check_bias_shape(name: str, shape: tuple[int, ...]) -> None:
    symbol, most = ALL_SYMBOLS[name], MAX_SHAPES[name][0]
    if len(shape) not in (1, 2) or (len(shape) == 2 and min(shape) > 1):
        raise ShapeError(
            f"{symbol} has shape {shape} but must be one row of numbers; give one for each output"
            " feature"
        )
    if min(shape) < 1:
        raise ShapeError(
            f"{symbol} has shape {shape}, which holds no number; give one for each output feature"
        )
    if max(shape) > most:
        raise ShapeError(
            f"{symbol} has {max(shape)} numbers but may have at most {most}; cut it down"
        )


def as_matrix(name: str, values: ArrayLike) -> Array:
    """`values` as new read-only float64 numbers, none beyond `MAX_VALUE`; a bias has one axis.

    Raises: ShapeError, SettingsError.
    """
    array = as_array(ALL_SYMBOLS[name], values)
    check_matrix_shape(name, array.shape)
    if array.dtype.kind not in "iuf":
        raise SettingsError(
            f"{ALL_SYMBOLS[name]} must hold real numbers, but holds {array.dtype}; convert it first"
        )
    matrix = np.array(array, dtype=np.float64, order="C")
    matrix = matrix.reshape(-1) if name in BIAS_SYMBOLS else matrix
    if not all_finite(matrix):
        _refuse_first(name, matrix, ~np.isfinite(matrix), "be finite")
    _refuse_first(name, matrix, np.abs(matrix) > MAX_VALUE, f"lie {VALUE_RANGE}")
    matrix.setflags(write=False)
    return matrix


def _refuse_first(name: str, matrix: Array, wrong: Array, must: str) -> None:
    """Raises: SettingsError naming the first number that is wrong, if there is one."""
    if not wrong.any():
        return
    place = tuple(int(number) for number in np.argwhere(wrong)[0])
    where = f"place {place[0]}" if len(place) == 1 else f"row {place[0]}, column {place[1]}"
    raise SettingsError(
        f"{ALL_SYMBOLS[name]} holds {matrix[place]} in {where} (counted from 0); every number must"
        f" {must}: replace it"
    )
