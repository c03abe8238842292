"""What a head does, in numbers. The formula, range and meaning of each measure are a row of
`assets/data/head_measures.csv`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array

from ..home import read_table
from . import patterns
from .patterns import Pattern


@dataclass(frozen=True)
class Measure:
    """One measure of a head. value: one number for each head of a pattern, (B, H).

    formula: LaTeX; i is the query, j the key, n_i the number of keys that query i may see. range:
    words, with formulas between dollar signs. `in_letters` writes both in the letters of another
    text. in_order: queries and keys must be the same tokens. of_scores: it reads the raw scores,
    not the probabilities.
    """

    key: str
    name: str
    formula: str
    range: str
    description: str
    value: Callable[[Pattern], Array]
    in_order: bool = False
    of_scores: bool = False

    def applies(self, pattern: Pattern) -> bool:
        """Whether the measure has a meaning for this pattern: distances need an order, the rank
        needs scores.
        """
        return (pattern.in_order or not self.in_order) and (
            pattern.scores is not None or not self.of_scores
        )

    def baseline(self, pattern: Pattern) -> Array | None:
        """The value of a head without preferences under the same mask; None for measures of the
        scores.

        Shapes: (B, H).
        """
        return None if self.of_scores else self.value(pattern.uniform)


def _mean(formula: Callable[[Array], Array]) -> Callable[[Pattern], Array]:
    """The mean of a formula over the queries that may see a key. It reads the probabilities."""
    return lambda pattern: _of_queries(pattern, formula(pattern.probabilities))


def _of_queries(pattern: Pattern, values: Array) -> Array:
    return patterns.mean_of_rows(np.where(pattern.occupied, values, np.nan))


def _normalised(pattern: Pattern) -> Array:
    values = patterns.normalised_entropy(pattern.probabilities, pattern.allowed)
    return _of_queries(pattern, values)


def _at(offset: int) -> Callable[[Pattern], Array]:
    return _mean(lambda shares: patterns.offset_mass(shares, offset))


def _most_read(pattern: Pattern) -> Array:
    most_BH: Array = patterns.column_sums(pattern.probabilities).max(axis=-1)
    return most_BH


def _rank(pattern: Pattern) -> Array:
    # Without scores the rank is not offered (`applies`).
    no_scores = np.zeros_like(pattern.probabilities)
    return patterns.score_rank(no_scores if pattern.scores is None else pattern.scores)


_VALUES: Mapping[str, Callable[[Pattern], Array]] = {
    "entropy": _mean(patterns.entropy),
    "normalised_entropy": _normalised,
    "effective_tokens": _mean(patterns.effective_tokens),
    "participation": _mean(patterns.participation_ratio),
    "mean_distance": _mean(patterns.mean_distance),
    "signed_distance": _mean(patterns.signed_distance),
    "self_mass": _at(0),
    "previous_mass": _at(-1),
    "next_mass": _at(1),
    "first_mass": _mean(lambda shares: shares[..., 0]),
    "column_sums": _most_read,
    "rank": _rank,
}
_IN_ORDER = ("mean_distance", "signed_distance", "self_mass", "previous_mass", "next_mass")
MEASURES = tuple(
    Measure(value=_VALUES[key], in_order=key in _IN_ORDER, of_scores=key == "rank", **row)
    for row in read_table("head_measures")
    for key in (row["key"],)
)
