"""Several heads as one matrix, and what gets lost on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array, as_array, as_list, whole_number
from attention_core.errors import SettingsError, ShapeError
from attention_core.trace import Trace

from .patterns import effective_tokens, entropy, mean_of_rows, pattern_of


def chosen_heads(numbers_HTS: Array, heads: Sequence[int]) -> Array:
    """The matrices of some heads. Shapes: (H, T, S) -> (N, T, S). Raises: SettingsError."""
    numbers_HTS = as_array("numbers", numbers_HTS)  # NaN and -inf stand for cells that hold nothing
    if numbers_HTS.dtype.kind not in "biuf" or numbers_HTS.ndim == 0 or 0 in numbers_HTS.shape:
        raise ShapeError(
            f"numbers is {numbers_HTS.dtype} of shape {numbers_HTS.shape} but must hold a matrix"
            " for each head"
        )
    if not (chosen := as_list("heads", heads)):
        raise SettingsError("no head was chosen; choose at least one")
    return numbers_HTS[[whole_number("head", head, 0, len(numbers_HTS) - 1) for head in chosen]]


def mean_of_heads(numbers_HTS: Array, heads: Sequence[int]) -> Array:
    """The mean of some heads, cell by cell; rows of shares stay shares. Shapes: (H, T, S) -> (T,
    S).

    >>> mean_of_heads(np.array([[[1.0, 0.0]], [[0.0, 1.0]]]), [0, 1]).tolist()
    [[0.5, 0.5]]
    """
    mean_TS: Array = chosen_heads(numbers_HTS, heads).mean(axis=0)
    return mean_TS


def maximum_of_heads(numbers_HTS: Array, heads: Sequence[int]) -> Array:
    """The strongest of some heads, cell by cell; rows of shares can sum to more than 1. Shapes:
    (H, T, S) -> (T, S).
    """
    most_TS: Array = chosen_heads(numbers_HTS, heads).max(axis=0)
    return most_TS


@dataclass(frozen=True)
class Blur:
    """What some heads and their summaries read; NaN where no query may see a key.

    in_a_head, in_the_mean: effective tokens of a query, averaged over the queries that see a key in
    every head; those in a head are e to the mean of the heads' entropies. most: the largest sum of
    a row of their maximum.
    """

    in_a_head: float
    in_the_mean: float
    most: float


def blur(trace: Trace, heads: Sequence[int]) -> Blur:
    """How much wider the mean of some heads looks than the heads themselves. Raises: SettingsError.

    The entropy of a mean is at least the mean of the entropies, so the mean never looks narrower;
    than the mean of the heads' effective tokens it might, for e to the entropy is not concave.
    Source: Shannon 1948, section 6 (concavity).
    """
    pattern = pattern_of(trace)
    shares_HTS = chosen_heads(pattern.probabilities[0], heads)
    seen_T = chosen_heads(pattern.occupied[0], heads).all(axis=0)
    widths_T = np.exp(entropy(shares_HTS).mean(axis=0)), effective_tokens(shares_HTS.mean(axis=0))
    in_a_head, in_the_mean = (
        float(mean_of_rows(np.where(seen_T, width_T, np.nan))) for width_T in widths_T
    )
    return Blur(in_a_head, in_the_mean, float(shares_HTS.max(axis=0).sum(axis=-1).max()))
