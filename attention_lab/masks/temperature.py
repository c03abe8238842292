"""Scores divided by a number: a temperature, and why the layer divides by √d_k.

The variance of dot products grows with their length, and a saturated softmax hardly reacts to a
change of its scores.
"""

from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array
from attention_core.formulas import softmax
from attention_core.initialisation import Stream, generator
from attention_core.numbers import too_large
from attention_core.trace import Trace

from ..cache import cached

KEY_SIZES = (1, 4, 16, 64, 256, 1024)
N_DRAWS, N_KEYS = 64, 32  # draws of as many queries and keys


def at_temperature(trace: Trace, temperatures_P: Array, head: int) -> Array:
    """The shares of a head with everything that goes into its softmax divided by each of some
    temperatures: scores after cap and bias, and a sink. Below 1 the softmax gets sharper, above 1
    flatter. Shapes: (P,) -> (P, T, S). Raises: SettingsError for a quotient beyond the range of
    float.

    >>> from attention_core import Projections, attend
    >>> trace = attend([[1.0], [2.0]], Projections.weightless(1))
    >>> at_temperature(trace, np.array([1.0, 2.0]), head=0)[:, 0].round(3).tolist()
    [[0.269, 0.731], [0.378, 0.622]]
    """
    logits_TS = trace.masked_scores[0, head]
    if trace.sink is None:
        return shares_at(logits_TS, temperatures_P)
    sink_T1 = np.full((len(logits_TS), 1), trace.sink[head])
    both_PTS: Array = shares_at(np.concatenate([logits_TS, sink_T1], axis=1), temperatures_P)
    return both_PTS[..., :-1]


def jacobian_trace(probabilities_XS: Array) -> Array:
    """The sum of the derivatives of each share by its own score, ∂a_j/∂s_j = a_j (1 - a_j).

    Shapes: (X, S) -> (X). Range: 0 (saturated) to 1 - 1/S.
    """
    trace_X: Array = 1.0 - np.square(probabilities_XS).sum(axis=-1)
    return trace_X


@dataclass(frozen=True)
class Sharpness:
    """How sharp a softmax is: the largest share, and the trace of its Jacobian."""

    largest_share: float
    jacobian_trace: float


@dataclass(frozen=True)
class ScoreSpread:
    """Dot products of random queries and keys of one width: their variance (in theory d_k) and its
    standard error.

    raw, scaled: the softmax of the scores as they are, and of the scores divided by √d_k, averaged
    over the queries.
    """

    d_k: int
    variance: float
    standard_error: float
    raw: Sharpness
    scaled: Sharpness


def sharpness(scores_XS: Array) -> Sharpness:
    """How sharp the softmax of some rows is, averaged over the rows. Shapes: (X, S)."""
    shares_XS = softmax(scores_XS)
    largest_X, trace_X = shares_XS.max(axis=-1), jacobian_trace(shares_XS)
    return Sharpness(float(largest_X.mean()), float(trace_X.mean()))


def shares_at(scores_XS: Array, temperatures_P: Array) -> Array:
    """The softmax of rows of scores, divided by each of some temperatures. Shapes: (..., S), (P,)
    -> (P, ..., S). Raises: SettingsError for a quotient beyond the range of float.

    >>> shares_at(np.array([0.0, np.log(3)]), np.array([1.0, 0.5])).round(3).tolist()
    [[0.25, 0.75], [0.1, 0.9]]
    """
    with np.errstate(over="ignore"):
        divided_PXS = scores_XS / temperatures_P.reshape(-1, *(1,) * scores_XS.ndim)
    if (np.isinf(divided_PXS) != np.isinf(scores_XS)).any():
        raise too_large(divided_PXS.dtype)
    return softmax(divided_PXS)


@cached
def score_spread(d_k: int, seed: int = 0) -> ScoreSpread:
    """Measure the dot products of 64 draws of 32 queries and 32 keys, all entries normal with
    variance 1.

    The width 1024 takes 0.1 s. Source: Vaswani et al. 2017, section 3.2.1, footnote 4.
    """
    rng = generator(seed, Stream.SPREADS)
    shape = (N_DRAWS, N_KEYS, d_k)
    queries_RTK, keys_RSK = rng.standard_normal(shape), rng.standard_normal(shape)
    scores_RTS = queries_RTK @ keys_RSK.swapaxes(-1, -2)
    # The mean is 0 in theory, so the mean square of each draw estimates the variance.
    variance_R = np.square(scores_RTS).mean(axis=(1, 2))
    error = float(variance_R.std(ddof=1)) / N_DRAWS**0.5
    return ScoreSpread(
        d_k,
        float(variance_R.mean()),
        error,
        sharpness(scores_RTS),
        sharpness(scores_RTS / np.sqrt(d_k)),
    )


def score_spreads() -> tuple[ScoreSpread, ...]:
    """The same for widths from 1 to 1024."""
    return tuple(score_spread(d_k) for d_k in KEY_SIZES)
