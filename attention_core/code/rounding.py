"""How far rounding can move the numbers of a trace, so that a check can be as strict as the arithmetic allows."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..checks import LARGEST, Array
from ..formulas import split_heads
from ..trace import Trace

# 450 and 84 roundings; a sum of n terms in another order differs by n of them at worst, by √n as a rule.
RELATIVE = {np.dtype(np.float64): 1e-13, np.dtype(np.float32): 1e-5}
# Near zero numbers are rounded to whole steps, however small they are, of which a long sum may take a hundred; and one
# digit of the largest number would be infinity.
RANGE = {dtype: (100 * float(np.finfo(dtype).smallest_subnormal), most / 2) for dtype, most in LARGEST.items()}


def tolerance(trace: Trace, field: str) -> float:
    """The largest difference between a field and the same numbers added up in another order, on any machine.

    Units or range: 1e-13 (float32: 1e-5) of what the field is added up from, see `magnitudes`; within `RANGE`.

    >>> from attention_core import Projections, attend
    >>> tolerance(attend([[3.0]], Projections.weightless(1)), "scores")
    9e-13
    """
    dtype = trace.output.dtype
    low, high = RANGE[dtype]
    # In this order the upper limit is also what remains of infinity times zero.
    return max(low, min(high, RELATIVE[dtype] * magnitudes(trace)[field]))


@lru_cache(maxsize=4)
@np.errstate(over="ignore", invalid="ignore")
def magnitudes(trace: Trace) -> dict[str, float]:
    """The largest sum of absolute values behind a number of each field: the layer without a sign anywhere.

    The numbers themselves may be far smaller, where terms cancel; the rounding is that of the terms. exp turns what a
    score is off by into a share of the probability, so from there on it grows with the scores; but no probability is
    wrong by more than 1.
    """
    p = trace.projections
    inputs, memory = np.abs(trace.inputs), np.abs(trace.memory)
    queries = inputs @ np.abs(p.w_q) + _largest(p.b_q)
    keys = memory @ np.abs(p.w_k) + _largest(p.b_k)
    values = float((memory @ np.abs(p.w_v)).max()) + _largest(p.b_v)
    key_heads = np.repeat(split_heads(keys, p.groups), p.n_heads // p.groups, axis=1)
    scores = float((split_heads(queries, p.n_heads) @ key_heads.swapaxes(-1, -2)).max())
    scaled = scores * abs(trace.scale)
    masked = scaled + _largest(trace.bias)
    share = min(max(1.0, masked), 1 / RELATIVE[trace.output.dtype])
    merged = share * values
    mixed = merged * (1.0 if p.w_o is None else float(np.abs(p.w_o).sum(axis=0).max())) + _largest(p.b_o)
    asked, offered = float(queries.max()), float(keys.max())
    return {
        "inputs": _largest(inputs), "memory": _largest(memory), "queries": asked, "keys": offered, "values": values,
        "query_heads": asked, "key_heads": offered, "value_heads": values, "scores": scores, "scaled_scores": scaled,
        "masked_scores": masked, "probabilities": share, "head_outputs": merged, "merged": merged,
        "output": mixed + (_largest(inputs) if trace.residual else 0.0),
    }  # fmt: skip


def _largest(array: Array | None) -> float:
    """The largest absolute value among the finite numbers; 0 for nothing."""
    return 0.0 if array is None else float(np.abs(array[np.isfinite(array)]).max(initial=0.0))
