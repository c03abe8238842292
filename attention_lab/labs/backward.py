"""The backward pass of a layer: the order of the backward formulas, and the record of what they
gave.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array, as_numbers
from attention_core.errors import SettingsError, ShapeError
from attention_core.formulas import merge_heads, split_heads
from attention_core.number_types import all_finite, check_range
from attention_core.trace import Trace

from . import gradients
from .gradient_trace import GradientTrace


# A number that grows too large is an error of ours, with a sentence, not a warning of NumPy's on
# the way to it.
@np.errstate(over="ignore", invalid="ignore")
def layer_gradients(trace: Trace, output_gradient: ArrayLike) -> GradientTrace:
    """The gradient of a loss with respect to every array of a layer, from its gradient with respect
    to the output.

    Shapes: output_gradient (B, T, O) like trace.output. Raises: ShapeError, SettingsError.
    Source: Rumelhart, Hinton and Williams 1986, the chain rule step by step.

    >>> from attention_core import Projections, attend
    >>> trace = attend([[1.0], [2.0]], Projections([[1.0]], [[1.0]], [[1.0]], [[3.0]], n_heads=1))
    >>> layer_gradients(trace, [[[1.0], [0.0]]]).merged.tolist()
    [[[3.0], [0.0]]]
    """
    output = _given(trace, output_gradient)
    heads = _head_gradients(trace, output)
    queries, keys, values = (
        merge_heads(heads[name]) for name in ("query_heads", "key_heads", "value_heads")
    )
    memory, inputs = _source_gradients(trace, output, queries, keys, values)
    weights: dict[str, Any] = _weight_gradients(
        trace, {"q": queries, "k": keys, "v": values, "o": output}
    )
    for array in (memory, inputs, *weights.values()):
        if array is not None:
            check_range(array)
    fused = {"queries": queries, "keys": keys, "values": values}
    return GradientTrace(output=output, memory=memory, inputs=inputs, **heads, **fused, **weights)


def _head_gradients(trace: Trace, output: Array) -> dict[str, Any]:
    """The gradients of everything that is one array per head, and of the joined heads."""
    p = trace.projections
    merged = output if p.w_o is None else gradients.factor_gradient(output, p.w_o)
    head_outputs = split_heads(merged, p.n_heads)
    # One allocation for all score arrays: apart, the system clears their pages on every call (4
    # times the run time).
    probabilities, masked_scores, scores = np.empty((3, *trace.scores.shape), output.dtype)
    gradients.probability_gradient(head_outputs, trace.value_heads, out=probabilities)
    gradients.softmax_gradient(trace.probabilities, probabilities, out=masked_scores)
    gradients.scale_gradient(
        masked_scores, trace.scaled_scores, trace.scale, trace.softcap, out=scores
    )
    return {
        "merged": merged,
        "head_outputs": head_outputs,
        "value_heads": gradients.value_gradient(trace.probabilities, head_outputs, p.groups),
        "probabilities": probabilities,
        "masked_scores": masked_scores,
        "scaled_scores": masked_scores,  # a mask and a bias add constants
        "scores": scores,
        "query_heads": gradients.query_gradient(scores, trace.key_heads),
        "key_heads": gradients.key_gradient(scores, trace.query_heads, p.groups),
    }


def _source_gradients(
    trace: Trace, output: Array, queries: Array, keys: Array, values: Array
) -> tuple[Array, Array]:
    """The gradients of memory and inputs; the inputs collect the memory's, where they are one, and
    the residual's.
    """
    p = trace.projections
    memory = gradients.factor_gradient(keys, p.w_k) + gradients.factor_gradient(values, p.w_v)
    inputs = gradients.factor_gradient(queries, p.w_q)
    for added, present in ((memory, trace.memory is trace.inputs), (output, trace.residual)):
        inputs = inputs + added if present else inputs
    return memory, inputs


def _given(trace: Trace, output_gradient: ArrayLike) -> Array:
    """The gradient with respect to the output, in the layer's own type, when the layer has one."""
    output = as_numbers("output_gradient", output_gradient)
    if output.shape != trace.output.shape:
        raise ShapeError(
            f"output_gradient has shape {output.shape} but must be like the output:"
            f" {trace.output.shape}"
        )
    if not all_finite(trace.output):
        raise SettingsError(
            "the layer's output holds NaN, which has no gradient: attend with empty_rows='zero'"
        )
    output = output.astype(trace.output.dtype, copy=False)
    check_range(output)
    return output


def _weight_gradients(trace: Trace, products: dict[str, Array]) -> dict[str, Array | None]:
    """The gradients of the matrices and biases that the layer has, from the gradients of what
    they made.
    """
    sources = {"q": trace.inputs, "k": trace.memory, "v": trace.memory, "o": trace.merged}
    found: dict[str, Array | None] = {}
    for letter, product in products.items():
        matrix, bias = (getattr(trace.projections, f"{kind}_{letter}") for kind in "wb")
        found[f"w_{letter}"] = (
            None if matrix is None else gradients.weight_gradient(sources[letter], product)
        )
        found[f"b_{letter}"] = None if bias is None else gradients.bias_gradient(product)
    return found
