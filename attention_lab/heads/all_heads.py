"""Several heads as one matrix, and what is lost on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array
from attention_core.trace import Trace

from .patterns import effective_tokens, entropy, mean_of_rows, pattern_of


def mean_of_heads(numbers_HTS: Array, heads: Sequence[int]) -> Array:
    """The mean of some heads, cell by cell. Rows of shares still sum to 1. Shapes: (H, T, S) -> (T,
    S).

    >>> mean_of_heads(np.array([[[1.0, 0.0]], [[0.0, 1.0]]]), [0, 1]).tolist()
    [[0.5, 0.5]]
    """
    mean_TS: Array = numbers_HTS[list(heads)].mean(axis=0)
    return mean_TS


def maximum_of_heads(numbers_HTS: Array, heads: Sequence[int]) -> Array:
    """The largest number of some heads, cell by cell. Rows of shares can sum to more than 1.
    Shapes: (H, T, S) -> (T, S).
    """
    maximum_TS: Array = numbers_HTS[list(heads)].max(axis=0)
    return maximum_TS


@dataclass(frozen=True)
class AveragingEffect:
    """How many tokens a query reads in single heads and in their mean; NaN if no query may see a
    key in every head.

    in_a_head, in_the_mean: effective tokens, averaged over the queries that may see a key in every
    head. For single heads this is e to the mean of the heads' entropies. largest_sum: the largest
    row sum of the maximum of the heads.
    """

    in_a_head: float
    in_the_mean: float
    largest_sum: float


def averaging_effect(trace: Trace, heads: Sequence[int]) -> AveragingEffect:
    """How much wider the mean of some heads looks than the heads themselves.

    The entropy of a mean is at least the mean of the entropies, so the mean never looks narrower.
    Compared with the mean of the heads' effective tokens it could, because e to the entropy is not
    concave. Source: Shannon 1948, section 6 (concavity).
    """
    pattern, chosen = pattern_of(trace), list(heads)
    shares_HTS = pattern.probabilities[0, chosen]
    seen_T = pattern.occupied[0, chosen].all(axis=0)
    widths_T = np.exp(entropy(shares_HTS).mean(axis=0)), effective_tokens(shares_HTS.mean(axis=0))
    in_a_head, in_the_mean = (
        float(mean_of_rows(np.where(seen_T, width_T, np.nan))) for width_T in widths_T
    )
    return AveragingEffect(in_a_head, in_the_mean, float(shares_HTS.max(axis=0).sum(axis=-1).max()))
