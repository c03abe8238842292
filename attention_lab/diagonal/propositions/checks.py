"""The checks of the propositions: whether one holds for some tokens, by how much, and where."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from attention_core.checks import Array
from attention_core.formulas import softmax
from attention_core.numbers import check_range, check_room

from ..convex_hull import in_hull
from ..measures import diagonal, diagonal_margins, pair_excess
from .tokens import PROPOSITION_TOLERANCE, UnmaskedAttention


@dataclass(frozen=True)
class PropositionCheck:
    """The result of a check. excess: the largest violation (0 or less: none). where: its cell or
    row.

    applies: whether the tokens meet the condition of the proposition. If not, it holds trivially.
    """

    holds: bool
    excess: float
    where: tuple[int, ...] = ()
    applies: bool = True


def verify_identity_of_scores(attention: UnmaskedAttention) -> PropositionCheck:
    """S1: s_ij = (s_ii + s_jj)/2 - |x_i - x_j|² · scale/2."""
    own_T = diagonal(attention.scores)
    expected_TT = (own_T[:, np.newaxis] + own_T) / 2 - squared_distances(
        attention.x
    ) * attention.scale / 2
    return _largest(np.abs(attention.scores - expected_TT), attention.rounding)


def verify_bound_of_exponentials(attention: UnmaskedAttention) -> PropositionCheck:
    """S2: exp s_ij <= max(exp s_ii, exp s_jj), all divided by the largest of them."""
    return _over_pairs(
        pair_excess(np.exp(attention.scores - attention.scores.max())), attention.rounding
    )


def verify_one_normaliser(attention: UnmaskedAttention) -> PropositionCheck:
    """S3: p_ij <= √(p_ii p_jj), where p is one softmax over all N² scores."""
    shares_TT = softmax(attention.scores.reshape(-1)).reshape(attention.scores.shape)
    own_T = diagonal(shares_TT)
    return _over_pairs(shares_TT - np.sqrt(np.outer(own_T, own_T)), attention.rounding)


def verify_pair_bound(attention: UnmaskedAttention) -> PropositionCheck:
    """S4: a_ij <= max(a_ii, a_jj) after the softmax of each row."""
    return _over_pairs(pair_excess(attention.probabilities), attention.rounding)


def verify_greatest_diagonal(attention: UnmaskedAttention) -> PropositionCheck:
    """S5: a_ii > a_ij for all j ≠ i. A tie violates it by 0."""
    found = _over_pairs(_lead(attention), attention.rounding)
    excess = 0.0 if abs(found.excess) <= attention.rounding else found.excess
    return replace(
        found,
        holds=bool(diagonal_margins(attention.scores).min() > attention.rounding),
        excess=excess,
    )


def verify_pair_bound_of_two(attention: UnmaskedAttention) -> PropositionCheck:
    """S6: S4 for each pair taken alone, as a sequence of two tokens."""
    own_T = diagonal(attention.scores)
    alone_TT = _sigmoid(attention.scores - own_T[:, np.newaxis])
    own_of_key_TT = _sigmoid(own_T - attention.scores.T)
    own_of_query_TT = _sigmoid(own_T[:, np.newaxis] - attention.scores)
    return _over_pairs(alone_TT - np.maximum(own_of_key_TT, own_of_query_TT), attention.rounding)


def verify_product_form(attention: UnmaskedAttention) -> PropositionCheck:
    """S7: a_ij a_ji = a_ii a_jj exp(-|x_i - x_j|² · scale)."""
    own_T = diagonal(attention.probabilities)
    expected_TT = np.outer(own_T, own_T) * np.exp(-squared_distances(attention.x) * attention.scale)
    return _largest(
        np.abs(attention.probabilities * attention.probabilities.T - expected_TT),
        attention.rounding,
    )


def verify_one_of_two(attention: UnmaskedAttention) -> PropositionCheck:
    """S8: min(a_ij, a_ji) <= √(a_ii a_jj)."""
    own_T = diagonal(attention.probabilities)
    smaller_TT = np.minimum(attention.probabilities, attention.probabilities.T)
    return _over_pairs(smaller_TT - np.sqrt(np.outer(own_T, own_T)), attention.rounding)


def verify_longer_projection(attention: UnmaskedAttention) -> PropositionCheck:
    """S9: a_ij <= a_ii exactly when x_i·(x_j - x_i) <= 0: the cells in which the two signs
    differ, and those of a token of zeros that do not tie.
    """
    lead_TT = _lead(attention)
    products_TT = attention.x @ attention.x.T
    reach_TT = (products_TT - diagonal(products_TT)[:, np.newaxis]) * attention.scale
    differ = np.sign(lead_TT) * np.sign(reach_TT) < 0
    apart_TT = np.where(differ, np.minimum(np.abs(lead_TT), np.abs(reach_TT)), 0.0)
    zero_T1 = ~attention.x.any(axis=-1, keepdims=True)
    return _largest(np.where(zero_T1, np.abs(lead_TT), apart_TT), attention.rounding)


def verify_longer_tokens_only(attention: UnmaskedAttention) -> PropositionCheck:
    """S10: a_ij <= a_ii whenever |x_j| <= |x_i|."""
    squares_T = (attention.x**2).sum(axis=-1)
    return _over_pairs(
        np.where(squares_T <= squares_T[:, np.newaxis], _lead(attention), -np.inf),
        attention.rounding,
    )


def verify_inside_the_others(attention: UnmaskedAttention) -> PropositionCheck:
    """S11: a token that is an average of the others has a margin of at most 0."""
    if len(attention.x) == 1:
        return PropositionCheck(True, 0.0, applies=False)
    margin_T = diagonal_margins(attention.scores)
    others_TT = ~np.eye(len(attention.x), dtype=bool)
    averages = [
        i for i, others in enumerate(others_TT) if in_hull(attention.x[i], attention.x[others])
    ]
    if not averages:
        return PropositionCheck(True, 0.0, applies=False)
    worst = max(averages, key=lambda i: float(margin_T[i]))
    # Whether a point is in a hull is known only up to rounding.
    return PropositionCheck(
        bool(margin_T[worst] <= 1000 * attention.rounding), float(margin_T[worst]), (worst,)
    )


def verify_equal_lengths(attention: UnmaskedAttention) -> PropositionCheck:
    """S12: with equal norms every row peaks on its diagonal, and a_ii >= 1/N."""
    squares_T = (attention.x**2).sum(axis=-1)
    if np.ptp(squares_T) > PROPOSITION_TOLERANCE * len(attention.x[0]) * float(squares_T.max()):
        return PropositionCheck(True, 0.0, applies=False)
    peak = _over_pairs(_lead(attention), attention.rounding)
    short_T = 1 / len(attention.x) - diagonal(attention.probabilities)
    row = int(short_T.argmax())
    if not peak.applies or peak.excess >= short_T[row]:
        return peak
    return PropositionCheck(
        peak.holds and bool(short_T[row] <= attention.rounding), float(short_T[row]), (row,)
    )


def verify_trace(attention: UnmaskedAttention) -> PropositionCheck:
    """S13: the eigenvalues of A are real and from 0 to 1, so that its trace is at least 1."""
    short_of_one = 1.0 - float(np.trace(attention.probabilities))
    if np.abs(attention.scores - attention.scores.T).max() <= attention.rounding:
        top_T = attention.scores.max(axis=-1)
        log_total_T = top_T + np.log(np.exp(attention.scores - top_T[:, np.newaxis]).sum(axis=-1))
        similar_TT = np.exp(attention.scores - (log_total_T[:, np.newaxis] + log_total_T) / 2)
        values = np.linalg.eigvalsh((similar_TT + similar_TT.T) / 2).astype(complex)
    else:
        values = np.linalg.eigvals(attention.probabilities).astype(complex)
    excess = float(
        max(short_of_one, np.abs(values.imag).max(), -values.real.min(), values.real.max() - 1)
    )
    return PropositionCheck(excess <= len(attention.x) * attention.rounding, excess)


def verify_columns(attention: UnmaskedAttention) -> PropositionCheck:
    """S14: the softmax of each column is the transpose of A."""
    return _largest(
        np.abs(softmax(attention.scores, axis=0) - attention.probabilities.T), attention.rounding
    )


def squared_distances(x_TD: Array) -> Array:
    """|x_i - x_j|² for all pairs of tokens. Shapes: (T, D) -> (T, T)."""
    check_room(tokens=len(x_TD), others=len(x_TD), features=x_TD.shape[1])
    with np.errstate(over="ignore"):
        distances_TT: Array = ((x_TD[:, np.newaxis] - x_TD) ** 2).sum(axis=-1)
    check_range(distances_TT)
    return distances_TT


def _lead(attention: UnmaskedAttention) -> Array:
    """How far each probability lies above its row's diagonal one: a_ij - a_ii. Shapes: (T, T)."""
    lead_TT: Array = attention.probabilities - diagonal(attention.probabilities)[:, np.newaxis]
    return lead_TT


def _over_pairs(excess_TT: Array, rounding: float) -> PropositionCheck:
    """The result over all pairs of different tokens. A single token has no pair."""
    if len(excess_TT) == 1:
        return PropositionCheck(True, 0.0, applies=False)
    return _largest(np.where(np.eye(len(excess_TT), dtype=bool), -np.inf, excess_TT), rounding)


def _largest(excess_TT: Array, rounding: float) -> PropositionCheck:
    where = np.unravel_index(int(excess_TT.argmax()), excess_TT.shape)
    excess = float(excess_TT[where])
    return PropositionCheck(excess <= rounding, excess, tuple(int(index) for index in where))


def _sigmoid(x: Array) -> Array:
    """1/(1 + exp(-x)), by tanh, which does not overflow."""
    shares: Array = 0.5 * (1.0 + np.tanh(x / 2))
    return shares
