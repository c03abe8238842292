"""The layer once more with tokens as columns, computed on its own: only the notation changes,
never a number.
"""

from __future__ import annotations

import numpy as np

from attention_core.checks import Array
from attention_core.trace import STEPS, Trace


def column_layer(trace: Trace) -> dict[str, Array]:
    """Every field of a trace computed anew from Xᵀ in the column convention, with none of the
    engine's formulas.

    Shapes: those of the `Trace` with the last two axes swapped: inputs (B, D, T), scores (B, H, S,
    T).
    """
    p, n_heads, groups = trace.projections, trace.sizes["H"], trace.sizes["G"]
    inputs, memory = trace.inputs.swapaxes(1, 2), trace.memory.swapaxes(1, 2)
    queries = _plus_column(p.w_q.T @ inputs, p.b_q)
    keys = _plus_column(p.w_k.T @ memory, p.b_k)
    values = _plus_column(p.w_v.T @ memory, p.b_v)
    query_heads, key_heads, value_heads = (
        np.stack(np.split(fused, heads, axis=1), axis=1)
        for fused, heads in ((queries, n_heads), (keys, groups), (values, groups))
    )
    read = [head * groups // n_heads for head in range(n_heads)]
    scores = key_heads[:, read].swapaxes(2, 3) @ query_heads
    scaled, masked = _scaled_and_masked(trace, scores)
    probabilities = _softmax_down(masked, nan=trace.empty_rows_as == "nan")
    head_outputs = value_heads[:, read] @ probabilities
    merged = np.concatenate([head_outputs[:, head] for head in range(n_heads)], axis=1)
    output = _plus_column(merged if p.w_o is None else p.w_o.T @ merged, p.b_o)
    sources, fused = (inputs, memory), (queries, keys, values)
    heads, shares = (query_heads, key_heads, value_heads), (scores, scaled, masked, probabilities)
    last = output + inputs if trace.residual else output
    computed = (*sources, *fused, *heads, *shares, head_outputs, merged, last)
    return dict(zip(STEPS, computed, strict=True))


def column_gap(trace: Trace) -> float:
    """The largest difference between any field and the same one in the column convention: nothing
    but rounding.

    >>> from attention_core import Projections, attend
    >>> column_gap(attend([[1.0], [2.0], [3.0]], Projections.weightless(1))) < 1e-15
    True
    """
    gaps = [
        _gap(array.swapaxes(-1, -2), getattr(trace, name))
        for name, array in column_layer(trace).items()
    ]
    return float(np.max(gaps))  # unlike max, it does not lose a NaN


def _plus_column(matrix_BFT: Array, bias_F: Array | None) -> Array:
    return matrix_BFT if bias_F is None else matrix_BFT + bias_F[:, np.newaxis]


def _scaled_and_masked(trace: Trace, scores_BHST: Array) -> tuple[Array, Array]:
    scaled = trace.scale * scores_BHST
    if trace.softcap is not None:
        scaled = trace.softcap * np.tanh(scaled / trace.softcap)
    masked, shape = scaled, trace.scores.shape
    if trace.bias is not None:
        masked = masked + np.broadcast_to(trace.bias, shape).swapaxes(2, 3)
    if trace.mask is not None:
        masked = np.where(np.broadcast_to(trace.mask, shape).swapaxes(2, 3), masked, -np.inf)
    return scaled, masked


def _softmax_down(scores_BHST: Array, nan: bool) -> Array:
    """The softmax of every column; one with nothing to attend to becomes zeros, or NaN on
    request.
    """
    empty_BH1T = np.isneginf(scores_BHST).all(axis=2, keepdims=True)
    exponentials = np.exp(
        scores_BHST - np.where(empty_BH1T, 0, scores_BHST.max(axis=2, keepdims=True))
    )
    shares: Array = exponentials / np.where(empty_BH1T, 1, exponentials.sum(axis=2, keepdims=True))
    return np.where(empty_BH1T, np.nan, shares) if nan else shares


def _gap(one: Array, other: Array) -> float:
    """The largest difference; where both are minus infinity, or both NaN, there is none."""
    same = (one == other) | (np.isnan(one) & np.isnan(other))
    return float(np.abs(np.where(same, 0, one) - np.where(same, 0, other)).max())
