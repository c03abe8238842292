"""A step taken apart: the pieces that a page shows side by side, and the classic mistakes beside the right result."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .checks import Array
from .errors import SettingsError
from .formulas import split_heads
from .trace import Trace


@dataclass(frozen=True, eq=False)
class SoftmaxRow:
    """The softmax of one row, step by step. Shapes: four times (S,); maximum and total are numbers."""

    scores: Array
    shifted: Array
    exponentials: Array
    probabilities: Array
    maximum: float
    total: float


def softmax_row(trace: Trace, head: int, query: int, batch: int = 0) -> SoftmaxRow:
    """The row of one query: minus its maximum, exponentiated, divided by the sum.

    A row with nothing to attend to has maximum -inf, and all its exponentials are 0.
    """
    scores_S = trace.masked_scores[batch, head, query]
    maximum = float(scores_S.max())
    shifted_S = scores_S - maximum if np.isfinite(maximum) else scores_S
    exponentials_S = np.exp(shifted_S)
    probabilities_S = trace.probabilities[batch, head, query]
    return SoftmaxRow(scores_S, shifted_S, exponentials_S, probabilities_S, maximum, float(exponentials_S.sum()))


def weighted_values(trace: Trace, head: int, query: int, batch: int = 0) -> Array:
    """What each token sends to one query: its value vector times the probability. The rows add up to the head's output.

    Shapes: (S, V).
    """
    group = head // (trace.sizes["H"] // trace.sizes["G"])
    sent_SV: Array = trace.probabilities[batch, head, query][:, np.newaxis] * trace.value_heads[batch, group]
    return sent_SV


def head_contributions(trace: Trace) -> Array:
    """What each head adds to the output: O_h times its block of rows of W_O. They add up to merged W_O.

    Shapes: (B, H, T, O); without W_O each head fills its own columns and leaves the others 0.
    """
    sizes = trace.sizes
    w_o = trace.projections.w_o
    blocks_HVO = (np.eye(sizes["O"]) if w_o is None else w_o).reshape(sizes["H"], sizes["V"], -1)
    added_BHTO: Array = trace.head_outputs @ blocks_HVO
    return added_BHTO


def head_slice(trace: Trace, matrix: str, head: int) -> Array:
    """The block of a weight matrix that belongs to one head: columns of w_q, w_k, w_v, rows of w_o.

    Shapes: (D, K), (D, K), (D, V), (V, O). Raises: SettingsError.
    """
    sizes, weights = trace.sizes, getattr(trace.projections, matrix, None)
    group = head // (sizes["H"] // sizes["G"])
    first = {"w_q": head * sizes["K"], "w_k": group * sizes["K"], "w_v": group * sizes["V"], "w_o": head * sizes["V"]}
    if weights is None or matrix not in first or not 0 <= head < sizes["H"]:
        raise SettingsError(f"there is no block of {matrix!r} for head {head} of {sizes['H']}; choose another")
    width = sizes["K"] if matrix in ("w_q", "w_k") else sizes["V"]
    block = slice(first[matrix], first[matrix] + width)
    part: Array = weights[block] if matrix == "w_o" else weights[:, block]
    return part


def split_without_swap(fused: Array, n_heads: int) -> Array:
    """The classic mistake in the split: reshape straight to (B, H, T, K). Right shape, numbers of the wrong tokens."""
    return fused.reshape(split_heads(fused, n_heads).shape)


def merge_without_swap(heads_BHTV: Array) -> Array:
    """The classic mistake in the merge: reshape straight to (B, T, H*V). Right shape, tokens and heads mixed up."""
    n_batch, n_heads, n_tokens, d_v = heads_BHTV.shape
    return heads_BHTV.reshape(n_batch, n_tokens, n_heads * d_v)
