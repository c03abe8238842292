"""The array that each wrong rule gives for a step, from the right numbers before it.

A rule takes the trace and returns the array of one field without its batch, or None if the belief
does not apply to this layer.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from attention_core.checks import Array
from attention_core.formulas import sink_softmax, softmax
from attention_core.positions import turn
from attention_core.trace import Trace

BeliefRule = Callable[[Trace], Any]
PROJECTION_INPUTS = {"queries": "inputs", "keys": "memory", "values": "memory"}
NORMED_FIELDS = ("normed_queries", "normed_keys")
TURNED_FIELDS = ("turned_queries", "turned_keys")
FUSED_FIELDS = {"query_heads": "queries", "key_heads": "keys", "value_heads": "values"}


def believed_array(trace: Trace, field: str, misconception: str) -> Array | None:
    """The array of a field as a learner with a misconception computes it; None if the misconception
    is not about this field.

    Shapes: that of the field without B.
    """
    rule = BELIEF_RULES.get((misconception, field))
    with np.errstate(all="ignore"):
        return rule(trace) if rule else None


def _slice(field: str, trace: Trace) -> Any:
    """Each head reads only its own block of the input features."""
    x, p = getattr(trace, PROJECTION_INPUTS[field])[0], trace.projections
    weights, bias = getattr(p, f"w_{field[0]}"), getattr(p, f"b_{field[0]}")
    n_heads = p.n_heads if field == "queries" else p.groups
    head_F, head_D = (np.arange(n) * n_heads // n for n in (weights.shape[1], x.shape[1]))
    return x @ (weights * (head_D[:, None] == head_F)) + (0 if bias is None else bias)


def _no_swap(field: str, trace: Trace) -> Any:
    return getattr(trace, FUSED_FIELDS[field])[0].reshape(getattr(trace, field).shape[1:])


def _interleaved(field: str, trace: Trace) -> Any:
    n_heads, length, width = getattr(trace, field).shape[1:]
    dealt = getattr(trace, FUSED_FIELDS[field])[0].reshape(length, width, n_heads)
    return np.transpose(dealt, (2, 0, 1))


def _whole_width(trace: Trace) -> Any:
    if trace.sizes["H"] != trace.sizes["G"] or trace.needs("scores")[0] != "query_heads":
        return None
    whole_TS = trace.queries[0] @ trace.keys[0].T
    return np.broadcast_to(whole_TS, trace.scores.shape[1:])


def _is_square(trace: Trace) -> bool:
    return trace.memory is trace.inputs


def _by_length(field: str, trace: Trace) -> Any:
    """The vector divided by its length, times the gain."""
    if field not in trace.steps:
        return None
    return getattr(trace, field)[0] / np.sqrt(trace.sizes["K"])


def _one_angle(field: str, trace: Trace) -> Any:
    """Every pair turned by the angle of the first."""
    if trace.rotary is None:
        return None
    (source,) = trace.needs(field)
    return turn(getattr(trace, source)[:1], replace(trace.rotary, base=1.0))[0]


def _symmetric(trace: Trace) -> Any:
    scores = trace.scores[0]
    return np.maximum(scores, scores.swapaxes(1, 2)) if _is_square(trace) else None


def _times(factor: Callable[[Trace], float]) -> BeliefRule:
    return lambda trace: trace.scores[0] * factor(trace) if trace.softcap is None else None


def _hidden(trace: Trace, hidden: Array) -> Any:
    return np.where(hidden, -np.inf, _unmasked(trace))


def _unmasked(trace: Trace) -> Any:
    bias = 0 if trace.bias is None else np.broadcast_to(trace.bias, trace.scores.shape)[0]
    return trace.scaled_scores[0] + bias


def _past(trace: Trace) -> Any:
    return _hidden(trace, trace.hidden[0].swapaxes(1, 2)) if _is_square(trace) else None


def _self(trace: Trace) -> Any:
    if not _is_square(trace) or not trace.hidden[0].any():
        return None
    hidden: Array = trace.hidden[0]
    return _hidden(trace, hidden | np.eye(trace.sizes["T"], dtype=bool))


def _always_causal(trace: Trace) -> Any:
    if not _is_square(trace):
        return None
    return _hidden(trace, trace.hidden[0] | np.triu(np.ones(trace.scores.shape[2:], bool), 1))


def _zero(trace: Trace) -> Any:
    return np.where(trace.hidden[0], 0.0, trace.masked_scores[0])


def _linear(trace: Trace) -> Any:
    scores = np.where(trace.hidden[0], 0.0, trace.masked_scores[0])
    sums = scores.sum(axis=-1, keepdims=True)
    return np.where(trace.hidden[0] | (np.abs(sums) < 1e-9), 0.0, scores / np.where(sums, sums, 1))


def _wrong_axis(trace: Trace) -> Any:
    return np.asarray(softmax(trace.masked_scores[0].swapaxes(1, 2))).swapaxes(1, 2)


def _mixed(trace: Trace, shares: Array) -> Any:
    readers = trace.sizes["H"] // trace.sizes["G"]
    return shares @ np.repeat(trace.value_heads[0], readers, axis=0)


def _winner(trace: Trace) -> Any:
    shares = trace.probabilities[0]
    best = shares.argmax(axis=-1)[..., None] == np.arange(shares.shape[-1])
    return _mixed(trace, np.where(shares.max(axis=-1, keepdims=True) > 0, best, 0.0))


def _plain_mean(trace: Trace) -> Any:
    seen = ~trace.hidden[0]
    return _mixed(trace, seen / np.maximum(seen.sum(axis=-1, keepdims=True), 1))


def _merge_dealt(trace: Trace) -> Any:
    return np.transpose(trace.head_outputs[0], (1, 2, 0)).reshape(trace.merged.shape[1:])


def _merge_mean(trace: Trace) -> Any:
    return np.tile(trace.head_outputs[0].mean(axis=0), trace.sizes["H"])


def _no_output_matrix(trace: Trace) -> Any:
    same = trace.merged.shape == trace.output.shape and trace.projections.w_o is not None
    return trace.merged[0] + _residual(trace) if same else None


def _residual(trace: Trace) -> Any:
    return trace.inputs[0] if trace.residual else np.zeros(1)


def _heads_apart(trace: Trace) -> Any:
    p = trace.projections
    if p.w_o is None:
        return None
    head_C, head_O = (np.arange(n) * p.n_heads // n for n in p.w_o.shape)
    own = trace.merged[0] @ (p.w_o * (head_C[:, None] == head_O))
    return own + (0 if p.b_o is None else p.b_o) + _residual(trace)


BELIEF_RULES: Mapping[tuple[str, str], BeliefRule] = {
    **{("slice", field): partial(_slice, field) for field in PROJECTION_INPUTS},
    **{("no-swap", field): partial(_no_swap, field) for field in FUSED_FIELDS},
    **{("interleaved", field): partial(_interleaved, field) for field in FUSED_FIELDS},
    ("whole-width", "scores"): _whole_width,
    ("symmetric", "scores"): _symmetric,
    ("never-negative", "scores"): lambda trace: np.abs(trace.scores[0]),
    ("no-scale", "scaled_scores"): _times(lambda trace: 1.0),
    **{("length-not-rms", field): partial(_by_length, field) for field in NORMED_FIELDS},
    **{("one-angle", field): partial(_one_angle, field) for field in TURNED_FIELDS},
    ("no-root", "scaled_scores"): _times(lambda trace: 1 / trace.sizes["K"]),
    ("root-of-model", "scaled_scores"): _times(lambda trace: trace.sizes["D"] ** -0.5),
    ("mask-past", "masked_scores"): _past,
    ("mask-self", "masked_scores"): _self,
    ("always-causal", "masked_scores"): _always_causal,
    ("mask-zero", "masked_scores"): _zero,
    ("mask-zero", "probabilities"): lambda trace: sink_softmax(
        _zero(trace)[np.newaxis], trace.sink
    )[0],
    ("linear", "probabilities"): _linear,
    ("wrong-axis", "probabilities"): _wrong_axis,
    ("winner", "head_outputs"): _winner,
    ("plain-mean", "head_outputs"): _plain_mean,
    ("no-swap", "merged"): lambda trace: trace.head_outputs[0].reshape(trace.merged.shape[1:]),
    ("interleaved", "merged"): _merge_dealt,
    ("heads-mean", "merged"): _merge_mean,
    ("no-output-matrix", "output"): _no_output_matrix,
    ("heads-apart", "output"): _heads_apart,
}
