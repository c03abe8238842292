"""Numbers near the ends of the range of float: scaling by powers of 2, which rounds nothing."""

import numpy as np

from attention_core.checks import Array


def scaled_to_one(array: Array) -> Array:
    """Numbers divided by a power of 2, so that the largest is from 1/2 to 1.

    For formulas that depend on ratios only: squares of very large and very small numbers would
    leave the range of float.
    """
    scaled: Array = np.ldexp(array, -binary_exponent(array))
    return scaled


def binary_exponent(array: Array, axis: int | tuple[int, ...] | None = None) -> Array:
    """The whole number e for which the largest number lies from 2^(e-1) to 2^e, for each slice
    along the axes. NaN does not count; e is 0 if all numbers are 0.

    Shapes: those of the array, with 1 for each of the axes.
    """
    largest = np.fmax.reduce(np.abs(array), axis=axis, keepdims=True, initial=0.0)
    exponents: Array = np.frexp(largest)[1]
    return exponents
