"""Values as Python source text that gives back exactly the same values, and can do nothing else."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np

from attention_core.checks import Array
from attention_core.masks import causal_mask

# The longest text in which numbers are still looked at rather than scrolled past: 8 rows of 8
# full-length numbers.
MAX_READABLE = 1500
# Characters of the shortest number with its comma and space.
MIN_PACKED = 5

# How an expression begins that needs this function.
PACKED = "unpacked('"
UNPACKED = '''def unpacked(text, dtype, shape):
    """The numbers of an array, to the last bit, from their bytes written as text."""
    return np.frombuffer(base64.b64decode(text), dtype).reshape(shape).copy()'''


def array_source(array: Array) -> str:
    """An expression that makes the array: a formula where there is one, its numbers where few, else
    its bytes.

    The bytes are written as base64 and need the function `UNPACKED`. float64, float32 and bool come
    back exactly.

    >>> array_source(np.eye(3)), array_source(np.array([0.5, -np.inf]))
    ('np.eye(3)', 'np.array([0.5, -np.inf])')
    >>> array_source(np.ones(1000, np.float32))[:24]
    "unpacked('AACAPwAAgD8AAI"
    """
    dtype = ", dtype=np.float32" if array.dtype == np.float32 else ""
    if array.ndim == 2 and len(array) > 1:
        n_rows, n_columns = array.shape
        if _same(array, np.eye(n_rows, dtype=array.dtype)) and array.dtype != np.bool_:
            return f"np.eye({n_rows}{dtype})"
        if _same(array, causal_mask(n_rows, n_columns)):
            return f"np.tri({n_rows}, {n_columns}, dtype=bool)"
    if array.size * MIN_PACKED <= MAX_READABLE:
        width = max(len(_number(number)) for number in array.ravel().tolist())
        numbers = _rows(array.tolist(), width if array.ndim > 1 else 0, margin=" " * 4)
        if len(numbers) <= MAX_READABLE:
            return (
                f"np.array(\n    {numbers}{dtype}\n)"
                if "\n" in numbers
                else f"np.array({numbers}{dtype})"
            )
    little = array.astype(array.dtype.newbyteorder("<"))
    text = base64.b64encode(little.tobytes()).decode("ascii")
    return f"{PACKED}{text}', {little.dtype.str!r}, {array.shape})"


def labels_source(labels: Sequence[str]) -> str:
    r"""A tuple of texts as Python writes it: quotes, backslashes, line ends and invisible signs are
    escaped.

    >>> print(labels_source(["it's", chr(10)]))
    ("it's", '\n')
    """
    return repr(tuple(str(label) for label in labels))


def _same(array: Array, other: Array) -> bool:
    """Whether two arrays agree to the last bit, the sign of a zero included."""
    return (
        array.shape == other.shape
        and array.dtype == other.dtype
        and array.tobytes() == other.tobytes()
    )


def _rows(values: Any, width: int, margin: str) -> str:
    """Nested lists, one row a line, the columns aligned."""
    if not isinstance(values, list):
        return _number(values).rjust(width)
    between = f",\n{margin} " if isinstance(values[0], list) else ", "
    return "[" + between.join(_rows(value, width, margin + " ") for value in values) + "]"


def _number(value: float | bool) -> str:
    return repr(value).replace("inf", "np.inf").replace("nan", "np.nan")
