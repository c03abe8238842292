"""The coefficients of the float32 error function in attention_lab/trained/gelu.py, fitted and
checked with NumPy.

Run by hand: python scripts/fit_erf.py

erf(x) = tanh(x P(x²)) with a polynomial P. A change of P moves erf by x (1 - erf²) times as much,
so that is the weight of the fit; Lawson's algorithm (least squares, again and again with more
weight where the error is large) brings it near the smallest largest error. Source of the algorithm:
C. L. Lawson, Contributions to the Theory of Linear Least Maximum Approximation, thesis, University
of California at Los Angeles, 1961.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.polynomial import Chebyshev, Polynomial
from numpy.polynomial.chebyshev import chebvander

DEGREE = 9
# erf rounds to 1 in float32 from 3.92 on.
LAST = 4.2
POINTS = 2000
ROUNDS = 60


def main() -> None:
    """Fit, print the coefficients as they are written in the module, and the largest errors."""
    nodes = np.cos(math.pi * (np.arange(POINTS) + 0.5) / POINTS)
    x = LAST * (1 + nodes) / 2
    complement = np.array([math.erfc(value) for value in x])
    # atanh(erf(x)) / x, without the cancellation of 1 - erf(x).
    target = np.log((2 - complement) / complement) / (2 * x)
    weight = x * complement * (2 - complement)
    basis = chebvander(2 * (x / LAST) ** 2 - 1, DEGREE)
    share = np.ones(POINTS)
    for _ in range(ROUNDS):
        scaled = weight * np.sqrt(share)
        fitted = np.linalg.lstsq(basis * scaled[:, np.newaxis], target * scaled, rcond=None)[0]
        error = np.abs(basis @ fitted - target) * weight
        share *= error / error.max() + 1e-3
        share /= share.max()
    polynomial = Chebyshev(fitted, domain=(0, LAST**2)).convert(kind=Polynomial)
    print("ERF_COEFFICIENTS = (")
    for coefficient in polynomial.coef:
        print(f"    {coefficient:.10g},")
    print(f")\nlargest error before rounding: {error.max():.1e}")


if __name__ == "__main__":
    main()
