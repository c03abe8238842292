"""The numbers the engine computes in: float32 and float64, what fits into them, and how many there
is room for.
"""

import math
from typing import Any

import numpy as np

from .errors import SettingsError, short_repr

Array = np.ndarray[Any, np.dtype[Any]]
SINGLE, DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
MAX_OF_TYPE = {dtype: float(np.finfo(dtype).max) for dtype in (SINGLE, DOUBLE)}
# 512 MB as float64.
MAX_ARRAY_NUMBERS = 2**26
# In one layer, over all heads and sequences: each of its arrays of scores takes 16 GB as
# float64.
MAX_SCORES = 2**31


def all_finite(array: Array) -> bool:
    """Whether no number is NaN or infinite.

    A sum of squares is finite only if every number is, and takes half the time of looking at each.
    Where it overflows it settles nothing.
    """
    # no copy of transposed numbers; vdot would make two
    flat = array if array.flags.c_contiguous else array.ravel(order="K")
    return math.isfinite(np.vdot(flat, flat)) or bool(np.isfinite(array).all())


def engine_dtype(*arrays: Array | None) -> type[np.floating[Any]]:
    """float32 when every array is float32, else float64."""
    given = {array.dtype for array in arrays if array is not None}
    return np.float32 if given == {SINGLE} else np.float64


def in_type(name: str, array: Array, dtype: Any) -> Array:
    """A copy of numbers, which may be -inf, in another type. Raises: SettingsError for a finite
    number that the type cannot hold.
    """
    with np.errstate(over="ignore"):
        copy: Array = array.astype(dtype)
    if not all_finite(copy) and (lost := np.isinf(copy) & np.isfinite(array)).any():
        raise SettingsError(
            f"{name} holds {array[lost][0]}, which {copy.dtype.name} cannot hold; use float64 or"
            " smaller numbers"
        )
    return copy


def too_large(dtype: Any) -> SettingsError:
    """The error for numbers that left the range of their type on the way."""
    remedy = "smaller inputs or float64" if dtype == np.float32 else "smaller inputs"
    return SettingsError(
        f"the numbers grew beyond the range of {np.dtype(dtype).name} on the way; use {remedy}"
    )


def check_range(array: Array) -> None:
    """What was computed from finite numbers is finite, unless the numbers grew too large."""
    if not all_finite(array):
        raise too_large(array.dtype)


def check_room(most: int = MAX_ARRAY_NUMBERS, /, **sizes: int) -> None:
    """Raises: SettingsError when an array of these sizes, given by their names, would hold too
    many numbers.
    """
    if math.prod(sizes.values()) > most:
        product = " × ".join(f"{name} {short_repr(size)}" for name, size in sizes.items())
        raise SettingsError(
            f"{product} are more than the {most:,} numbers there is room for: choose fewer"
        )
