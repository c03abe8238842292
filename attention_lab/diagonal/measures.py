"""The diagonal of attention: how much every token looks at itself, and by what margin.

Every function works on the last two axes, so it takes one matrix or a stack of random draws.
"""

from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array
from attention_core.numbers import check_range, too_large
from attention_core.trace import Trace, head_columns

from ..heads.number_range import scaled_to_one

# A smaller difference of probabilities, or relative difference of scores, is rounding.
TOLERANCE = 1e-12


@dataclass(frozen=True, eq=False)
class SelfAttention:
    """The arrays of one head whose queries and keys are the same tokens.

    Shapes: scores (..., T, T), scaled, -inf where a key is hidden; probabilities (..., T, T); w_q,
    w_k (D, K).
    """

    scores: Array
    probabilities: Array
    w_q: Array | None = None
    w_k: Array | None = None


def self_attention_of(trace: Trace, head: int = 0, batch: int = 0) -> SelfAttention:
    """One head of a trace of self-attention, to be measured."""
    return SelfAttention(
        trace.masked_scores[batch, head],
        trace.probabilities[batch, head],
        trace.projections.w_q[:, head_columns(trace, "queries", head)],
        trace.projections.w_k[:, head_columns(trace, "keys", head)],
    )


def diagonal(matrix_XTT: Array) -> Array:
    """The cells of each token with itself. Shapes: (..., T, T) -> (..., T), a view."""
    cells: Array = np.diagonal(matrix_XTT, axis1=-2, axis2=-1)
    return cells


def off_diagonal(matrix_XTT: Array) -> Array:
    """The cells of different tokens, -inf on the diagonal. Shapes: (..., T, T)."""
    return np.where(np.eye(matrix_XTT.shape[-1], dtype=bool), -np.inf, matrix_XTT)


def diagonal_margins(scores_XTT: Array) -> Array:
    """Each token's score for itself minus its highest score for another: s_ii - max s_ij.

    Units or range: logits. +inf where a token sees only itself, -inf where it may not see itself, 0
    where the difference is rounding, as between equal tokens. Shapes: (..., T, T) -> (..., T).
    Raises: SettingsError for a difference beyond the range of float.

    >>> diagonal_margins(np.outer([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])).tolist()
    [-2.0, -2.0, 3.0]
    """
    own_XT, best_other_XT = diagonal(scores_XTT), off_diagonal(scores_XTT).max(axis=-1)
    margin_XT: Array = np.full(own_XT.shape, -np.inf, np.result_type(own_XT, np.float32))
    with np.errstate(over="ignore"):
        np.subtract(own_XT, best_other_XT, out=margin_XT, where=np.isfinite(own_XT))
    if (np.isinf(margin_XT) & np.isfinite(own_XT) & np.isfinite(best_other_XT)).any():
        raise too_large(margin_XT.dtype)
    larger_XT = np.maximum(np.abs(own_XT), np.abs(best_other_XT))
    margin_XT[np.isfinite(larger_XT) & (np.abs(margin_XT) <= TOLERANCE * larger_XT)] = 0.0
    return margin_XT


def seen_pairs(scores_XTT: Array) -> Array:
    """The pairs of different tokens whose query may see the key. Shapes: (..., T, T) bool."""
    pairs: Array = np.isfinite(scores_XTT) & ~np.eye(scores_XTT.shape[-1], dtype=bool)
    return pairs


def pair_violations(probabilities_XTT: Array) -> Array:
    """The cells that exceed both diagonal cells of their pair: a_ij > max(a_ii, a_jj). Shapes:
    (..., T, T) bool.

    >>> from attention_core import Projections, attend
    >>> A = attend([[1.0], [2.0], [3.0]], Projections.weightless(1)).probabilities[0, 0]
    >>> np.argwhere(pair_violations(A)).tolist()
    [[0, 1]]
    """
    cells: Array = pair_excess(probabilities_XTT) > 0
    return cells


