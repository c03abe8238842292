"""The checks of the propositions: whether one holds for some tokens, by how much, and where."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from attention_core.checks import Array
from attention_core.formulas import softmax
from attention_core.limits import check_room
from attention_core.number_types import check_range

from ..convex_hull import in_hull
from ..measures import diagonal, margins, pair_excess
from .tokens import PROPOSITION_TOLERANCE, Tokens


@dataclass(frozen=True)
class Check:
    """The result of a check. excess: the largest violation (0 or less: none). where: its cell or
    row.

    applies: whether the tokens meet the condition of the proposition. If not, it holds trivially.
    """

    holds: bool
    excess: float
    where: tuple[int, ...] = ()
    applies: bool = True


def identity_of_scores(t: Tokens) -> Check:
    """S1: s_ij = (s_ii + s_jj)/2 - |x_i - x_j|² · scale/2."""
    own_T = diagonal(t.scores)
    expected_TT = (own_T[:, np.newaxis] + own_T) / 2 - squared_distances(t.x) * t.scale / 2
    return _largest(np.abs(t.scores - expected_TT), t.rounding)


def bound_of_exponentials(t: Tokens) -> Check:
    """S2: exp s_ij <= max(exp s_ii, exp s_jj), all divided by the largest of them."""
    return _over_pairs(pair_excess(np.exp(t.scores - t.scores.max())), t.rounding)


def one_normaliser(t: Tokens) -> Check:
    """S3: p_ij <= √(p_ii p_jj), where p is one softmax over all N² scores."""
    shares_TT = softmax(t.scores.reshape(-1)).reshape(t.scores.shape)
    own_T = diagonal(shares_TT)
    return _over_pairs(shares_TT - np.sqrt(np.outer(own_T, own_T)), t.rounding)


def pair_bound(t: Tokens) -> Check:
    """S4: a_ij <= max(a_ii, a_jj) after the softmax of each row."""
    return _over_pairs(pair_excess(t.probabilities), t.rounding)


def diagonal_is_greatest(t: Tokens) -> Check:
    """S5: a_ii > a_ij for all j ≠ i. A tie violates it by 0."""
    found = _over_pairs(_lead(t), t.rounding)
    excess = 0.0 if abs(found.excess) <= t.rounding else found.excess
    return replace(found, holds=bool(margins(t.scores).min() > t.rounding), excess=excess)


def pair_bound_of_two(t: Tokens) -> Check:
    """S6: S4 for each pair taken alone, as a sequence of two tokens."""
    own_T = diagonal(t.scores)
    alone_TT = _sigmoid(t.scores - own_T[:, np.newaxis])
    own_of_key_TT = _sigmoid(own_T - t.scores.T)
    own_of_query_TT = _sigmoid(own_T[:, np.newaxis] - t.scores)
    return _over_pairs(alone_TT - np.maximum(own_of_key_TT, own_of_query_TT), t.rounding)


def product_form(t: Tokens) -> Check:
    """S7: a_ij a_ji = a_ii a_jj exp(-|x_i - x_j|² · scale)."""
    own_T = diagonal(t.probabilities)
    expected_TT = np.outer(own_T, own_T) * np.exp(-squared_distances(t.x) * t.scale)
    return _largest(np.abs(t.probabilities * t.probabilities.T - expected_TT), t.rounding)


def one_of_two(t: Tokens) -> Check:
    """S8: min(a_ij, a_ji) <= √(a_ii a_jj)."""
    own_T = diagonal(t.probabilities)
    smaller_TT = np.minimum(t.probabilities, t.probabilities.T)
    return _over_pairs(smaller_TT - np.sqrt(np.outer(own_T, own_T)), t.rounding)


def longer_projection(t: Tokens) -> Check:
    """S9: a_ij <= a_ii exactly when x_i·(x_j - x_i) <= 0: the cells in which the two signs
    differ, and those of a token of zeros that do not tie.
    """
    lead_TT = _lead(t)
    products_TT = t.x @ t.x.T
    reach_TT = (products_TT - diagonal(products_TT)[:, np.newaxis]) * t.scale
    differ = np.sign(lead_TT) * np.sign(reach_TT) < 0
    apart_TT = np.where(differ, np.minimum(np.abs(lead_TT), np.abs(reach_TT)), 0.0)
    zero_T1 = ~t.x.any(axis=-1, keepdims=True)
    return _largest(np.where(zero_T1, np.abs(lead_TT), apart_TT), t.rounding)


def longer_tokens_only(t: Tokens) -> Check:
    """S10: a_ij <= a_ii whenever |x_j| <= |x_i|."""
    squares_T = (t.x**2).sum(axis=-1)
    return _over_pairs(
        np.where(squares_T <= squares_T[:, np.newaxis], _lead(t), -np.inf), t.rounding
    )


def inside_the_others(t: Tokens) -> Check:
    """S11: a token that is an average of the others has a margin of at most 0."""
    if len(t.x) == 1:
        return Check(True, 0.0, applies=False)
    margin_T = margins(t.scores)
    others_TT = ~np.eye(len(t.x), dtype=bool)
    averages = [i for i, others in enumerate(others_TT) if in_hull(t.x[i], t.x[others])]
    if not averages:
        return Check(True, 0.0, applies=False)
    worst = max(averages, key=lambda i: float(margin_T[i]))
    # Whether a point is in a hull is known only up to rounding.
    return Check(bool(margin_T[worst] <= 1000 * t.rounding), float(margin_T[worst]), (worst,))


def equal_lengths(t: Tokens) -> Check:
    """S12: with equal norms every row peaks on its diagonal, and a_ii >= 1/N."""
    squares_T = (t.x**2).sum(axis=-1)
    if np.ptp(squares_T) > PROPOSITION_TOLERANCE * len(t.x[0]) * float(squares_T.max()):
        return Check(True, 0.0, applies=False)
    peak = _over_pairs(_lead(t), t.rounding)
    short_T = 1 / len(t.x) - diagonal(t.probabilities)
    row = int(short_T.argmax())
    if not peak.applies or peak.excess >= short_T[row]:
        return peak
    return Check(peak.holds and bool(short_T[row] <= t.rounding), float(short_T[row]), (row,))


def trace_at_least_one(t: Tokens) -> Check:
    """S13: the eigenvalues of A are real and from 0 to 1, so that its trace is at least 1."""
    short_of_one = 1.0 - float(np.trace(t.probabilities))
    if np.abs(t.scores - t.scores.T).max() <= t.rounding:
        top_T = t.scores.max(axis=-1)
        log_total_T = top_T + np.log(np.exp(t.scores - top_T[:, np.newaxis]).sum(axis=-1))
        similar_TT = np.exp(t.scores - (log_total_T[:, np.newaxis] + log_total_T) / 2)
        values = np.linalg.eigvalsh((similar_TT + similar_TT.T) / 2).astype(complex)
    else:
        values = np.linalg.eigvals(t.probabilities).astype(complex)
    excess = float(
        max(short_of_one, np.abs(values.imag).max(), -values.real.min(), values.real.max() - 1)
    )
    return Check(excess <= len(t.x) * t.rounding, excess)


def columns_instead_of_rows(t: Tokens) -> Check:
    """S14: the softmax of each column is the transpose of A."""
    return _largest(np.abs(softmax(t.scores, axis=0) - t.probabilities.T), t.rounding)


def squared_distances(x_TD: Array) -> Array:
    """|x_i - x_j|² for all pairs of tokens. Shapes: (T, D) -> (T, T)."""
    check_room(tokens=len(x_TD), others=len(x_TD), features=x_TD.shape[1])
    with np.errstate(over="ignore"):
        distances_TT: Array = ((x_TD[:, np.newaxis] - x_TD) ** 2).sum(axis=-1)
    check_range(distances_TT)
    return distances_TT


def _lead(t: Tokens) -> Array:
    """How far each probability lies above its row's diagonal one: a_ij - a_ii. Shapes: (T, T)."""
    lead_TT: Array = t.probabilities - diagonal(t.probabilities)[:, np.newaxis]
    return lead_TT


def _over_pairs(excess_TT: Array, rounding: float) -> Check:
    """The result over all pairs of different tokens. A single token has no pair."""
    if len(excess_TT) == 1:
        return Check(True, 0.0, applies=False)
    return _largest(np.where(np.eye(len(excess_TT), dtype=bool), -np.inf, excess_TT), rounding)


def _largest(excess_TT: Array, rounding: float) -> Check:
    where = np.unravel_index(int(excess_TT.argmax()), excess_TT.shape)
    excess = float(excess_TT[where])
    return Check(excess <= rounding, excess, tuple(int(index) for index in where))


def _sigmoid(x: Array) -> Array:
    """1/(1 + exp(-x)), by tanh, which does not overflow."""
    shares: Array = 0.5 * (1.0 + np.tanh(x / 2))
    return shares
