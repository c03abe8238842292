"""The numbers of a derived array, as the board in the browser works them out."""

from __future__ import annotations

import math

import numpy as np

from attention_core.checks import Array
from attention_core.derivation import array_of, expand
from attention_core.trace import Trace
from attention_viz.derived_arrays import DERIVED_ARRAYS, derived_array_of, shape_of


def slice_of(trace: Trace, name: str, fixed: dict[int, int]) -> Array:
    """The numbers of a derived array with some axes fixed, worked out cell by cell."""
    derived = derived_array_of(trace, name)
    shape = shape_of(trace, derived)
    free = [number for number in range(len(shape)) if number not in fixed]
    result = np.empty([shape[number] for number in free])
    for place in np.ndindex(*result.shape):
        index = {**dict(zip(free, place, strict=True)), **fixed}
        result[place] = _value(trace, name, tuple(index[number] for number in range(len(shape))))
    return result


def _value(trace: Trace, name: str, index: tuple[int, ...]) -> float:
    """One number of an array or, by its rule, of a derived array."""
    if name not in DERIVED_ARRAYS:
        return float(array_of(trace, name)[index])
    rule = derived_array_of(trace, name).rule
    return expand(
        rule, name, index, lambda array, at: _value(trace, array, at), math.nan
    ).recompute()
