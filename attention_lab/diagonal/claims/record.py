"""What the checks of claims share: what they measure, the layer on which claims are tried,
comparisons of arrays, and formats of numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from attention_core.attention import attend
from attention_core.checks import Array
from attention_core.projections import Projections
from attention_core.trace import Trace

from ..measures import TOLERANCE, self_attention_of
from ..metrics import argmax_rate
from ..token_matrices import gaussian_tokens

# The layer on which claims are tried: five tokens of six features, two heads.
TOKENS, WIDTH, HEADS = 5, 6, 2
X, LAYER = gaussian_tokens(TOKENS, WIDTH), Projections.random(WIDTH, HEADS)


class Measured:
    """What a check measures. claimed: whether the claim holds as worded. corrected: whether the
    correct statement holds. numbers: those that show it, in the order of their places in the
    sentence of the claim.
    """

    def __init__(self, claimed: bool, corrected: bool, *numbers: object) -> None:
        self.claimed, self.corrected, self.numbers = claimed, corrected, numbers


def fits(*matrices: Array) -> bool:
    """Whether matrices can be multiplied in this order.

    >>> fits(np.ones((2, 3)), np.ones((3, 4))), fits(np.ones((2, 3)), np.ones((2, 3)))
    (True, False)
    """
    return all(one.shape[1] == other.shape[0] for one, other in pairwise(matrices))


def score_deviations(width: int, *divisors: float) -> list[float]:
    """The standard deviation of scores of Gaussian queries and keys, divided by each divisor."""
    query, key = gaussian_tokens(400, width, seed=1), gaussian_tokens(400, width, seed=2)
    deviation = float((query @ key.T).std())
    return [deviation / divisor for divisor in divisors]


def own_rate(attention: Iterable[Trace]) -> float:
    """The share of rows that peak on the diagonal, over many layers."""
    return float(np.mean([argmax_rate(self_attention_of(trace)) for trace in attention]))


def shuffling_gaps(x_TD: Array, layer: Projections, order_T: Array) -> tuple[float, float]:
    """How far the outputs of shuffled tokens differ from the shuffled outputs, without a mask and
    with a causal one. Shapes: (T, D), (T,).
    """
    free, causal = (
        max_difference(
            attend(x_TD[order_T], layer, causal=mask).output[0],
            attend(x_TD, layer, causal=mask).output[0][order_T],
        )
        for mask in (False, True)
    )
    return free, causal


def head_0_of(layer: Projections) -> tuple[Array, Array, Array]:
    """W_Q, W_K and W_V of the first head. Shapes: (D, K), (D, K), (D, V)."""
    p = layer
    return p.w_q[:, : p.d_k], p.w_k[:, : p.d_k], p.w_v[:, : p.d_v]


def multiplications(n_tokens: int, d_model: int, width: int) -> int:
    """Those of the matrix products of a layer. width: of all heads together."""
    return 4 * n_tokens * d_model * width + 2 * n_tokens**2 * width


def max_difference(one: ArrayLike, other: ArrayLike) -> float:
    """The largest difference between two arrays of numbers."""
    return float(np.abs(np.asarray(one) - np.asarray(other)).max())


def are_equal(one: ArrayLike, other: ArrayLike) -> bool:
    """Whether two arrays hold the same numbers, up to rounding."""
    return max_difference(one, other) < 1e-9


def format_gap(error: float) -> str:
    """A difference to read: 0 if it is rounding alone, two decimals if it is large.

    >>> format_gap(2.2e-16), format_gap(6e-6), format_gap(0.25)
    ('0', '6e-06', '0.25')
    """
    if abs(error) < TOLERANCE:
        return "0"
    return f"{error:.0e}" if error < 1e-3 else f"{error:.2f}"


def format_shape(matrix: Array) -> str:
    """The shape of an array, such as 12 × 4."""
    return " × ".join(str(length) for length in matrix.shape)
