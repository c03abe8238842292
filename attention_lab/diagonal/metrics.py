"""The numbers that measure a diagonal: the formula, range and meaning of each are a row of
`assets/data/metrics.csv`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from attention_core.checks import Array

from ..home import read_table
from . import measures
from .measures import (
    TOLERANCE,
    SelfAttention,
    diagonal,
    diagonal_margins,
    log_cross_ratios,
    pair_violations,
    seen_pairs,
    uniform_self_mass,
)

# Four scores of equal tokens cancel up to their rounding.
LOGIT_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Metric:
    """One number about the diagonal. symbol, formula and range are LaTeX; meaning: in words.

    of: computes it from a `SelfAttention`, one number for each matrix of a stack; NaN where there
    is nothing to measure (no pair, no weights).
    """

    of: Callable[[SelfAttention], Any]
    title: str
    symbol: str
    formula: str
    range: str
    meaning: str

    @property
    def name(self) -> str:
        """The name of the number in code, which exports write: that of its function."""
        return self.of.__name__


def self_mass(attention: SelfAttention) -> Array:
    """D: the mean of the diagonal of A, which is trace(A)/N."""
    mass: Array = diagonal(attention.probabilities).mean(axis=-1)
    return mass


def excess_self_mass(attention: SelfAttention) -> Array:
    """D* = (D - U)/(1 - U); 0 for uniform attention, NaN when no token sees another (U = 1)."""
    uniform = uniform_self_mass(attention.scores)
    return _quotient(self_mass(attention) - uniform, 1.0 - uniform)


def argmax_rate(attention: SelfAttention) -> Array:
    """R: the share of rows whose largest score is the diagonal one; ties up to rounding count."""
    own_XT, margin_XT = diagonal(attention.scores), diagonal_margins(attention.scores)
    rounding_XT = TOLERANCE * np.maximum(1.0, np.abs(own_XT))
    rate: Array = (np.isfinite(own_XT) & (margin_XT >= -rounding_XT)).mean(axis=-1)
    return rate


def majority_rate(attention: SelfAttention) -> Array:
    """The share of rows with a_ii > 1/2: strict diagonal dominance as linear algebra means it."""
    rate: Array = (diagonal(attention.probabilities) > 0.5).mean(axis=-1)
    return rate


def mean_margin(attention: SelfAttention) -> Array:
    """The mean of the finite margins."""
    margin_XT = diagonal_margins(attention.scores)
    finite = np.isfinite(margin_XT)
    return _quotient(np.where(finite, margin_XT, 0.0).sum(axis=-1), finite.sum(axis=-1))


def least_margin(attention: SelfAttention) -> Array:
    """The smallest finite margin."""
    margin_XT = diagonal_margins(attention.scores)
    least = np.where(np.isfinite(margin_XT), margin_XT, np.inf).min(axis=-1)
    lowest: Array = np.where(np.isfinite(least), least, np.nan)
    return lowest


def violation_rate(attention: SelfAttention) -> Array:
    """V: the share of the visible ordered pairs with a_ij > max(a_ii, a_jj)."""
    pairs = seen_pairs(attention.scores)
    return _mean_over_pairs(pair_violations(attention.probabilities), pairs)


def mean_log_cross_ratio(attention: SelfAttention) -> Array:
    """The mean of χ over the pairs that see each other."""
    return _mean_over_pairs(*_ratios_of_pairs(attention))


def negative_cross_ratios(attention: SelfAttention) -> Array:
    """The share of these pairs with χ < 0: they look at each other more than at themselves."""
    ratios, pairs = _ratios_of_pairs(attention)
    return _mean_over_pairs(ratios < -LOGIT_TOLERANCE, pairs)


def gram_alignment(attention: SelfAttention) -> float:
    """g: the cosine between W_Q and W_K; NaN without weights."""
    if attention.w_q is None or attention.w_k is None:
        return np.nan
    return measures.gram_alignment(attention.w_q, attention.w_k)


def measure_diagonal(attention: SelfAttention) -> dict[str, float | None]:
    """Every metric of one matrix by name; None where there is nothing to measure.

    >>> numbers = measure_diagonal(SelfAttention(np.zeros((2, 2)), np.full((2, 2), 0.5)))
    >>> numbers["self_mass"], numbers["excess_self_mass"], numbers["gram_alignment"]
    (0.5, 0.0, None)
    """
    values = {metric.name: float(metric.of(attention)) for metric in METRICS}
    return {name: None if np.isnan(value) else value for name, value in values.items()}


def _quotient(numerator: Any, denominator: Any) -> Array:
    """numerator / denominator, and NaN where the denominator is 0."""
    share: Array = np.divide(
        numerator, denominator, out=np.full(np.shape(numerator), np.nan), where=denominator != 0
    )
    return share


def _mean_over_pairs(cells_XTT: Array, pairs_XTT: Array) -> Array:
    """The mean of the cells of some pairs; NaN where there is none."""
    total = np.where(pairs_XTT, cells_XTT, 0).sum(axis=(-2, -1))
    return _quotient(total, pairs_XTT.sum(axis=(-2, -1)))


def _ratios_of_pairs(attention: SelfAttention) -> tuple[Array, Array]:
    ratios = log_cross_ratios(attention.scores)
    return ratios, np.isfinite(ratios) & seen_pairs(attention.scores)


_OF: dict[str, Callable[[SelfAttention], Any]] = {
    of.__name__: of
    for of in (
        *(self_mass, excess_self_mass, argmax_rate, majority_rate, mean_margin, least_margin),
        *(violation_rate, mean_log_cross_ratio, negative_cross_ratios, gram_alignment),
    )
}
METRICS = tuple(Metric(_OF[row.pop("name")], **row) for row in read_table("metrics"))
