"""What the scale does to the scores of a head and to its softmax."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array
from attention_core.formulas import softmax
from attention_core.trace import Trace

from .number_range import binary_exponent


@dataclass(frozen=True, eq=False)
class ScaleEffect:
    """What the scale does to one head.

    spread_raw, spread: the standard deviation of the scores without and with the scale. top_raw,
    top: the largest probability of a row without and with the scale, averaged over the rows.
    """

    spread_raw: float
    spread: float
    top_raw: float
    top: float


def scale_effect(trace: Trace, head: int, batch: int = 0) -> ScaleEffect:
    """How far the scores of a head spread, and how sharp its softmax is, without and with the
    scale. The mask is left out.
    """
    raw_TS, scaled_TS = trace.scores[batch, head], trace.scaled_scores[batch, head]
    tops = [
        float(shares_TS.max(axis=-1).mean()) for shares_TS in unmasked_shares(trace, head, batch)
    ]
    return ScaleEffect(_spread(raw_TS), _spread(scaled_TS), *tops)


def _spread(numbers_TS: Array) -> float:
    """The standard deviation, computed on numbers divided by a power of 2: squares of very large
    numbers would leave the range of float.
    """
    exponent_11 = binary_exponent(numbers_TS)
    return float(np.ldexp(np.ldexp(numbers_TS, -exponent_11).std(), exponent_11.item()))


def unmasked_shares(trace: Trace, head: int, batch: int = 0) -> tuple[Array, Array]:
    """The softmax of a head's raw scores and of its scaled scores, without mask and bias. Shapes:
    (T, S).
    """
    return softmax(trace.scores[batch, head]), softmax(trace.scaled_scores[batch, head])
