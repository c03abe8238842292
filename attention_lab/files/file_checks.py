"""What a text or a file from outside may say: numbers as they are typed, shapes, characters."""

from __future__ import annotations

import math
from collections.abc import Sequence

MAX_AXES = 8
# Of the user's own numbers. The board shows float32: scores of such inputs and weights stay below
# its 3.4e38.
MAX_VALUE = 1e6
VALUE_RANGE = f"between {-MAX_VALUE:,.0f} and {MAX_VALUE:,.0f}"  # in words


def is_possible_shape(shape: Sequence[int], itemsize: int) -> bool:
    """Whether NumPy can make an array of this shape, whose empty axes do not excuse the others, in
    at most 8 axes.

    >>> is_possible_shape((0, 2**62), 4), is_possible_shape((0, 2**60), 4)
    (False, True)
    """
    return len(shape) <= MAX_AXES and math.prod(size or 1 for size in shape) * itemsize < 2**63


def typed_number(text: str) -> float:
    """The number that was typed, NaN for any other text; `float` alone would take 1_0 and the
    digits of every script.

    >>> typed_number("-2e1"), typed_number("1_0"), typed_number("ten")
    (-20.0, nan, nan)
    """
    try:
        return float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        return math.nan


def has_half_character(text: str) -> bool:
    """Whether a text holds a lone surrogate, which no file and no page can hold."""
    return any("\ud800" <= character <= "\udfff" for character in text)
