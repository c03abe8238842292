"""The coefficients of the float32 error function in attention_lab/trained/encoder.py, fitted and
checked with NumPy.

Run by hand: python scripts/fit_erf.py

erf(x) = tanh(x P(x²)) with a polynomial P. A change of P changes erf by x (1 - erf²) times as much,
so that is the weight of the fit. Lawson's algorithm repeats least squares with more weight where
the error is large; it approaches the smallest possible largest error. Source of the algorithm: C.
L. Lawson, Contributions to the Theory of Linear Least Maximum Approximation, thesis, University of
California at Los Angeles, 1961.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.polynomial import Chebyshev, Polynomial
from numpy.polynomial.chebyshev import chebvander

DEGREE = 9
MAX_X = 4.2  # from 3.92 on, erf rounds to 1 in float32
N_POINTS = 2000
N_ROUNDS = 60


def main() -> None:
    """Fit, and print the coefficients as the module holds them, and the largest error."""
    nodes = np.cos(math.pi * (np.arange(N_POINTS) + 0.5) / N_POINTS)
    x = MAX_X * (1 + nodes) / 2
    complement = np.array([math.erfc(value) for value in x])
    # atanh(erf(x)) / x, without the cancellation of 1 - erf(x).
    target = np.log((2 - complement) / complement) / (2 * x)
    weight = x * complement * (2 - complement)
    basis = chebvander(2 * (x / MAX_X) ** 2 - 1, DEGREE)
    share = np.ones(N_POINTS)
    for _ in range(N_ROUNDS):
        scaled = weight * np.sqrt(share)
        fitted = np.linalg.lstsq(basis * scaled[:, np.newaxis], target * scaled, rcond=None)[0]
        error = np.abs(basis @ fitted - target) * weight
        share *= error / error.max() + 1e-3
        share /= share.max()
    polynomial = Chebyshev(fitted, domain=(0, MAX_X**2)).convert(kind=Polynomial)
    print("ERF_COEFFICIENTS = (")
    for coefficient in polynomial.coef:
        print(f"    {coefficient:.10g},")
    print(f")\nlargest error before rounding: {error.max():.1e}")


if __name__ == "__main__":
    main()
