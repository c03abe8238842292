"""Which keys heads read, how sharply, and what is lost in the mean of several heads."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from attention_core.checks import Array
from attention_core.formulas import softmax
from attention_core.trace import Trace

from ..rounding import RELATIVE_ROUNDING
from ..words.numbers import Count, Number, Share, Told
from .number_range import binary_exponent
from .patterns import effective_tokens, entropy, mean_of_rows, pattern_of


def strongest_keys(trace: Trace, head: int, query: int, count: int) -> list[tuple[int, float]]:
    """The keys that a query reads most from, with their probabilities, the largest first. Keys with
    probability 0 are left out.

    >>> from attention_core import Projections, attend
    >>> keys = strongest_keys(attend([[1.0], [2.0]], Projections.weightless(1)), head=0, query=0,
    ...     count=1)
    >>> [(key, round(share, 3)) for key, share in keys]
    [(1, 0.731)]
    """
    row_S = trace.probabilities[0, head, query]
    order = np.argsort(-row_S, kind="stable")[:count]
    largest = zip(order.tolist(), row_S[order].tolist(), strict=True)
    return [(key, share) for key, share in largest if share > 0]


def keys_read_most(trace: Trace, head: int, query: int) -> tuple[int, ...]:
    """The keys with the largest share of a query: several if their shares are equal up to rounding.

    >>> from attention_core import Projections, attend
    >>> keys_read_most(attend([[1.0], [1.0], [0.5]], Projections.weightless(1)), head=0, query=0)
    (0, 1)
    """
    row_S = trace.probabilities[0, head, query]
    most = row_S >= row_S.max() * (1 - RELATIVE_ROUNDING[row_S.dtype])
    return tuple(int(key) for key in np.flatnonzero(most & (row_S > 0)))


MAX_DRAWN_LINES = 200


class Lines(NamedTuple):
    """The largest shares of some heads. drawn: head (its place among them), query and key of each,
    the weakest first; shape (L, 3). left_out: how many weaker ones there are.
    """

    drawn: Array
    left_out: int


def strongest_lines(shares_NTS: Array, which: str, query: int, key: int) -> Lines:
    """The at most `MAX_DRAWN_LINES` largest shares, without those of 0.

    which: "query" for those of one query, "key" for those of one key, "all" for all.
    """
    row, column = query if which == "query" else slice(None), key if which == "key" else slice(None)
    wanted_NTS = np.zeros_like(shares_NTS)
    wanted_NTS[:, row, column] = shares_NTS[:, row, column]
    order = np.argsort(wanted_NTS, axis=None, kind="stable")[-MAX_DRAWN_LINES:]
    order = order[wanted_NTS.ravel()[order] > 0]
    drawn_L3 = np.stack(np.unravel_index(order, wanted_NTS.shape), axis=1)
    return Lines(drawn_L3, int(np.count_nonzero(wanted_NTS)) - len(drawn_L3))


class ReadRow(NamedTuple):
    """What a query reads in a head.

    strongest: of `strongest_keys`. tied: keys with the largest share. others: keys that it reads
    besides the strongest. hidden: keys that the mask hides. total: of its shares, 1 up to rounding,
    or 0 if it may see no key.
    """

    strongest: list[tuple[int, float]]
    tied: Count
    others: Count
    hidden: Count
    total: Told

    @property
    def key(self) -> int | None:
        """The key that it reads most; None if it may see no key."""
        return self.strongest[0][0] if self.strongest else None

    @property
    def share(self) -> Share:
        """The share of that key, or 0."""
        return Share(self.strongest[0][1] if self.strongest else 0.0)


def read_row(trace: Trace, head: int, query: int, count: int = 3) -> ReadRow:
    """What a query of the first sequence reads, with its `count` strongest keys."""
    row_S = trace.probabilities[0, head, query]
    strongest = strongest_keys(trace, head, query, count)
    return ReadRow(
        strongest,
        tied=Count(len(keys_read_most(trace, head, query))),
        others=Count((row_S > 0).sum() - len(strongest)),
        hidden=Count(trace.hidden_keys[0, head, query]),
        total=Told(row_S.sum()),
    )


@dataclass(frozen=True, eq=False)
class ScaleEffect:
    """What the scale does to one head.

    spread_raw, spread: the standard deviation of the scores without and with the scale. top_raw,
    top: the largest probability of a row without and with the scale, averaged over the rows.
    sum_gap: the largest distance of a row's sum from 1, without the scale or with it. width: d_k,
    and root: its root.
    """

    spread_raw: Told
    spread: Told
    top_raw: Share
    top: Share
    sum_gap: float
    width: Count
    root: Told


def scale_effect(trace: Trace, head: int) -> ScaleEffect:
    """How far the scores of a head spread, and how sharp its softmax is, without and with the
    scale. The mask is left out.
    """
    spread_raw, spread = (
        Told(_spread(scores[0, head]), 2) for scores in (trace.scores, trace.scaled_scores)
    )
    both, width = list(unmasked_shares(trace, head)), Count(trace.sizes["K"])
    top_raw, top = (Share(shares.max(axis=-1).mean()) for shares in both)
    sum_gap = max(float(np.abs(shares.sum(axis=-1) - 1).max()) for shares in both)
    return ScaleEffect(spread_raw, spread, top_raw, top, sum_gap, width, Told(width**0.5, 2))


def _spread(numbers_TS: Array) -> float:
    """The standard deviation, computed on numbers divided by a power of 2: squares of very large
    numbers would leave the range of float.
    """
    exponent_11 = binary_exponent(numbers_TS)
    return float(np.ldexp(np.ldexp(numbers_TS, -exponent_11).std(), exponent_11.item()))


def unmasked_shares(trace: Trace, head: int) -> tuple[Array, Array]:
    """The softmax of a head's raw scores and of its scaled scores, without mask and bias. Shapes:
    (T, S).
    """
    return softmax(trace.scores[0, head]), softmax(trace.scaled_scores[0, head])


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

    in_a_head: Number
    in_the_mean: Number
    largest_sum: Number


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
        Number(float(mean_of_rows(np.where(seen_T, width_T, np.nan))), 1) for width_T in widths_T
    )
    largest_sum = Number(shares_HTS.max(axis=0).sum(axis=-1).max(), 2)
    return AveragingEffect(in_a_head, in_the_mean, largest_sum)
