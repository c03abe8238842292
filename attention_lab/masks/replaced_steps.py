"""The layer with steps that can be replaced, run to the end on the same numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from attention_core import formulas
from attention_core.cache import remembered
from attention_core.checks import Array, whole_number
from attention_core.formulas import merge_heads, softmax, split_heads
from attention_core.projections import Projections
from attention_core.trace import Trace

Softmax = Callable[..., Array]


@dataclass(frozen=True)
class Steps:
    """The steps of the layer in which a mistake can be made; the defaults are right.

    scale: of a trace. shares: of the scores without and with the mask, by the softmax that makes of
    empty rows what the layer does. dropped: of probabilities and the call's number.
    """

    weights: Callable[[Projections], Projections] = lambda projections: projections
    split: Callable[[Array, int], Array] = split_heads
    scale: Callable[[Trace], float] = lambda given: given.scale
    shares: Callable[[Softmax, Array, Array], Array] = lambda soft, unmasked, masked: soft(masked)
    dropped: Callable[[Array, int], Array] = lambda probabilities, call: probabilities
    merge: Callable[[Array], Array] = merge_heads


CORRECT_STEPS = Steps()


@dataclass(frozen=True, eq=False)
class Given:
    """What a layer is run on. Shapes: inputs (B, T, D), memory (B, S, M); mask and bias (B, H,
    T, S), or None.
    """

    trace: Trace
    inputs: Array
    memory: Array
    mask: Array | None
    bias: Array | None

    @property
    def own_memory(self) -> bool:
        """Whether the layer attends to its own inputs."""
        return self.trace.memory is self.trace.inputs


def given_of(trace: Trace) -> Given:
    """What a trace was given."""
    mask, bias = (
        a if a is None else np.broadcast_to(a, trace.scores.shape) for a in (trace.mask, trace.bias)
    )
    return Given(trace, trace.inputs, trace.memory, mask, bias)


@remembered(8)
def run(given: Given, steps: Steps = CORRECT_STEPS, call: int = 0) -> Trace:
    """The whole layer with these steps; the projections and the scale of the result are those that
    were used.

    Kept for the next check: all checks together ask for the same runs twice.
    """
    whole_number("call", call, 0)
    trace, memory = given.trace, given.inputs if given.own_memory else given.memory
    p, scale = steps.weights(trace.projections), steps.scale(trace)
    queries = formulas.project(given.inputs, p.w_q, p.b_q)
    keys, values = formulas.project(memory, p.w_k, p.b_k), formulas.project(memory, p.w_v, p.b_v)
    query_heads, key_heads = steps.split(queries, p.n_heads), steps.split(keys, p.groups)
    value_heads = steps.split(values, p.groups)
    scores = formulas.dot_products(query_heads, key_heads)
    scaled = formulas.scale_scores(scores, scale, trace.softcap)
    masked, shares = _masked_and_shares(given, steps, scaled)
    probabilities = steps.dropped(shares, call)
    head_outputs = formulas.mix_values(probabilities, value_heads)
    merged = steps.merge(head_outputs)
    output = formulas.mix_heads(merged, p.w_o, p.b_o, given.inputs if trace.residual else None)
    return replace(
        trace,
        inputs=given.inputs,
        memory=memory,
        queries=queries,
        keys=keys,
        values=values,
        query_heads=query_heads,
        key_heads=key_heads,
        value_heads=value_heads,
        scores=scores,
        scaled_scores=scaled,
        masked_scores=masked,
        probabilities=probabilities,
        head_outputs=head_outputs,
        merged=merged,
        output=output,
        projections=p,
        scale=scale,
    )


def _masked_and_shares(given: Given, steps: Steps, scaled: Array) -> tuple[Array, Array]:
    """The scores with bias and mask, and the shares that the steps make of them."""
    unmasked = scaled if given.bias is None else scaled + given.bias
    masked = unmasked if given.mask is None else np.where(given.mask, unmasked, -np.inf)
    soft = _softmax_or_nan if given.trace.empty_rows_as == "nan" else softmax
    return masked, steps.shares(soft, unmasked, masked)


def _softmax_or_nan(scores: Array, axis: int = -1) -> Array:
    """The softmax of PyTorch, where a slice that is -inf everywhere becomes NaN."""
    empty = np.isneginf(scores).all(axis=axis, keepdims=True)
    return np.where(empty, scores.dtype.type(np.nan), softmax(scores, axis))
