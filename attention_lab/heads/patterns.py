"""What the probabilities of a head say, row by row and column by column: one formula per function.

X stands for any leading axes, such as batch and head.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import (
    Array,
    as_array,
    as_numbers,
    as_stack,
    check_alike,
    check_switch,
    number_between,
    whole_number,
)
from attention_core.errors import SettingsError
from attention_core.trace import Trace

from .measure_checks import as_measured, as_shares, binary_size, unit_sized

_BLOCK = 2**18  # numbers that are measured at a time: 2 MB as float64


@dataclass(frozen=True, eq=False)
class Pattern:
    """What the measures of a head read.

    Shapes: three times (B, H, T, S); allowed is bool; scores None where only probabilities are
    known. in_order: query i and key i are the same token, so that distances between them mean
    something. resolution: the smallest relative difference that the numbers can show.
    """

    probabilities: Array
    allowed: Array
    scores: Array | None = None
    in_order: bool = True
    resolution: float = float(np.finfo(np.float64).eps)

    def __post_init__(self) -> None:
        object.__setattr__(self, "probabilities", as_shares("probabilities", self.probabilities, 2))
        object.__setattr__(self, "allowed", as_allowed(self.allowed))
        check_alike("allowed", self.allowed, "probabilities", self.probabilities)
        if self.scores is not None:
            object.__setattr__(self, "scores", as_numbers("scores", self.scores))
            check_alike("scores", self.scores, "probabilities", self.probabilities)
        check_switch("in_order", self.in_order)
        number_between("resolution", self.resolution, 0.0)

    @property
    def occupied(self) -> Array:
        """Which queries have something to attend to. Shapes: (B, H, T) bool."""
        return np.asarray(self.allowed.any(axis=-1))

    @cached_property
    def uniform(self) -> Pattern:
        """The pattern of a head without preferences: every key that a query may see gets the
        same share.
        """
        return evenly(self.allowed, in_order=self.in_order)


def evenly(allowed_BHTS: Array, *, in_order: bool = True) -> Pattern:
    """The pattern of heads that give every key that a query may see the same share. Shapes: (B,
    H, T, S) bool.
    """
    count_BHT1 = np.maximum(as_allowed(allowed_BHTS).sum(axis=-1, keepdims=True), 1)
    return Pattern(allowed_BHTS / count_BHT1, allowed_BHTS, in_order=in_order)


def pattern_of(trace: Trace) -> Pattern:
    """The patterns of all heads of a trace, in float64; rows with nothing to attend to are
    zeros.
    """
    allowed_BHTS = ~trace.hidden
    probabilities_BHTS = np.where(allowed_BHTS, trace.probabilities, 0.0).astype(np.float64)
    resolution = float(np.finfo(trace.probabilities.dtype).eps)
    return Pattern(
        probabilities_BHTS, allowed_BHTS, trace.scores, trace.memory is trace.inputs, resolution
    )


def as_allowed(allowed: ArrayLike) -> Array:
    """Which keys each query may see, as bool. Raises: SettingsError, ShapeError."""
    array = as_array("allowed", allowed)
    if array.dtype != np.bool_:
        raise SettingsError(
            f"allowed must be bool (True = may attend), but is {array.dtype}; write allowed > 0"
        )
    return array


def entropy(probabilities_XTS: Array) -> Array:
    """How widely a query spreads its attention: -Σ a ln a, with 0 ln 0 = 0.

    Shapes: (X, T, S) -> (X, T). Units or range: nats, 0 to ln n for n keys. Source: Shannon 1948,
    section 6.

    >>> entropy(np.array([[0.5, 0.5], [1.0, 0.0]])).round(4).tolist()
    [0.6931, 0.0]
    """

    def spread(shares_RS: Array, _: Array) -> Array:
        logarithms_RS = np.log(np.where(shares_RS > 0, shares_RS, 1.0))
        spread_R: Array = np.abs(
            (shares_RS * logarithms_RS).sum(axis=-1)
        )  # never positive before; 0, not -0
        return spread_R

    return by_rows(spread, as_shares("probabilities", probabilities_XTS))


def largest_entropy(n_keys: int) -> float:
    """The entropy of attention that is spread evenly over n keys, ln n: no row has more. Units or
    range: nats.

    >>> round(largest_entropy(32), 2)
    3.47
    """
    return math.log(whole_number("n_keys", n_keys, 1))


def normalised_entropy(probabilities_XTS: Array, allowed_XTS: Array) -> Array:
    """The entropy as a share of the largest possible one, ln n for n allowed keys; 0 where there is
    only one.

    Shapes: (X, T, S) twice -> (X, T). Units or range: 0 to 1.
    """
    allowed_XTS, probabilities_XTS = (
        as_allowed(allowed_XTS),
        as_shares("probabilities", probabilities_XTS),
    )
    check_alike("allowed", allowed_XTS, "probabilities", probabilities_XTS)
    largest_XT = np.log(np.maximum(allowed_XTS.sum(axis=-1), 1))
    spread_XT = entropy(probabilities_XTS)
    shares_XT: Array = np.divide(
        spread_XT, largest_XT, out=np.zeros_like(spread_XT), where=largest_XT > 0
    )
    return shares_XT


def effective_tokens(probabilities_XTS: Array) -> Array:
    """How many tokens, read equally, would give the same entropy: e^H. Shapes: (X, T, S) -> (X,
    T).
    """
    counts_XT: Array = np.exp(entropy(probabilities_XTS))
    return counts_XT


def participation(probabilities_XTS: Array) -> Array:
    """How many tokens, read equally, would give the same Σ a²: 1/Σ a²; never more than e^H. NaN for
    a row of zeros.

    Shapes: (X, T, S) -> (X, T). Source: Bell and Dean 1970 (participation ratio).
    """
    shares_XTS = as_shares("probabilities", probabilities_XTS)
    squares_XT = by_rows(lambda shares_RS, _: np.square(shares_RS).sum(axis=-1), shares_XTS)
    counts_XT: Array = np.divide(
        1.0, squares_XT, out=np.full_like(squares_XT, np.nan), where=squares_XT > 0
    )
    return counts_XT


def by_rows(formula: Callable[[Array, Array], Array], shares_XTS: Array) -> Array:
    """A number for every row, from some rows at a time and their places: all at once take
    several copies of them.
    """
    rows_RS = shares_XTS.reshape(-1, shares_XTS.shape[-1])
    row_R = np.arange(len(rows_RS))
    step = max(1, _BLOCK // rows_RS.shape[1])
    parts = [
        formula(rows_RS[i : i + step], row_R[i : i + step]) for i in range(0, len(rows_RS), step)
    ]
    return np.concatenate(parts).reshape(shares_XTS.shape[:-1])


def column_sums(probabilities_XTS: Array) -> Array:
    """How much all queries together read from a key: Σ_i a. Shapes: (X, T, S) -> (X, S). Range:
    0 to T.
    """
    sums_XS: Array = as_shares("probabilities", probabilities_XTS, 2).sum(axis=-2)
    return sums_XS


def singular_values(scores_XTS: Array) -> Array:
    """The singular values of a head's raw scores, the largest first; at most d_k of them are not 0.

    Shapes: (X, T, S) -> (X, min(T, S)).
    """
    values_XR: Array = np.linalg.svd(as_stack("scores", scores_XTS, 2), compute_uv=False)
    return values_XR


def score_rank(scores_XTS: Array) -> Array:
    """How many independent comparisons a head's raw scores hold: their rank, at most d_k.
    Shapes: (X, T, S) -> (X).
    """
    rank_X: Array = np.asarray(
        np.linalg.matrix_rank(unit_sized("scores", as_stack("scores", scores_XTS, 2)))
    )
    return rank_X


def mean_of_rows(values_XT: Array) -> Array:
    """The mean over the queries for which there is a value; NaN where there is none. Shapes:
    (X, T) -> (X).
    """
    known_XT = ~np.isnan(values_XT := as_measured("values", values_XT))
    count_X = known_XT.sum(axis=-1)
    # The sum of very large numbers leaves the range of float; a power of 2 rounds nothing.
    size_X1 = binary_size(values_XT, axis=-1)
    total_X = np.ldexp(np.where(known_XT, values_XT, 0.0), -size_X1).sum(axis=-1)
    means_X: Array = np.divide(
        total_X, count_X, out=np.full(count_X.shape, np.nan), where=count_X > 0
    )
    return np.ldexp(means_X, size_X1[..., 0])
