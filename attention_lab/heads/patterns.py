"""What the probabilities of a head say, row by row and column by column: one formula per function.

X stands for any leading axes, such as batch and head.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attention_core.checks import Array
from attention_core.trace import Trace

from .number_range import binary_exponent, scaled_to_one

NUMBERS_AT_A_TIME = 2**18  # 2 MB as float64


@dataclass(frozen=True, eq=False)
class Pattern:
    """What the measures of a head read.

    Shapes: all three (B, H, T, S). allowed: bool, which keys a query may see. scores: None if only
    the probabilities are known. in_order: query i and key i are the same token, so that distances
    between them mean something.
    """

    probabilities: Array
    allowed: Array
    scores: Array | None = None
    in_order: bool = True

    @property
    def occupied(self) -> Array:
        """Which queries may see at least one key. Shapes: (B, H, T) bool."""
        return np.asarray(self.allowed.any(axis=-1))

    @cached_property
    def uniform(self) -> Pattern:
        """The pattern of a head without preferences: every key that a query may see gets the
        same share.
        """
        return uniform_pattern(self.allowed, in_order=self.in_order)


def uniform_pattern(allowed_BHTS: Array, *, in_order: bool = True) -> Pattern:
    """The pattern of heads that give the same share to every key that a query may see. Shapes: (B,
    H, T, S) bool.
    """
    count_BHT1 = np.maximum(allowed_BHTS.sum(axis=-1, keepdims=True), 1)
    return Pattern(allowed_BHTS / count_BHT1, allowed_BHTS, in_order=in_order)


def pattern_of(trace: Trace) -> Pattern:
    """The patterns of all heads of a trace, in float64. Rows of queries that may see no key are
    zeros.
    """
    allowed_BHTS = ~trace.hidden
    probabilities_BHTS = np.where(allowed_BHTS, trace.probabilities, 0.0).astype(np.float64)
    return Pattern(probabilities_BHTS, allowed_BHTS, trace.scores, trace.memory is trace.inputs)


def entropy(probabilities_XTS: Array) -> Array:
    """How widely a query spreads its attention: -Σ a ln a, with 0 ln 0 = 0.

    Shapes: (X, T, S) -> (X, T). Units or range: nats, 0 to ln n for n keys. Source: Shannon 1948,
    section 6.

    >>> entropy(np.array([[0.5, 0.5], [1.0, 0.0]])).round(4).tolist()
    [0.6931, 0.0]
    """

    def spread(shares_RS: Array, _: Array) -> Array:
        logarithms_RS = np.log(np.where(shares_RS > 0, shares_RS, 1.0))
        # The sum is never positive; abs gives 0 instead of -0.
        spread_R: Array = np.abs((shares_RS * logarithms_RS).sum(axis=-1))
        return spread_R

    return apply_by_rows(spread, probabilities_XTS)


def largest_entropy(n_keys: int) -> float:
    """The entropy of attention that is spread evenly over n keys: ln n. No row has more. Units or
    range: nats.

    >>> round(largest_entropy(32), 2)
    3.47
    """
    return math.log(n_keys)


def normalised_entropy(probabilities_XTS: Array, allowed_XTS: Array) -> Array:
    """The entropy divided by the largest possible one, ln n for n allowed keys; 0 if there is only
    one key.

    Shapes: (X, T, S) twice -> (X, T). Units or range: 0 to 1.
    """
    largest_XT = np.log(np.maximum(allowed_XTS.sum(axis=-1), 1))
    spread_XT = entropy(probabilities_XTS)
    shares_XT: Array = np.divide(
        spread_XT, largest_XT, out=np.zeros_like(spread_XT), where=largest_XT > 0
    )
    return shares_XT


def effective_tokens(probabilities_XTS: Array) -> Array:
    """How many tokens with equal shares have the same entropy: e^H. Shapes: (X, T, S) -> (X, T)."""
    counts_XT: Array = np.exp(entropy(probabilities_XTS))
    return counts_XT


def participation_ratio(probabilities_XTS: Array) -> Array:
    """How many tokens with equal shares have the same Σ a²: 1/Σ a². It is never more than e^H. NaN
    for a row of zeros.

    Shapes: (X, T, S) -> (X, T). Source: Bell and Dean 1970 (participation ratio).
    """
    squares_XT = apply_by_rows(
        lambda shares_RS, _: np.square(shares_RS).sum(axis=-1), probabilities_XTS
    )
    counts_XT: Array = np.divide(
        1.0, squares_XT, out=np.full_like(squares_XT, np.nan), where=squares_XT > 0
    )
    return counts_XT


def apply_by_rows(formula: Callable[[Array, Array], Array], shares_XTS: Array) -> Array:
    """A number for every row, computed for some rows at a time: all rows at once would need
    several copies of the whole array. The formula gets rows and their numbers.
    """
    rows_RS = shares_XTS.reshape(-1, shares_XTS.shape[-1])
    row_R = np.arange(len(rows_RS))
    step = max(1, NUMBERS_AT_A_TIME // rows_RS.shape[1])
    parts = [
        formula(rows_RS[i : i + step], row_R[i : i + step]) for i in range(0, len(rows_RS), step)
    ]
    return np.concatenate(parts).reshape(shares_XTS.shape[:-1])


def column_sums(probabilities_XTS: Array) -> Array:
    """How much all queries together read from a key: Σ_i a. Shapes: (X, T, S) -> (X, S). Range:
    0 to T.
    """
    sums_XS: Array = probabilities_XTS.sum(axis=-2)
    return sums_XS


def score_rank(scores_XTS: Array) -> Array:
    """The rank of a head's raw scores, at most d_k. Shapes: (X, T, S) -> (X)."""
    rank_X: Array = np.asarray(np.linalg.matrix_rank(scaled_to_one(scores_XTS)))
    return rank_X


