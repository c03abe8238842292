"""The checks of the propositions: whether one holds for some tokens, by how much, and where.
The tokens look at each other without a mask.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from attention_core.attention import attend
from attention_core.checks import Array
from attention_core.formulas import softmax
from attention_core.numbers import check_range, check_room
from attention_core.projections import Projections
from attention_core.trace import Trace

from ..geometry import in_hull
from ..measures import diagonal, diagonal_margins, off_diagonal, pair_excess

# Relative to the largest score: what is smaller is rounding.
PROPOSITION_TOLERANCE = 1e-12


@dataclass(frozen=True, eq=False)
class UnmaskedAttention:
    """Tokens that look at each other without a mask. Shapes: x (T, D); scores, scaled, and
    probabilities (T, T). scale: above 0.
    """

    x: Array
    scores: Array
    probabilities: Array
    scale: float

    @property
    def rounding(self) -> float:
        """The size of rounding errors: larger for large scores and in float32."""
        arrays = (self.x, self.scores, self.probabilities)
        coarser = max(np.finfo(array.dtype).eps for array in arrays) / np.finfo(np.float64).eps
        return PROPOSITION_TOLERANCE * float(coarser) * max(1.0, float(np.abs(self.scores).max()))

    @property
    def own_shares(self) -> Array:
        """The diagonal of the probabilities. Shapes: (T,)."""
        return diagonal(self.probabilities)

    @property
    def lead(self) -> Array:
        """How far each probability lies above its row's diagonal one: a_ij - a_ii. Shapes: (T,
        T).
        """
        lead_TT: Array = self.probabilities - self.own_shares[:, np.newaxis]
        return lead_TT

    @property
    def squared_lengths(self) -> Array:
        """|x_i|² of every token. Shapes: (T,)."""
        squares_T: Array = (self.x**2).sum(axis=-1)
        return squares_T


def weightless_attention(x: ArrayLike, scale: float | None = None) -> UnmaskedAttention:
    """Weightless attention of tokens over themselves; scale is 1/√D when None. Shapes: (T, D).
    Raises: AttentionError.

    >>> weightless_attention([[1.0], [2.0]]).probabilities.round(4).tolist()
    [[0.2689, 0.7311], [0.1192, 0.8808]]
    """
    x_1TD = np.asarray(x)[np.newaxis]
    return tokens_of_trace(attend(x_1TD, Projections.weightless(x_1TD.shape[-1]), scale=scale))


def tokens_of_trace(trace: Trace, head: int = 0, batch: int = 0) -> UnmaskedAttention:
    """A head of a trace of self-attention: its queries as the tokens, without mask and bias, with
    its soft cap.

    Without weights and with tied weights the scores are a Gram matrix of the queries, as the
    propositions need. A trace in float32 is computed again in float64, because its rounding would
    look like a violation.
    """
    if trace.scores.dtype != np.float64:
        trace, batch = _in_double(trace, batch), 0
    scores_TT = trace.scaled_scores[batch, head]
    return UnmaskedAttention(
        trace.query_heads[batch, head], scores_TT, softmax(scores_TT), trace.scale
    )


def _in_double(trace: Trace, batch: int) -> Trace:
    """One sequence of a trace attended to in float64, without mask and bias."""
    x_1TD, memory_1SM = (
        given[batch : batch + 1].astype(np.float64) for given in (trace.inputs, trace.memory)
    )
    weights = trace.projections.astype(np.float64)
    return attend(x_1TD, weights, memory=memory_1SM, scale=trace.scale, softcap=trace.softcap)


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


NOT_APPLICABLE = PropositionCheck(True, 0.0, applies=False)


def verify_identity_of_scores(attention: UnmaskedAttention) -> PropositionCheck:
    """S1: s_ij = (s_ii + s_jj)/2 - |x_i - x_j|² · scale/2."""
    own_T, apart_TT = diagonal(attention.scores), squared_distances(attention.x)
    expected_TT = (own_T[:, np.newaxis] + own_T) / 2 - apart_TT * attention.scale / 2
    return _largest(np.abs(attention.scores - expected_TT), attention.rounding)


def verify_bound_of_exponentials(attention: UnmaskedAttention) -> PropositionCheck:
    """S2: exp s_ij <= max(exp s_ii, exp s_jj), all divided by the largest of them."""
    exponentials_TT = np.exp(attention.scores - attention.scores.max())
    return _over_pairs(pair_excess(exponentials_TT), attention.rounding)


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
    check = _over_pairs(attention.lead, attention.rounding)
    excess = 0.0 if abs(check.excess) <= attention.rounding else check.excess
    holds = bool(diagonal_margins(attention.scores).min() > attention.rounding)
    return replace(check, holds=holds, excess=excess)


def verify_pair_bound_of_two(attention: UnmaskedAttention) -> PropositionCheck:
    """S6: S4 for each pair taken alone, as a sequence of two tokens."""
    own_T = diagonal(attention.scores)
    alone_TT = _sigmoid(attention.scores - own_T[:, np.newaxis])
    own_of_key_TT = _sigmoid(own_T - attention.scores.T)
    own_of_query_TT = _sigmoid(own_T[:, np.newaxis] - attention.scores)
    return _over_pairs(alone_TT - np.maximum(own_of_key_TT, own_of_query_TT), attention.rounding)


def verify_product_form(attention: UnmaskedAttention) -> PropositionCheck:
    """S7: a_ij a_ji = a_ii a_jj exp(-|x_i - x_j|² · scale)."""
    own_T, shares_TT = attention.own_shares, attention.probabilities
    expected_TT = np.outer(own_T, own_T) * np.exp(-squared_distances(attention.x) * attention.scale)
    return _largest(np.abs(shares_TT * shares_TT.T - expected_TT), attention.rounding)


def verify_one_of_two(attention: UnmaskedAttention) -> PropositionCheck:
    """S8: min(a_ij, a_ji) <= √(a_ii a_jj)."""
    own_T = attention.own_shares
    smaller_TT = np.minimum(attention.probabilities, attention.probabilities.T)
    return _over_pairs(smaller_TT - np.sqrt(np.outer(own_T, own_T)), attention.rounding)


def verify_longer_projection(attention: UnmaskedAttention) -> PropositionCheck:
    """S9: a_ij <= a_ii exactly when x_i·(x_j - x_i) <= 0: the cells in which the two signs
    differ, and those of a token of zeros that do not tie.
    """
    lead_TT, products_TT = attention.lead, attention.x @ attention.x.T
    reach_TT = (products_TT - diagonal(products_TT)[:, np.newaxis]) * attention.scale
    differ = np.sign(lead_TT) * np.sign(reach_TT) < 0
    apart_TT = np.where(differ, np.minimum(np.abs(lead_TT), np.abs(reach_TT)), 0.0)
    zero_T1 = ~attention.x.any(axis=-1, keepdims=True)
    return _largest(np.where(zero_T1, np.abs(lead_TT), apart_TT), attention.rounding)


def verify_longer_tokens_only(attention: UnmaskedAttention) -> PropositionCheck:
    """S10: a_ij <= a_ii whenever |x_j| <= |x_i|."""
    squares_T = attention.squared_lengths
    shorter_TT = squares_T <= squares_T[:, np.newaxis]
    return _over_pairs(np.where(shorter_TT, attention.lead, -np.inf), attention.rounding)


def verify_inside_the_others(attention: UnmaskedAttention) -> PropositionCheck:
    """S11: a token that is an average of the others has a margin of at most 0."""
    x, others_TT = attention.x, ~np.eye(len(attention.x), dtype=bool)
    averages = [
        i for i, others in enumerate(others_TT) if others.any() and in_hull(x[i], x[others])
    ]
    if not averages:
        return NOT_APPLICABLE
    margin_T = diagonal_margins(attention.scores)
    worst = max(averages, key=lambda i: float(margin_T[i]))
    margin = float(margin_T[worst])
    # Whether a point is in a hull is known only up to rounding.
    return PropositionCheck(margin <= 1000 * attention.rounding, margin, (worst,))


def verify_equal_lengths(attention: UnmaskedAttention) -> PropositionCheck:
    """S12: with equal norms every row peaks on its diagonal, and a_ii >= 1/N."""
    squares_T = attention.squared_lengths
    if np.ptp(squares_T) > PROPOSITION_TOLERANCE * len(attention.x[0]) * float(squares_T.max()):
        return NOT_APPLICABLE
    peak = _over_pairs(attention.lead, attention.rounding)
    short = _largest(1 / len(attention.x) - attention.own_shares, attention.rounding)
    if not peak.applies or peak.excess >= short.excess:
        return peak
    return replace(short, holds=peak.holds and short.holds)


def verify_trace(attention: UnmaskedAttention) -> PropositionCheck:
    """S13: the eigenvalues of A are real and from 0 to 1, so that its trace is at least 1."""
    scores_TT, short_of_one = attention.scores, 1.0 - float(attention.own_shares.sum())
    if np.abs(scores_TT - scores_TT.T).max() <= attention.rounding:
        top_T = scores_TT.max(axis=-1)
        log_total_T = top_T + np.log(np.exp(scores_TT - top_T[:, np.newaxis]).sum(axis=-1))
        similar_TT = np.exp(scores_TT - (log_total_T[:, np.newaxis] + log_total_T) / 2)
        values = np.linalg.eigvalsh((similar_TT + similar_TT.T) / 2).astype(complex)
    else:
        values = np.linalg.eigvals(attention.probabilities).astype(complex)
    outside = (np.abs(values.imag).max(), -values.real.min(), values.real.max() - 1)
    excess = float(max(short_of_one, *outside))
    return PropositionCheck(excess <= len(attention.x) * attention.rounding, excess)


def verify_columns(attention: UnmaskedAttention) -> PropositionCheck:
    """S14: the softmax of each column is the transpose of A."""
    columns_TT = softmax(attention.scores, axis=0)
    return _largest(np.abs(columns_TT - attention.probabilities.T), attention.rounding)


def squared_distances(x_TD: Array) -> Array:
    """|x_i - x_j|² for all pairs of tokens. Shapes: (T, D) -> (T, T)."""
    check_room(tokens=len(x_TD), others=len(x_TD), features=x_TD.shape[1])
    with np.errstate(over="ignore"):
        distances_TT: Array = ((x_TD[:, np.newaxis] - x_TD) ** 2).sum(axis=-1)
    check_range(distances_TT)
    return distances_TT


def _over_pairs(excess_TT: Array, rounding: float) -> PropositionCheck:
    """The result over all pairs of different tokens. A single token has no pair."""
    return NOT_APPLICABLE if len(excess_TT) == 1 else _largest(off_diagonal(excess_TT), rounding)


def _largest(excess_TT: Array, rounding: float) -> PropositionCheck:
    where = np.unravel_index(int(excess_TT.argmax()), excess_TT.shape)
    excess = float(excess_TT[where])
    return PropositionCheck(excess <= rounding, excess, tuple(int(index) for index in where))


def _sigmoid(x: Array) -> Array:
    """1/(1 + exp(-x)), by tanh, which does not overflow."""
    shares: Array = 0.5 * (1.0 + np.tanh(x / 2))
    return shares
