"""How alike heads are: two measures, which say different things, and an order in which similar
heads are neighbours.

Two heads that spread their attention widely have a small Jensen-Shannon divergence even if they
are unrelated. The centred correlation compares departures from an even spread; for such heads it
is about 0.
"""

from __future__ import annotations

import numpy as np

from attention_core.checks import Array
from attention_core.trace import Trace

from .number_range import scaled_to_one
from .patterns import Pattern, entropy, largest_entropy, pattern_of

LN_2 = largest_entropy(2)


def jensen_shannon(one_XTS: Array, other_XTS: Array) -> Array:
    """How different two rows of shares are: the entropy of their mean minus the mean of their
    entropies.

    Shapes: (X, T, S) twice -> (X, T). Units or range: 0 (equal) to ln 2 (nothing in common).
    Source: Lin 1991, equation 4.1.

    >>> float(jensen_shannon(np.array([1.0, 0.0]), np.array([0.0, 1.0])).round(4))
    0.6931
    """
    return _divergence(entropy((one_XTS + other_XTS) / 2), entropy(one_XTS), entropy(other_XTS))


def _divergence(mixture_XT: Array, one_XT: Array, other_XT: Array) -> Array:
    """From the entropies of the mean and of both rows. Only rounding can leave the range."""
    return np.clip(mixture_XT - (one_XT + other_XT) / 2, 0.0, LN_2)


def head_divergences(pattern: Pattern) -> Array:
    """The Jensen-Shannon divergence of each pair of heads, averaged over the queries that may see
    a key in both heads; 0 if there is no such query.

    Shapes: (B, H, H), symmetric. Units or range: 0 to ln 2.
    """
    shares_BHTS, occupied_BHT = pattern.probabilities, pattern.occupied
    n_batch, n_heads = shares_BHTS.shape[:2]
    divergence_BHH = np.zeros((n_batch, n_heads, n_heads))
    spread_BHT = entropy(shares_BHTS)  # once for each head, not for each pair
    for head in range(n_heads):
        one, others = slice(head, head + 1), slice(head, None)
        rows_BXT = occupied_BHT[:, others] & occupied_BHT[:, one]
        mixture_BXT = entropy((shares_BHTS[:, others] + shares_BHTS[:, one]) / 2)
        of_rows_BXT = _divergence(mixture_BXT, spread_BHT[:, others], spread_BHT[:, one])
        mean_BX = (of_rows_BXT * rows_BXT).sum(axis=-1) / np.maximum(rows_BXT.sum(axis=-1), 1)
        divergence_BHH[:, head, head:] = divergence_BHH[:, head:, head] = mean_BX
    return divergence_BHH


def overlap(divergence: Array | float) -> Array | float:
    """How much the patterns of two heads overlap: 1 - JSD / ln 2. Units or range: 0 to 1 (equal).

    Shapes: any, kept.
    """
    return 1.0 - divergence / LN_2


def layer_divergence(pattern: Pattern) -> Array:
    """How different all heads are together: the entropy of their mean minus the mean of their
    entropies.

    Shapes: (B,), averaged over the queries that may see a key in every head. Units or range: 0 to
    ln of `max_distinct_heads`.
    """
    shares_BHTS = pattern.probabilities
    rows_BT = pattern.occupied.all(axis=1)
    of_rows_BT = entropy(shares_BHTS.mean(axis=1)) - entropy(shares_BHTS).mean(axis=1)
    mean_B: Array = (of_rows_BT * rows_BT).sum(axis=-1) / np.maximum(rows_BT.sum(axis=-1), 1)
    return mean_B


def max_distinct_heads(pattern: Pattern) -> int:
    """How many heads can have nothing in common: all of them, but not more than the keys that a
    query may see.
    """
    return int(min(pattern.probabilities.shape[1], pattern.allowed.sum(axis=-1).max()))