def mean_of_rows(values_XT: Array) -> Array:
    """The mean over the queries that have a value; NaN if none has. Shapes: (X, T) -> (X)."""
    known_XT = ~np.isnan(values_XT)
    count_X = known_XT.sum(axis=-1)
    # The sum of huge numbers leaves the range of float; a power of 2 rounds nothing.
    exponent_X1 = binary_exponent(values_XT, axis=-1)
    total_X = np.ldexp(np.where(known_XT, values_XT, 0.0), -exponent_X1).sum(axis=-1)
    means_X: Array = np.divide(
        total_X, count_X, out=np.full(count_X.shape, np.nan), where=count_X > 0
    )
    return np.ldexp(means_X, exponent_X1[..., 0])


def mean_distance(probabilities_XTS: Array) -> Array:
    """How far a query looks on average, in either direction: Σ a |i - j|. Shapes: (X, T, S) ->
    (X, T).
    """
    return _distance(probabilities_XTS, np.abs)


def signed_distance(probabilities_XTS: Array) -> Array:
    """Where a query looks on average: Σ a (j - i), negative for earlier tokens. Shapes: (X, T,
    S) -> (X, T).
    """
    return _distance(probabilities_XTS, np.asarray)


def _distance(probabilities_XTS: Array, distance_of: Callable[[Array], Array]) -> Array:
    n_queries, n_keys = probabilities_XTS.shape[-2:]
    keys_S = np.arange(n_keys)

    def distance(shares_RS: Array, row_R: Array) -> Array:
        distance_R: Array = (
            shares_RS * distance_of(keys_S - row_R[:, np.newaxis] % n_queries)
        ).sum(axis=-1)
        return distance_R

    return apply_by_rows(distance, probabilities_XTS)


def offset_mass(probabilities_XTS: Array, offset: int) -> Array:
    """The share of the token that stands `offset` places after the query; NaN if there is none.

    Shapes: (X, T, S) -> (X, T). Units or range: 0 to 1.

    >>> offset_mass(np.array([[1.0, 0.0], [0.25, 0.75]]), -1).tolist()
    [nan, 0.25]
    """
    n_queries, n_keys = probabilities_XTS.shape[-2:]
    mass_XT = np.full(probabilities_XTS.shape[:-1], np.nan)
    rows = np.arange(max(0, -offset), max(0, min(n_queries, n_keys - offset)))
    mass_XT[..., rows] = probabilities_XTS[..., rows, rows + offset]
    return mass_XT
