"""The part of a layer in which every token passes by itself through two or three matrices, and the
functions between them.

T token, D model feature, F feature between the matrices.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array
from attention_core.numbers import check_range

# erf(x) = tanh(x P(x²)), fitted to x = 0 to 4.2 by least squares with Lawson's weights (C. L.
# Lawson's thesis of 1961, University of California at Los Angeles); no error is larger than 8.6e-9
# before rounding to float32.
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
    array = np.asarray(x)
    numbers = array if array.dtype == np.float32 else array.astype(np.float64)
    passed = erf(numbers * numbers.dtype.type(math.sqrt(0.5)))
    passed += 1
    passed *= 0.5  # before the product: twice the largest number is infinite
    passed *= numbers
    return passed


def erf(x: Array) -> Array:
    """The error function, 2/√π ∫₀ˣ e^(-t²) dt: the share of a bell curve within ±x. x: float32 or
    float64.

    Units or range: -1 to 1; float64 as in the C library, float32 within 1.2e-7, the last bit before
    1.
    """
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


def gelu_tanh(x: Array) -> Array:
    """The usual approximation of GELU: x/2 (1 + tanh(√(2/π) (x + 0.044715 x³))). Shapes: kept.
    Source: Hendrycks and Gimpel 2016, section 2; GPT-2 computes this one ("gelu_new").

    >>> gelu_tanh(np.array([-1e30, -1.0, 0.0, 1.0, 1e30])).round(4).tolist()
    [-0.0, -0.1588, 0.0, 0.8412, 1e+30]
    """
    with np.errstate(over="ignore"):  # far from 0 the cube is infinite, and its tanh is ±1
        inner = math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x))
    activated: Array = 0.5 * x * (1 + np.tanh(inner))
    return activated


def silu(x: Array) -> Array:
    """x σ(x): a number times the logistic function of it. Shapes: kept. Source: Hendrycks and
    Gimpel 2016.

    >>> silu(np.array([-800.0, 0.0, 1.0, 800.0])).round(4).tolist()
    [-0.0, 0.0, 0.7311, 800.0]
    """
    with np.errstate(over="ignore"):  # far below 0, exp(-x) is inf, and x / inf is 0
        activated: Array = x / (1 + np.exp(-x))
    return activated


def relu(x: Array) -> Array:
    """The larger of a number and 0. Shapes: kept.

    >>> relu(np.array([-2.0, 3.0])).tolist()
    [0.0, 3.0]
    """
    return np.maximum(x, 0)


Activation = Callable[[Array], Array]
ACTIVATIONS: Mapping[str, Activation] = {
    "relu": relu,
    "tanh": np.tanh,
    "gelu": gelu,
    "gelu_tanh": gelu_tanh,
    "silu": silu,
}


@dataclass(frozen=True, eq=False)
class FeedForward:
    """The matrices through which every token passes by itself. activation: a key of `ACTIVATIONS`.

    Shapes: w_in (D, F), b_in (F,), w_out (F, D), b_out (D,); None for no bias. w_up (D, F): with
    it, the hidden features are multiplied by a second product (SwiGLU), whose bias is b_up (F,);
    None without.
    """

    w_in: Array
    b_in: Array | None
    w_out: Array
    b_out: Array | None
    w_up: Array | None = None
    activation: str = "gelu"
    b_up: Array | None = None

    @property
    def n_weights(self) -> int:
        """How many numbers the matrices hold, without biases."""
        return self.w_in.size + self.w_out.size + (0 if self.w_up is None else self.w_up.size)


class FeedForwardRun(NamedTuple):
    """The numbers on the way through the matrices.

    Shapes: output (T, D), the others (T, F); up and gated are None without w_up.
    """

    hidden: Array
    up: Array | None
    activated: Array
    gated: Array | None
    output: Array


@np.errstate(over="ignore", invalid="ignore")
def run_feed_forward(x_TD: Array, weights: FeedForward) -> FeedForwardRun:
    """act(x W_in + b_in) W_out + b_out; with w_up (act(x W_in + b_in) ⊙ x W_up) W_out + b_out.

    Shapes: (T, D). Raises: SettingsError for numbers that grow too large. Source: Vaswani et al.
    2017, section 3.3; with GELU Devlin et al. 2019 (BERT); with w_up Shazeer 2020 (GLU variants),
    equation 6.
    """
    hidden_TF = x_TD @ weights.w_in
    if weights.b_in is not None:
        hidden_TF = hidden_TF + weights.b_in
    activated_TF = ACTIVATIONS[weights.activation](hidden_TF)
    up_TF = None if weights.w_up is None else x_TD @ weights.w_up
    if up_TF is not None and weights.b_up is not None:
        up_TF = up_TF + weights.b_up
    gated_TF = None if up_TF is None else activated_TF * up_TF
    output_TD = (activated_TF if gated_TF is None else gated_TF) @ weights.w_out
    if weights.b_out is not None:
        output_TD = output_TD + weights.b_out
    check_range(output_TD)
    return FeedForwardRun(hidden_TF, up_TF, activated_TF, gated_TF, output_TD)
