"""What a head does, in numbers: every measure declared once, with its formula, its range and
its meaning.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array

from . import distances, patterns
from .patterns import Pattern


@dataclass(frozen=True)
class Measure:
    """One measure of a head. `profile` gives its values along an axis of the pattern, `value` one
    number per head.

    formula: LaTeX, i the query, j the key, n_i the number of keys that query i may see. range: in
    words, with formulas between dollar signs. Both are in our letters, for `in_letters` to write in
    those of another text. axis: what the profile runs over, T queries, S keys or R singular values.
    in_order: it needs queries and keys that are the same tokens. of_scores: it reads the raw
    scores, not the probabilities.
    """

    key: str
    name: str
    formula: str
    range: str
    says: str
    profile_of: Callable[[Pattern], Array]
    value_of: Callable[[Pattern], Array] | None = None
    axis: str = "T"
    in_order: bool = False
    of_scores: bool = False

    def applies(self, pattern: Pattern) -> bool:
        """Whether the measure means something here: distances need an order, the rank needs
        scores.
        """
        return (pattern.in_order or not self.in_order) and (
            pattern.scores is not None or not self.of_scores
        )

    def profile(self, pattern: Pattern) -> Array:
        """The measure for each query, key or singular value; NaN for a query with nothing to attend
        to.

        Shapes: (B, H, T), (B, H, S) or (B, H, R).
        """
        values = self.profile_of(pattern)
        return np.where(pattern.occupied, values, np.nan) if self.axis == "T" else values

    def value(self, pattern: Pattern) -> Array:
        """One number per head: the mean over the queries unless the measure says otherwise.
        Shapes: (B, H).
        """
        if self.value_of is not None:
            return self.value_of(pattern)
        return patterns.mean_of_rows(self.profile(pattern))

    def is_known(self, pattern: Pattern, head: int) -> bool:
        """Whether a head of the first sequence has such a number: a single token reads from no
        previous one.
        """
        return bool(np.isfinite(self.value(pattern)[0, head]))

    def baseline(self, pattern: Pattern) -> Array | None:
        """What a head without preferences would have under the same mask; None for what is read off
        the scores.

        Shapes: (B, H).
        """
        return None if self.of_scores else self.value(pattern.uniform)


def _of_probabilities(formula: Callable[[Array], Array]) -> Callable[[Pattern], Array]:
    return lambda pattern: formula(pattern.probabilities)


def _normalised(pattern: Pattern) -> Array:
    return patterns.normalised_entropy(pattern.probabilities, pattern.allowed)


def _at(offset: int) -> Callable[[Pattern], Array]:
    return lambda pattern: distances.offset_mass(pattern.probabilities, offset)


def _first(pattern: Pattern) -> Array:
    return pattern.probabilities[..., 0]


def _most_read(pattern: Pattern) -> Array:
    most_BH: Array = patterns.column_sums(pattern.probabilities).max(axis=-1)
    return most_BH


def _spectrum(pattern: Pattern) -> Array:
    return patterns.singular_values(_scores(pattern))


def _rank(pattern: Pattern) -> Array:
    return patterns.score_rank(_scores(pattern))


def _scores(pattern: Pattern) -> Array:
    # Without scores the rank is not offered (`applies`); an empty matrix has none.
    return np.zeros_like(pattern.probabilities) if pattern.scores is None else pattern.scores


MEASURES: tuple[Measure, ...] = (
    Measure(
        "entropy",
        "entropy",
        r"\mathcal{H}_i = -\sum_j A_{ij} \ln A_{ij}",
        r"0 (one token) to $\ln n_i$ (all alike)",
        "How widely a query spreads its attention, in nats.",
        _of_probabilities(patterns.entropy),
    ),
    Measure(
        "normalised_entropy",
        "normalised entropy",
        r"\hat{\mathcal{H}}_i = \mathcal{H}_i / \ln n_i",
        "0 (one token) to 1 (all alike); 0 when only one key may be seen",
        "The spread as a share of the widest possible one, so that rows of different lengths"
        " compare.",
        _normalised,
    ),
    Measure(
        "effective_tokens",
        "effective tokens",
        r"e^{\mathcal{H}_i}",
        "1 to $n_i$",
        "How many tokens, read equally, would spread the attention as widely.",
        _of_probabilities(patterns.effective_tokens),
    ),
    Measure(
        "participation",
        "participation",
        r"P_i = 1 \big/ \sum_j A_{ij}^2",
        "1 to the effective tokens",
        "Another count of the tokens read, on which small shares weigh less.",
        _of_probabilities(patterns.participation),
    ),
    Measure(
        "mean_distance",
        "mean distance",
        r"d_i = \sum_j A_{ij}\, |i - j|",
        "0 to the length of the sequence − 1",
        "How many positions away the tokens lie that a query reads.",
        _of_probabilities(distances.mean_distance),
        in_order=True,
    ),
    Measure(
        "signed_distance",
        "signed distance",
        r"\delta_i = \sum_j A_{ij}\,(j - i)",
        "minus to plus the length of the sequence − 1; negative looks back",
        "In which direction a query looks: a head for previous words is near −1, one for next words"
        " near +1.",
        _of_probabilities(distances.signed_distance),
        in_order=True,
    ),
    Measure(
        "self_mass",
        "self-mass",
        r"A_{ii}",
        "0 to 1",
        "How much a token reads from itself.",
        _at(0),
        in_order=True,
    ),
    Measure(
        "previous_mass",
        "previous-token mass",
        r"A_{i,i-1}",
        "0 to 1; the first token has none",
        "How much a token reads from the one before it.",
        _at(-1),
        in_order=True,
    ),
    Measure(
        "next_mass",
        "next-token mass",
        r"A_{i,i+1}",
        "0 to 1; the last token has none",
        "How much a token reads from the one after it.",
        _at(1),
        in_order=True,
    ),
    Measure(
        "first_mass",
        "first-token mass",
        r"A_{i0}",
        "0 to 1",
        "How much a query reads from the first token, where heads with nothing to do often look.",
        _first,
    ),
    Measure(
        "column_sums",
        "column sums",
        r"c_j = \sum_i A_{ij}",
        "0 to the number of queries; they add up to it",
        "How much all queries together read from a key; the number of the head is that of its"
        " most-read key.",
        _of_probabilities(patterns.column_sums),
        _most_read,
        axis="S",
    ),
    Measure(
        "rank",
        "rank of the scores",
        r"\operatorname{rank} S = \#\{\sigma_r > 0\} \le d_k",
        "0 to $d_k$, and at most the number of tokens",
        "How many independent comparisons the raw scores hold; the profile is their singular"
        " values.",
        _spectrum,
        _rank,
        axis="R",
        of_scores=True,
    ),
)