def centred_correlations(pattern: Pattern) -> Array:
    """The correlation of each pair of heads, after an even spread over the visible keys was
    subtracted from both.

    1: they prefer the same keys; 0: unrelated; -1: one prefers what the other avoids. NaN for a
    head that spreads its attention evenly: it has no preferences.
    Shapes: (B, H, H), symmetric.
    """
    even_BHTS = pattern.uniform.probabilities
    n_batch, n_heads = even_BHTS.shape[:2]
    departure_BHX = (pattern.probabilities - even_BHTS).reshape(n_batch, n_heads, -1)
    length_BH = np.linalg.norm(departure_BHX, axis=-1)
    # A softmax of equal scores differs from an even spread in the last digit or two. That is no
    # preference.
    rounding_BH = (
        8 * pattern.resolution * np.linalg.norm(even_BHTS.reshape(n_batch, n_heads, -1), axis=-1)
    )
    length_BH = np.where(length_BH > rounding_BH, length_BH, np.nan)
    product_BHH = departure_BHX @ departure_BHX.swapaxes(-1, -2)
    correlation_BHH: Array = product_BHH / length_BH[:, :, np.newaxis] / length_BH[:, np.newaxis]
    return np.clip(correlation_BHH, -1.0, 1.0)


def most_alike(similarity_HH: Array) -> tuple[int, int] | None:
    """The two different heads with the largest similarity, the lower number first; None if no pair
    has one.

    >>> most_alike(np.array([[1.0, 0.2, 0.7], [0.2, 1.0, np.nan], [0.7, np.nan, 1.0]]))
    (0, 2)
    """
    pairs_HH = np.where(np.triu(np.ones(similarity_HH.shape, dtype=bool), 1), similarity_HH, np.nan)
    if np.isnan(pairs_HH).all():
        return None
    one, other = divmod(int(np.nanargmax(pairs_HH)), len(pairs_HH))
    return one, other


def mean_head_divergence(before: Trace, after: Trace) -> float:
    """How far the heads of a layer differ from the same heads after a change: the mean
    Jensen-Shannon divergence / ln 2.

    Units or range: 0 (equal) to 1 (nothing in common). A query that may see no key counts as equal.
    """
    apart_BHT = jensen_shannon(pattern_of(before).probabilities, pattern_of(after).probabilities)
    return float(apart_BHT.mean()) / LN_2


def head_order(distances_HH: Array) -> tuple[int, ...]:
    """An order of the heads in which similar heads are neighbours: the leaves of an average-linkage
    clustering.

    The two clusters with the smallest mean distance are joined until one is left. Each is reversed
    where that brings the two ends that meet closer together.
    Source: Sokal and Michener 1958 (average linkage); Gruvaeus and Wainer 1972 (reversal).

    >>> head_order(np.abs(np.subtract.outer([0.0, 9.0, 1.0, 8.5], [0.0, 9.0, 1.0, 8.5])))
    (0, 2, 3, 1)
    """
    distances_HH = scaled_to_one(distances_HH)
    orders: list[tuple[int, ...]] = [(head,) for head in range(len(distances_HH))]
    between_CC = np.where(np.eye(len(orders), dtype=bool), np.inf, distances_HH)
    while len(orders) > 1:
        a, b = sorted(divmod(int(np.argmin(between_CC)), len(orders)))
        sizes = [len(orders[a]), len(orders[b])]
        mean_C = np.average(between_CC[[a, b]], axis=0, weights=sizes)
        between_CC[a] = between_CC[:, a] = mean_C
        between_CC[a, a] = np.inf
        between_CC = np.delete(np.delete(between_CC, b, axis=0), b, axis=1)
        orders[a] = _joined(orders[a], orders.pop(b), distances_HH)
    return orders[0]


def _joined(left: tuple[int, ...], right: tuple[int, ...], distances_HH: Array) -> tuple[int, ...]:
    ways = [(one, other) for one in (left, left[::-1]) for other in (right, right[::-1])]
    one, other = min(ways, key=lambda way: distances_HH[way[0][-1], way[1][0]])
    return one + other
