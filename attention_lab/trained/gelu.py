"""The exact GELU, the function between the two matrices of the feed-forward part, with NumPy."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array

# Fitted by scripts/fit_erf.py: |erf(x) - tanh(x P(x²))| <= 8.6e-9 for every x, before rounding to
# float32.
ERF_COEFFICIENTS = (
    1.128379251,
    0.1027713431,
    -0.0002041302639,
    -0.000598569983,
    7.144903419e-05,
    5.631155137e-07,
    -1.133349728e-06,
    1.383626489e-07,
    -7.415017674e-09,
    1.537662715e-10,
)


def gelu(x: ArrayLike) -> Array:
    """x Φ(x): a number times the probability that a standard normal number is smaller.

    Large numbers pass unchanged, large negative ones become nearly 0.

    Units or range: -0.17 upwards. float32 stays float32, everything else becomes float64. Source:
    Hendrycks and Gimpel 2016, section 2; Φ(x) = (1 + erf(x/√2)) / 2, not its usual approximation.

    >>> gelu([-10.0, -1.0, 0.0, 1.0, 10.0]).round(4).tolist()
    [-0.0, -0.1587, 0.0, 0.8413, 10.0]
    """
    numbers = _as_floats(x)
    passed = _erf(numbers * numbers.dtype.type(math.sqrt(0.5)))
    passed += 1
    passed *= 0.5  # before the product: twice the largest number is infinite
    passed *= numbers
    return passed


def erf(x: ArrayLike) -> Array:
    """The error function, 2/√π ∫₀ˣ e^(-t²) dt: the share of a bell curve within ±x.

    Units or range: -1 to 1; float64 as in the C library, float32 within 1.2e-7, the last bit before
    1.
    """
    return _erf(_as_floats(x))


def _as_floats(x: ArrayLike) -> Array:
    array = np.asarray(x)
    return array if array.dtype == np.float32 else array.astype(np.float64)


def _erf(x: Array) -> Array:
    if x.dtype == np.float32:
        return _erf_single(x)
    return np.fromiter(map(math.erf, x.ravel().tolist()), np.float64, x.size).reshape(x.shape)


# Far from 0 the polynomial overflows to infinity, whose tanh is 1.
@np.errstate(over="ignore")
def _erf_single(x: Array) -> Array:
    """tanh(x P(x²)); with two terms of P this is the well-known approximation.

    It takes 2 ns a number; a quotient of polynomials takes 3 and math.erf 60.
    """
    square = x * x
    power = square * np.float32(ERF_COEFFICIENTS[-1])
    for coefficient in ERF_COEFFICIENTS[-2:0:-1]:
        power += np.float32(coefficient)
        power *= square
    power += np.float32(ERF_COEFFICIENTS[0])
    power *= x
    result = np.asarray(power)  # NumPy turns a single number into a scalar
    return np.tanh(result, out=result)
