"""The tokens of the propositions: they look at each other without a mask."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention_core.attention import attend
from attention_core.checks import Array
from attention_core.formulas import softmax
from attention_core.projections import Projections
from attention_core.trace import Trace

# Relative to the largest score: what is smaller is rounding.
PROPOSITION_TOLERANCE = 1e-12


@dataclass(frozen=True, eq=False)
class UnmaskedAttention:
    """Tokens that look at each other without a mask. Shapes: x (T, D); scores, scaled, and
    probabilities (T, T). scale: above 0.
    """

    x: Array
    scores: Array
    probabilities: Array
    scale: float

    @property
    def rounding(self) -> float:
        """The size of rounding errors: larger for large scores and in float32."""
        finest = float(np.finfo(np.float64).eps)
        coarser = (
            max(
                float(np.finfo(array.dtype).eps)
                for array in (self.x, self.scores, self.probabilities)
            )
            / finest
        )
        return PROPOSITION_TOLERANCE * coarser * max(1.0, float(np.abs(self.scores).max()))


def weightless_attention(x: ArrayLike, scale: float | None = None) -> UnmaskedAttention:
    """Weightless attention of tokens over themselves; scale is 1/√D when None. Shapes: (T, D).
    Raises: AttentionError.

    >>> weightless_attention([[1.0], [2.0]]).probabilities.round(4).tolist()
    [[0.2689, 0.7311], [0.1192, 0.8808]]
    """
    x_1TD = np.asarray(x)[np.newaxis]
    return tokens_of_trace(attend(x_1TD, Projections.weightless(x_1TD.shape[-1]), scale=scale))


def tokens_of_trace(trace: Trace, head: int = 0, batch: int = 0) -> UnmaskedAttention:
    """A head of a trace of self-attention: its queries as the tokens, without mask and bias, with
    its soft cap.

    Without weights and with tied weights the scores are a Gram matrix of the queries, as the
    propositions need. A trace in float32 is computed again in float64, because its rounding would
    look like a violation.
    """
    if trace.scores.dtype != np.float64:
        trace, batch = _in_double(trace, batch), 0
    scores_TT = trace.scaled_scores[batch, head]
    return UnmaskedAttention(
        trace.query_heads[batch, head], scores_TT, softmax(scores_TT), trace.scale
    )


def _in_double(trace: Trace, batch: int) -> Trace:
    """One sequence of a trace attended to in float64, without mask and bias."""
    x_1TD, memory_1SM = (
        given[batch : batch + 1].astype(np.float64) for given in (trace.inputs, trace.memory)
    )
    weights = trace.projections.astype(np.float64)
    return attend(x_1TD, weights, memory=memory_1SM, scale=trace.scale, softcap=trace.softcap)
