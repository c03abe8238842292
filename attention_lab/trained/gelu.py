"""The exact GELU, the nonlinearity between the two matrices of the feed-forward part, without
any library but NumPy.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array, as_numbers

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
    """x Φ(x): a number, times the chance that a standard normal number is smaller. Large ones pass,
    negative ones stop.

    Units or range: -0.17 upwards. float32 stays float32, everything else becomes float64.
    Source: Hendrycks and Gimpel 2016, section 2; Φ(x) = (1 + erf(x/√2)) / 2, not the usual shorter
    stand-in for it.

    >>> gelu([-10.0, -1.0, 0.0, 1.0, 10.0]).round(4).tolist()
    [-0.0, -0.1587, 0.0, 0.8413, 10.0]
    """
    numbers = as_numbers("x", x)
    passed = _erf(numbers * numbers.dtype.type(math.sqrt(0.5)))
    passed += 1
    passed *= 0.5  # before the product: twice the largest numbers is infinite
    passed *= numbers
    return passed


def erf(x: ArrayLike) -> Array:
    """The error function, 2/√π ∫₀ˣ e^(-t²) dt: the share of a bell curve within ±x.

    Units or range: -1 to 1; in float64 what the C library gives, in float32 within 1.2e-7, the last
    bit before 1.
    """
    return _erf(as_numbers("x", x))


def _erf(x: Array) -> Array:
    if x.dtype == np.float32:
        return _erf_single(x)
    return np.fromiter(map(math.erf, x.ravel().tolist()), np.float64, x.size).reshape(x.shape)


# Far out the polynomial overflows to infinity, of which tanh is 1.
@np.errstate(over="ignore")
def _erf_single(x: Array) -> Array:
    """tanh(x P(x²)); with two terms of P this is the well-known shorter stand-in.

    It takes 2 ns a number where a quotient of polynomials takes 3 and math.erf 60.
    """
    square = x * x
    power = square * np.float32(ERF_COEFFICIENTS[-1])
    for coefficient in ERF_COEFFICIENTS[-2:0:-1]:
        power += np.float32(coefficient)
        power *= square
    power += np.float32(ERF_COEFFICIENTS[0])
    power *= x
    result = np.asarray(power)  # of a single number NumPy has made a scalar
    return np.tanh(result, out=result)
