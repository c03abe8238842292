"""How alike heads are: two answers, because they say different things, and an order that puts like
beside like.

Two heads that spread their attention widely are close in Jensen-Shannon divergence even if they
have nothing to do with each other; the centred correlation, which looks at departures from an even
spread, is then about 0.
"""

from __future__ import annotations

import numpy as np

from attention_core.checks import Array, as_stack
from attention_core.errors import SettingsError, ShapeError

from .measure_checks import as_measured, as_shares, unit_sized
from .patterns import Pattern, entropy, largest_entropy

MOST = largest_entropy(2)


def jensen_shannon(one_XTS: Array, other_XTS: Array) -> Array:
    """How different two rows of shares are: the entropy of their mean minus the mean of their
    entropies.

    Shapes: (X, T, S) twice -> (X, T). Units or range: 0 (equal) to ln 2 (nothing in common).
    Source: Lin 1991, equation 4.1.

    >>> float(jensen_shannon(np.array([1.0, 0.0]), np.array([0.0, 1.0])).round(4))
    0.6931
    """
    one_XTS, other_XTS = as_shares("one", one_XTS), as_shares("other", other_XTS)
    if one_XTS.shape[-1] != other_XTS.shape[-1]:
        raise ShapeError(
            f"one has {one_XTS.shape[-1]} keys but other has {other_XTS.shape[-1]}; make them equal"
        )
    return _excess(entropy((one_XTS + other_XTS) / 2), entropy(one_XTS), entropy(other_XTS))


def _excess(mixture_XT: Array, one_XT: Array, other_XT: Array) -> Array:
    """By how much the entropy of a mixture exceeds that of its two halves; beyond the ends lies
    only rounding.
    """
    return np.clip(mixture_XT - (one_XT + other_XT) / 2, 0.0, MOST)


def head_divergences(pattern: Pattern) -> Array:
    """The Jensen-Shannon divergence of each pair of heads, averaged over the queries; 0 where none
    can be compared.

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
        of_rows_BXT = _excess(mixture_BXT, spread_BHT[:, others], spread_BHT[:, one])
        mean_BX = (of_rows_BXT * rows_BXT).sum(axis=-1) / np.maximum(rows_BXT.sum(axis=-1), 1)
        divergence_BHH[:, head, head:] = divergence_BHH[:, head:, head] = mean_BX
    return divergence_BHH


def redundancy(divergence: Array) -> Array:
    """How far one of two heads could stand in for the other: 1 - JSD / ln 2. Units or range: 0 to 1
    (equal).

    Shapes: any, kept. Raises: SettingsError for numbers that are no divergences.
    """
    divergence = as_stack("divergence", divergence, 0)
    if divergence.min() < 0 or divergence.max() > MOST * (1 + 1e-6):  # ln 2 of float32
        held = f"{divergence.min():g} to {divergence.max():g}"
        raise SettingsError(
            f"divergence must hold numbers from 0 to ln 2, in nats, but holds {held}"
        )
    return 1.0 - divergence / MOST


def layer_divergence(pattern: Pattern) -> Array:
    """How different all heads are together: the entropy of their average minus the average of their
    entropies.

    Shapes: (B,), averaged over the queries that all heads have keys for. Units or range: 0 to ln
    `most_apart`.
    """
    shares_BHTS = pattern.probabilities
    rows_BT = pattern.occupied.all(axis=1)
    of_rows_BT = entropy(shares_BHTS.mean(axis=1)) - entropy(shares_BHTS).mean(axis=1)
    mean_B: Array = (of_rows_BT * rows_BT).sum(axis=-1) / np.maximum(rows_BT.sum(axis=-1), 1)
    return mean_B


def most_apart(pattern: Pattern) -> int:
    """How many heads can have nothing in common: as many as there are, or as one query may see
    keys.
    """
    return int(min(pattern.probabilities.shape[1], pattern.allowed.sum(axis=-1).max()))


def centred_correlations(pattern: Pattern) -> Array:
    """The correlation of each pair of heads after an even spread over the visible keys was
    subtracted from both.

    1: they prefer the same keys; 0: unrelated; -1: one prefers what the other avoids. NaN for a
    head that spreads evenly, which prefers nothing.
    Shapes: (B, H, H), symmetric.
    """
    even_BHTS = pattern.uniform.probabilities
    n_batch, n_heads = even_BHTS.shape[:2]
    departure_BHX = (pattern.probabilities - even_BHTS).reshape(n_batch, n_heads, -1)
    length_BH = np.linalg.norm(departure_BHX, axis=-1)
    # A softmax of equal scores differs from an even spread in the last place or two: that is no
    # preference.
    rounding_BH = (
        8 * pattern.resolution * np.linalg.norm(even_BHTS.reshape(n_batch, n_heads, -1), axis=-1)
    )
    length_BH = np.where(length_BH > rounding_BH, length_BH, np.nan)
    product_BHH = departure_BHX @ departure_BHX.swapaxes(-1, -2)
    correlation_BHH: Array = product_BHH / length_BH[:, :, np.newaxis] / length_BH[:, np.newaxis]
    return np.clip(correlation_BHH, -1.0, 1.0)


def head_order(distances_HH: Array) -> tuple[int, ...]:
    """An order of the heads in which like heads are neighbours: the leaves of an average-linkage
    clustering.

    Again and again the two clusters with the smallest mean distance are joined, each turned so that
    the ends that meet are as close as they can be.
    Raises: SettingsError when the distances are not finite or not symmetric.
    Source: Sokal and Michener 1958 (average linkage); Gruvaeus and Wainer 1972 (the turning).

    >>> head_order(np.abs(np.subtract.outer([0.0, 9.0, 1.0, 8.5], [0.0, 9.0, 1.0, 8.5])))
    (0, 2, 3, 1)
    """
    distances_HH = as_measured("distances", distances_HH, 2)
    square = distances_HH.ndim == 2 and distances_HH.shape[0] == distances_HH.shape[1]
    distances_HH = (
        unit_sized("distances", distances_HH) if np.isfinite(distances_HH).all() else distances_HH
    )
    if not square or not np.allclose(distances_HH, distances_HH.T):
        raise SettingsError(
            "the distances between heads must be finite and the same both ways; give a distance"
            " matrix"
        )
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
    turns = [(one, other) for one in (left, left[::-1]) for other in (right, right[::-1])]
    one, other = min(turns, key=lambda turn: distances_HH[turn[0][-1], turn[1][0]])
    return one + other
