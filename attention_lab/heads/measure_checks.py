"""What measures accept: shares, numbers with gaps, numbers of which only the ratios count."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array, as_array, as_numbers, as_stack
from attention_core.errors import SettingsError

from .number_range import scaled_to_one


def as_measured(name: str, values: ArrayLike, n_axes: int = 1) -> Array:
    """`values` as numbers with so many axes or more, NaN where there was nothing to measure."""
    array = as_array(name, values)
    if array.dtype.kind != "f":
        return as_stack(name, array, n_axes)
    nothing = np.isnan(array)
    return np.where(nothing, np.nan, as_stack(name, np.where(nothing, 0, array), n_axes))


def as_shares(name: str, values: ArrayLike, n_axes: int = 1) -> Array:
    """`values` as shares from 0 to 1, with so many axes or more. Rows of zeros are rows that
    read nothing.
    """
    array = as_stack(name, values, n_axes)
    if array.min() < 0 or array.max() > 1.01:  # shares of bfloat16 are rounded so far
        raise SettingsError(
            f"{name} must hold shares from 0 to 1, but holds {array.min():g} to {array.max():g}"
        )
    return array


def unit_sized(name: str, values: ArrayLike) -> Array:
    """Finite numbers divided by a power of 2, so that the largest is about 1: for what only depends
    on their ratios.

    Squares of very small and very large numbers leave the range of float; a power of 2 rounds
    nothing.
    """
    return scaled_to_one(as_numbers(name, values))
