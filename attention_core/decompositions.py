"""A step taken apart: the pieces that a page shows side by side, and the classic mistakes beside the right result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .checks import Array, check_switch, one_of, shown, whole_number
from .code.rounding import RELATIVE
from .errors import SettingsError
from .formulas import merge_heads, softmax, split_heads
from .heads import check_places, head_columns
from .heads.gauge import output_rows, value_output_forms
from .measure_checks import binary_size
from .trace import Trace

# The field that has its heads side by side as a weight matrix has: in its columns, or in the rows of W_O.
LIKE = {"w_q": "queries", "w_k": "keys", "w_v": "values", "w_o": "merged"}


def head_contributions(trace: Trace) -> Array:
    """What each head adds to the output: O_h times its block of rows of W_O. They add up to merged W_O.

    Shapes: (B, H, T, O); without W_O each head fills its own columns and leaves the others 0.
    """
    added_BHTO: Array = trace.head_outputs @ output_rows(trace.projections)
    return added_BHTO


def absorbed_contributions(trace: Trace) -> Array:
    """The same without W_O: each head mixes values that are as wide as the output, X (W_V W_O)_h.

    Shapes: (B, H, T, O).
    """
    p = trace.projections
    wide_BHSO = trace.memory[:, np.newaxis] @ value_output_forms(p)
    if p.b_v is not None:
        bias_HV = p.b_v.reshape(p.groups, p.d_v).repeat(p.n_heads // p.groups, axis=0)
        wide_BHSO = wide_BHSO + bias_HV[:, np.newaxis] @ output_rows(p)
    added_BHTO: Array = trace.probabilities @ wide_BHSO
    return added_BHTO


def absorbed_size(trace: Trace) -> tuple[int, int]:
    """How many numbers W_V and W_O hold together, and the value matrices that take in W_O; none for a W_O not there."""
    p, sizes = trace.projections, trace.sizes
    apart = p.w_v.size + (0 if p.w_o is None else p.w_o.size)
    return apart, sizes["H"] * sizes["M"] * sizes["O"]


def head_slice(trace: Trace, matrix: str, head: int) -> Array:
    """The block of a weight matrix that belongs to one head: columns of w_q, w_k, w_v, rows of w_o.

    Shapes: (D, K), (D, K), (D, V), (V, O). Raises: SettingsError.
    """
    field = LIKE.get(matrix) if isinstance(matrix, str) else None
    weights, n_heads = getattr(trace.projections, matrix) if field else None, trace.sizes["H"]
    if field is None or weights is None or not 0 <= whole_number("head", head) < n_heads:
        raise SettingsError(f"there is no block of {shown(matrix)} for head {head} of {n_heads}; choose another")
    block = head_columns(trace, field, head)
    part: Array = weights[block] if matrix == "w_o" else weights[:, block]
    return part


def features_read(trace: Trace, matrix: str, head: int) -> int:
    """From how many features a head takes anything: the rows of its block of w_q, w_k or w_v that are not all 0.

    Raises: SettingsError.
    """
    return int(head_slice(trace, matrix, head).any(axis=1).sum())


def heads_mixed(trace: Trace, column: int) -> int:
    """From how many heads a number of the output takes anything: blocks of the column of W_O that are not all 0.

    Raises: SettingsError.
    """
    rows_HVO = output_rows(trace.projections)
    whole_number("column", column, 0, rows_HVO.shape[2] - 1)
    return int(rows_HVO[:, :, column].any(axis=1).sum())


def gives_back(trace: Trace, matrix: str) -> bool:
    """Whether w_q, w_k or w_v gives what it gets: it is the identity, and no bias follows. Raises: SettingsError."""
    one_of("matrix", matrix, ("w_q", "w_k", "w_v"))
    weights, bias = (getattr(trace.projections, name) for name in (matrix, matrix.replace("w", "b")))
    return bias is None and np.array_equal(weights, np.eye(*weights.shape))


def split_without_swap(fused: Array, n_heads: int) -> Array:
    """The classic mistake in the split: reshape straight to (B, H, T, K). Right shape, numbers of the wrong tokens."""
    shape = split_heads(fused, n_heads).shape
    return np.asarray(fused).reshape(shape)


def merge_without_swap(heads_BHTV: Array) -> Array:
    """The classic mistake in the merge: reshape straight to (B, T, H*V). Right shape, tokens and heads mixed up."""
    shape = merge_heads(heads_BHTV).shape
    return np.asarray(heads_BHTV).reshape(shape)


@dataclass(frozen=True, eq=False)
class ScaleEffect:
    """What the scale does to one head.

    spread_raw, spread: standard deviation of the scores before and after. top_raw, top: the largest probability of a
    row, averaged over the rows, if the softmax took the raw scores, and with the scale.
    """

    spread_raw: float
    spread: float
    top_raw: float
    top: float


def scale_effect(trace: Trace, head: int, batch: int = 0) -> ScaleEffect:
    """How far the scores of a head spread, and how sharp its softmax is, without and with the scale; no mask."""
    check_places(trace, head=head, batch=batch)
    raw_TS, scaled_TS = trace.scores[batch, head], trace.scaled_scores[batch, head]
    tops = [float(shares_TS.max(axis=-1).mean()) for shares_TS in unmasked_shares(trace, head, batch)]
    return ScaleEffect(_spread(raw_TS), _spread(scaled_TS), *tops)


def _spread(numbers_TS: Array) -> float:
    """The standard deviation; of numbers over a power of 2, for squares of very large ones leave the range of float."""
    size_11 = binary_size(numbers_TS)
    return float(np.ldexp(np.ldexp(numbers_TS, -size_11).std(), size_11.item()))


def unmasked_shares(trace: Trace, head: int, batch: int = 0) -> tuple[Array, Array]:
    """What the softmax makes of a head's raw scores and of its scaled ones, without mask and bias. Shapes: (T, S)."""
    check_places(trace, head=head, batch=batch)
    return softmax(trace.scores[batch, head]), softmax(trace.scaled_scores[batch, head])


