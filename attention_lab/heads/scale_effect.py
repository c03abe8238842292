"""What the scale does to the scores of a head and to its softmax."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array
from attention_core.formulas import softmax
from attention_core.head_blocks import check_places
from attention_core.trace import Trace

from .measure_checks import binary_size


@dataclass(frozen=True, eq=False)
class ScaleEffect:
    """What the scale does to one head.

    spread_raw, spread: standard deviation of the scores before and after. top_raw, top: the largest
    probability of a row, averaged over the rows, if the softmax took the raw scores, and with the
    scale.
    """

    spread_raw: float
    spread: float
    top_raw: float
    top: float


def scale_effect(trace: Trace, head: int, batch: int = 0) -> ScaleEffect:
    """How far the scores of a head spread, and how sharp its softmax is, without and with the
    scale; no mask.
    """
    check_places(trace, head=head, batch=batch)
    raw_TS, scaled_TS = trace.scores[batch, head], trace.scaled_scores[batch, head]
    tops = [
        float(shares_TS.max(axis=-1).mean()) for shares_TS in unmasked_shares(trace, head, batch)
    ]
    return ScaleEffect(_spread(raw_TS), _spread(scaled_TS), *tops)


def _spread(numbers_TS: Array) -> float:
    """The standard deviation; of numbers over a power of 2, for squares of very large ones
    leave the range of float.
    """
    size_11 = binary_size(numbers_TS)
    return float(np.ldexp(np.ldexp(numbers_TS, -size_11).std(), size_11.item()))


def unmasked_shares(trace: Trace, head: int, batch: int = 0) -> tuple[Array, Array]:
    """What the softmax makes of a head's raw scores and of its scaled ones, without mask and
    bias. Shapes: (T, S).
    """
    check_places(trace, head=head, batch=batch)
    return softmax(trace.scores[batch, head]), softmax(trace.scaled_scores[batch, head])
