"""The matrices that a user may load: X, W_Q, W_K, W_V, W_O, the biases b_Q, b_K, b_V, b_O, and what
a layer from a file may have besides: the gains of its QK-norm and its sinks; their names and
largest sizes.

Single numbers of the five matrices may be edited too; the others come from a file or with a layer.
"""

import math

from attention_core.errors import ShapeError

MAX_TOKENS = 64
MAX_MATRIX_WIDTH = 512
MAX_HEADS = 16
MAX_HEAD_WIDTH = 128
_ALL_HEADS = MAX_HEADS * MAX_HEAD_WIDTH

SYMBOLS = {"x": "X", "w_q": "W_Q", "w_k": "W_K", "w_v": "W_V", "w_o": "W_O"}
BIAS_SYMBOLS = {"b_q": "b_Q", "b_k": "b_K", "b_v": "b_V", "b_o": "b_O"}
# With the controls of QK-norm and sink on, they take the place of the one number there.
OPTION_SYMBOLS = {"g_q": "g_Q", "g_k": "g_K", "sinks": "sinks"}
ROW_SYMBOLS = BIAS_SYMBOLS | OPTION_SYMBOLS
ALL_SYMBOLS = SYMBOLS | ROW_SYMBOLS
MAX_SHAPES: dict[str, tuple[int, ...]] = {
    "x": (MAX_TOKENS, MAX_MATRIX_WIDTH),
    **dict.fromkeys(("w_q", "w_k", "w_v"), (MAX_MATRIX_WIDTH, _ALL_HEADS)),
    "w_o": (_ALL_HEADS, MAX_MATRIX_WIDTH),
    **dict.fromkeys(("b_q", "b_k", "b_v"), (_ALL_HEADS,)),
    "b_o": (MAX_MATRIX_WIDTH,),
    **dict.fromkeys(("g_q", "g_k"), (MAX_HEAD_WIDTH,)),
    "sinks": (MAX_HEADS,),
}
# All of them as float64. A state holds them in base64, which takes a third more; a downloaded trace
# holds the steps as well, which take about a third more.
MAX_MATRIX_BYTES = 8 * sum(map(math.prod, MAX_SHAPES.values()))
MAX_FILE_BYTES, MAX_UNPACKED_BYTES, MAX_STATE_BYTES = 40 * 2**20, 64 * 2**20, 48 * 2**20
# A downloaded trace calls X "inputs".
_SPELLINGS = {name.replace("_", ""): name for name in ALL_SYMBOLS} | {"inputs": "x"}


def matrix_named(text: str) -> str | None:
    """Which matrix or bias a name means, in any case, with or without the underscore; None for
    another name.

    >>> [matrix_named(name) for name in ("WQ", "w_o", "b_K", "inputs", "W_Z")]
    ['w_q', 'w_o', 'b_k', 'x', None]
    """
    return _SPELLINGS.get(text.strip().lower().replace("_", ""))


def check_matrix_shape(name: str, shape: tuple[int, ...]) -> None:
    """A matrix has rows and columns, at least one of each, and at most `MAX_SHAPES`. Raises:
    ShapeError.

    A bias, a gain and sinks are a list of numbers, or a matrix with one row or one column.
    """
    symbol, largest, form = ALL_SYMBOLS[name], MAX_SHAPES[name], "a matrix of rows and columns"
    if name in ROW_SYMBOLS:
        form = "one row of numbers"
        if len(shape) == 2 and min(shape) <= 1:
            shape = (math.prod(shape),)
    if len(shape) != len(largest):
        raise ShapeError(f"{symbol} has shape {shape}, but must be {form}")
    if 0 in shape:
        raise ShapeError(f"{symbol} has shape {shape}, which holds no number; give it numbers")
    if any(size > most for size, most in zip(shape, largest, strict=True)):
        raise ShapeError(
            f"{symbol} has {_by(shape)} numbers, but may have at most {_by(largest)}; cut it down"
        )


def _by(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape))