def row_share(trace: Trace, head: int, query: int) -> float:
    """What the shares of a query sum to: 1 but for rounding, 0 where it may see no key. Raises: SettingsError."""
    check_places(trace, head=head, query=query)
    return float(trace.probabilities[0, head, query].sum())


def strongest_keys(trace: Trace, head: int, query: int, count: int = 3, batch: int = 0) -> list[tuple[int, float]]:
    """The keys a query reads most from, with their probabilities, the largest first; no key with probability 0.

    >>> from attention_core import Projections, attend
    >>> found = strongest_keys(attend([[1.0], [2.0]], Projections.weightless(1)), head=0, query=0, count=1)
    >>> [(key, round(share, 3)) for key, share in found]
    [(1, 0.731)]
    """
    check_places(trace, head=head, query=query, batch=batch)
    whole_number("count", count, 0)
    row_S = trace.probabilities[batch, head, query]
    order = np.argsort(-row_S, kind="stable")[:count]
    return [(int(key), float(row_S[key])) for key in order if row_S[key] > 0]


def keys_read_most(trace: Trace, head: int, query: int, batch: int = 0) -> tuple[int, ...]:
    """The keys that no other exceeds in the row of a query: several where shares are equal, but for rounding.

    >>> from attention_core import Projections, attend
    >>> keys_read_most(attend([[1.0], [1.0], [0.5]], Projections.weightless(1)), head=0, query=0)
    (0, 1)
    """
    check_places(trace, head=head, query=query, batch=batch)
    row_S = trace.probabilities[batch, head, query]
    most = row_S >= row_S.max() * (1 - RELATIVE[row_S.dtype])
    return tuple(int(key) for key in np.flatnonzero(most & (row_S > 0)))


def moved_cells(trace: Trace, batch: int = 0) -> Array:
    """Which cells of the merged matrix would hold another number if the heads were reshaped without the swap.

    Shapes: (T, H*V) bool.
    """
    check_places(trace, batch=batch)
    moved: Array = merge_without_swap(trace.head_outputs)[batch] != trace.merged[batch]
    return moved


def place_merged(trace: Trace, head: int, query: int, feature: int, swap: bool = True) -> tuple[int, int]:
    """The row and column of the merged matrix where head_outputs[head, query, feature] lands, with or without the swap.

    >>> from attention_core import Projections, attend
    >>> trace = attend([[1.0, 2.0], [3.0, 4.0]], Projections.weightless(2, n_heads=2))
    >>> place_merged(trace, 0, 1, 0), place_merged(trace, 0, 1, 0, swap=False)
    ((1, 0), (0, 1))
    """
    check_places(trace, head=head, query=query, feature=feature)
    check_switch("swap", swap)
    d_v, width = trace.sizes["V"], trace.merged.shape[2]
    if swap:
        return query, head * d_v + feature
    row, column = divmod((head * trace.sizes["T"] + query) * d_v + feature, width)
    return row, column


def output_gap(trace: Trace, contributions: Callable[[Trace], Array] = head_contributions) -> float:
    """The largest difference, over all tokens, between the output and the sum of its parts: nothing but rounding."""
    total_BTO = contributions(trace).sum(axis=1)
    if trace.projections.b_o is not None:
        total_BTO = total_BTO + trace.projections.b_o
    if trace.residual:
        total_BTO = total_BTO + trace.inputs
    return float(np.abs(total_BTO - trace.output).max())
