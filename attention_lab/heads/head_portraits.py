"""What a head does, in numbers. Each measure is declared once, with formula, range and meaning."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array

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


MEASURES: tuple[Measure, ...] = (
    Measure(
        "entropy",
        "entropy",
        r"\mathcal{H}_i = -\sum_j A_{ij} \ln A_{ij}",
        r"0 (one token) to $\ln n_i$ (equal shares)",
        "How widely a query spreads its attention: 0 if it reads a single token. The unit is the"
        " nat, because the logarithm is natural.",
        _mean(patterns.entropy),
    ),
    Measure(
        "normalised_entropy",
        "normalised entropy",
        r"\hat{\mathcal{H}}_i = \mathcal{H}_i / \ln n_i",
        "0 (one token) to 1 (equal shares); 0 if the query may see only one key",
        "The entropy divided by the largest possible one, so that queries with different numbers"
        " of keys can be compared.",
        _normalised,
    ),
    Measure(
        "effective_tokens",
        "effective tokens",
        r"e^{\mathcal{H}_i}",
        "1 to $n_i$",
        "How many tokens with equal shares have the same entropy.",
        _mean(patterns.effective_tokens),
    ),
    Measure(
        "participation",
        "participation",
        r"P_i = 1 \big/ \sum_j A_{ij}^2",
        "1 to the effective tokens",
        "Another count of the tokens read: how many tokens with equal shares have the same sum of"
        " squares. Small shares count less than in the effective tokens.",
        _mean(patterns.participation_ratio),
    ),
    Measure(
        "mean_distance",
        "mean distance",
        r"d_i = \sum_j A_{ij}\, |i - j|",
        "0 to the length of the sequence − 1",
        "How many positions away the tokens are that a query reads, on average.",
        _mean(patterns.mean_distance),
        in_order=True,
    ),
    Measure(
        "signed_distance",
        "signed distance",
        r"\delta_i = \sum_j A_{ij}\,(j - i)",
        "−(length of the sequence − 1) to length − 1; negative means earlier tokens",
        "In which direction a query looks: near −1 for a head that reads the previous token, near"
        " +1 for one that reads the next token.",
        _mean(patterns.signed_distance),
        in_order=True,
    ),
    Measure(
        "self_mass",
        "self-mass",
        r"A_{ii}",
        "0 to 1",
        "The share that a token reads from itself.",
        _at(0),
        in_order=True,
    ),
    Measure(
        "previous_mass",
        "previous-token mass",
        r"A_{i,i-1}",
        "0 to 1; the first token has none",
        "The share that a token reads from the token before it.",
        _at(-1),
        in_order=True,
    ),
    Measure(
        "next_mass",
        "next-token mass",
        r"A_{i,i+1}",
        "0 to 1; the last token has none",
        "The share that a token reads from the token after it.",
        _at(1),
        in_order=True,
    ),
    Measure(
        "first_mass",
        "first-token mass",
        r"A_{i0}",
        "0 to 1",
        "The share that a query reads from the first token. Trained heads that find nothing useful"
        " often read it.",
        _mean(lambda shares: shares[..., 0]),
    ),
    Measure(
        "column_sums",
        "column sums",
        r"c_j = \sum_i A_{ij}",
        "0 to the number of queries; all columns together sum to that number",
        "How much all queries together read from a key. The number of a head is the largest of its"
        " column sums.",
        _most_read,
    ),
    Measure(
        "rank",
        "rank of the scores",
        r"\operatorname{rank} S = \#\{\sigma_r > 0\} \le d_k",
        "0 to $d_k$, and at most the number of tokens",
        "The rank of the matrix of raw scores: how many independent products of a query feature"
        " with a key feature it is made of.",
        _rank,
        of_scores=True,
    ),
)