def pair_excess(probabilities_XTT: Array) -> Array:
    """Each cell minus the larger diagonal cell of its pair: a_ij - max(a_ii, a_jj).

    Shapes: (..., T, T). Units or range: -1 to 1, 0 on the diagonal and for rounding.
    """
    excess: Array = probabilities_XTT - np.maximum(*_of_pairs(diagonal(probabilities_XTT)))
    excess[np.abs(excess) <= TOLERANCE] = 0.0
    return excess


def _of_pairs(tokens_XT: Array) -> tuple[Array, Array]:
    """The values of the query's and of the key's token, to be combined for each pair. Shapes: (...,
    T) -> (..., T, 1), (..., 1, T).
    """
    return tokens_XT[..., :, np.newaxis], tokens_XT[..., np.newaxis, :]


def worst_pair(probabilities_TT: Array) -> tuple[int, int]:
    """The row and column of the cell that exceeds both diagonal cells of its pair most, or comes
    nearest to that. A single token has only its own cell.

    >>> worst_pair(np.array([[0.5, 0.3, 0.2], [0.0, 0.9, 0.1], [0.8, 0.1, 0.1]]))
    (2, 0)
    """
    excess_TT = off_diagonal(pair_excess(probabilities_TT))
    row, column = divmod(int(excess_TT.argmax()), len(excess_TT))
    return row, column


def least_self_attention(probabilities_TT: Array) -> tuple[int, int]:
    """The cell on the diagonal of the token that looks at itself least.

    >>> least_self_attention(np.array([[0.5, 0.3, 0.2], [0.0, 0.9, 0.1], [0.8, 0.1, 0.1]]))
    (2, 2)
    """
    token = int(np.diagonal(probabilities_TT).argmin())
    return token, token


def log_cross_ratios(scores_XTT: Array) -> Array:
    """How much a pair of tokens prefers itself: s_ii + s_jj - s_ij - s_ji = log(a_ii a_jj / (a_ij
    a_ji)).

    The sums of the two rows cancel. Without weights it is |x_i - x_j|² times the scale, which is
    never negative. Shapes: (..., T, T), 0 on the diagonal and for rounding, NaN for a pair that is
    not visible both ways. Raises: SettingsError beyond the range of float.

    >>> log_cross_ratios(np.outer([1.0, 3.0], [1.0, 3.0])).tolist()
    [[0.0, 4.0], [4.0, 0.0]]
    """
    seen = np.isfinite(scores_XTT)
    finite = np.where(seen, scores_XTT, 0.0)
    own_XT = diagonal(finite)
    with np.errstate(over="ignore", invalid="ignore"):
        ratios: Array = np.add(*_of_pairs(own_XT)) - finite - finite.swapaxes(-1, -2)
    check_range(ratios)
    larger_XT = np.maximum(np.abs(own_XT), np.abs(finite).max(axis=-1))
    ratios[np.abs(ratios) <= TOLERANCE * np.maximum(*_of_pairs(larger_XT))] = 0.0
    both = seen & seen.swapaxes(-1, -2) & np.logical_and(*_of_pairs(diagonal(seen)))
    known: Array = np.where(both, ratios, np.nan)
    return known


def uniform_self_mass(scores_XTT: Array) -> Array:
    """The self-attention mass if every query read all keys that it may see equally: the mean of
    1/n_i.

    Shapes: (..., T, T) -> (...). 1/N without a mask, (1 + 1/2 + ... + 1/N)/N under a causal one.
    """
    seen = np.isfinite(scores_XTT)
    baseline: Array = (diagonal(seen) / np.maximum(seen.sum(axis=-1), 1)).mean(axis=-1)
    return baseline


def gram_alignment(w_q_DK: Array, w_k_DK: Array) -> float:
    """The cosine between W_Q and W_K as long vectors: 1 when tied, about 0 at random, -1 when
    opposite.

    A matrix of zeros has no direction; its alignment is 0. Shapes: (D, K) twice.

    >>> round(gram_alignment(np.eye(2), -np.eye(2)), 12)
    -1.0
    """
    w_q_DK, w_k_DK = scaled_to_one(w_q_DK), scaled_to_one(w_k_DK)
    size = float(np.linalg.norm(w_q_DK) * np.linalg.norm(w_k_DK))
    return float(np.vdot(w_q_DK, w_k_DK)) / size if size else 0.0
