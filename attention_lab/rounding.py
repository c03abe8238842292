"""How far rounding can move the numbers of a trace, so that a check can be as strict as the
arithmetic allows.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from attention_core.checks import MAX_OF_TYPE, Array, check_choice
from attention_core.formulas import merge_heads, split_heads
from attention_core.trace import STEPS, Trace

# 450 and 84 roundings; a sum of n terms in another order differs by n of them at worst, by √n as a
# rule.
RELATIVE_ROUNDING = {np.dtype(np.float64): 1e-13, np.dtype(np.float32): 1e-5}
# Near zero numbers are rounded to whole steps, however small they are, of which a long sum may take
# a hundred; and one digit of the largest number would be infinity.
ROUNDING_RANGE = {
    dtype: (100 * float(np.finfo(dtype).smallest_subnormal), most / 2)
    for dtype, most in MAX_OF_TYPE.items()
}


def tolerance(trace: Trace, field: str) -> float:
    """The largest difference between a field and the same numbers added up in another order, on any
    machine.

    Units or range: 1e-13 (float32: 1e-5) of what the field is added up from, see `magnitudes`;
    within `ROUNDING_RANGE`.
    Raises: SettingsError for no field.

    >>> from attention_core import Projections, attend
    >>> tolerance(attend([[3.0]], Projections.weightless(1)), "scores")
    1.8e-12
    """
    check_choice("field", field, STEPS)
    dtype = trace.output.dtype
    low, high = ROUNDING_RANGE[dtype]
    # In this order the upper limit is also what remains of infinity times zero.
    return max(low, min(high, RELATIVE_ROUNDING[dtype] * magnitudes(trace)[field]))


@lru_cache(maxsize=4)
@np.errstate(over="ignore", invalid="ignore")
def magnitudes(trace: Trace) -> dict[str, float]:
    """What the largest rounding error of each field is a small part of, followed from step to step.

    A projection counts the absolute values of its terms, for the rounding is theirs even where they
    cancel. What is off in the factors of a later product counts with the other factor as it is. No
    probability is wrong by more than 1.
    """
    p = trace.projections
    inputs, memory = np.abs(trace.inputs), np.abs(trace.memory)
    queries, keys, values = (
        x @ np.abs(w) + _largest(b)
        for x, w, b in ((inputs, p.w_q, p.b_q), (memory, p.w_k, p.b_k), (memory, p.w_v, p.b_v))
    )
    scores = _score_magnitudes(trace, queries, keys)
    scaled = scores * abs(trace.scale)
    masked = np.where(np.isfinite(trace.masked_scores), scaled + _largest(trace.bias), 0)
    probabilities = np.nan_to_num(trace.probabilities)  # NaN in an empty row is never off
    shares = _shares_off(probabilities, masked, RELATIVE_ROUNDING[trace.output.dtype])
    head_outputs = shares @ _read(np.abs(trace.value_heads), trace)
    head_outputs = head_outputs + probabilities @ _read(split_heads(values, p.groups), trace)
    merged = merge_heads(head_outputs)
    mixed = (merged if p.w_o is None else merged @ np.abs(p.w_o)) + _largest(p.b_o)
    found = {
        "inputs": inputs,
        "memory": memory,
        "queries": queries,
        "keys": keys,
        "values": values,
        "query_heads": queries,
        "key_heads": keys,
        "value_heads": values,
        "scores": scores,
        "scaled_scores": scaled,
        "masked_scores": masked,
        "probabilities": shares,
        "head_outputs": head_outputs,
        "merged": merged,
        "output": mixed + (inputs if trace.residual else 0.0),
    }
    return {field: float(array.max()) for field, array in found.items()}


def _score_magnitudes(trace: Trace, queries: Array, keys: Array) -> Array:
    """Both factors of a score may be off; each counts with the other as it is."""
    p = trace.projections
    key_heads, key_errors = np.abs(trace.key_heads), split_heads(keys, p.groups)
    scores_BHTS: Array = split_heads(queries, p.n_heads) @ _read(key_heads, trace).swapaxes(2, 3)
    scores_BHTS += np.abs(trace.query_heads) @ _read(key_errors, trace).swapaxes(2, 3)
    return scores_BHTS


def _read(heads_BGSF: Array, trace: Trace) -> Array:
    """The key or value head that each query head reads. Shapes: (B, G, S, F) -> (B, H, S, F)."""
    p = trace.projections
    read_BHSF: Array = np.repeat(heads_BGSF, p.n_heads // p.groups, axis=1)
    return read_BHSF


def _shares_off(shares_BHTS: Array, scores_BHTS: Array, relative: float) -> Array:
    """How far scores that are off move the shares: e to twice the largest of a row, for sum and
    share move apart.

    Shapes: (B, H, T, S), also of the scores' magnitudes. Where scores are off by half or more, a
    share can be anything.
    """
    moved_BHT1 = relative * scores_BHTS.max(axis=-1, keepdims=True)
    off: Array = shares_BHTS * (np.expm1(2 * np.minimum(moved_BHT1, 0.5)) / relative + 1)
    return np.where(moved_BHT1 < 0.5, off, 1 / relative)


def _largest(array: Array | None) -> float:
    """The largest absolute value among the finite numbers; 0 for nothing."""
    return 0.0 if array is None else float(np.abs(array[np.isfinite(array)]).max(initial=0.0))
