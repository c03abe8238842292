"""The layer with replaced steps, run on the same inputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from attention_core import HeadTrace
from attention_core.attention import LayerSteps, plain_heads, run_layer
from attention_core.checks import Array
from attention_core.formulas import cut_heads, join_heads, softmax
from attention_core.layer_checks import Options
from attention_core.projections import Projections
from attention_core.trace import Trace

from ..cache import cached


@dataclass(frozen=True)
class ReplacedSteps:
    """The steps of the layer that a mistake can replace. The defaults are right.

    scale: from a trace. shares: from the scores without and with the mask. dropped: from the
    probabilities and the number of the call.
    """

    weights: Callable[[Projections], Projections] = lambda projections: projections
    split: Callable[[Array, int], Array] = cut_heads
    scale: Callable[[Trace], float] = lambda given: given.scale
    shares: Callable[[Array, Array, Options], Array] = lambda scaled, masked, _: softmax(masked)
    dropped: Callable[[Array, int], Array] = lambda probabilities, call: probabilities
    merge: Callable[[Array], Array] = join_heads

    def of_layer(self, call: int) -> LayerSteps:
        """These steps as those of one call of the layer."""

        def shares(scaled: Array, masked: Array, options: Options) -> Array:
            return self.dropped(self.shares(scaled, masked, options), call)

        def heads(query: Array, key: Array, value: Array, options: Options) -> HeadTrace:
            return plain_heads(query, key, value, options, shares)

        return LayerSteps(split=self.split, heads=heads, merge=self.merge)


CORRECT_STEPS = ReplacedSteps()


@dataclass(frozen=True, eq=False)
class RunInputs:
    """The inputs of a run. Shapes: inputs (B, T, D), memory (B, S, M); mask and bias (B, H, T,
    S), or None.
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


def run_inputs(trace: Trace) -> RunInputs:
    """The inputs of a trace."""
    mask, bias = (
        a if a is None else np.broadcast_to(a, trace.scores.shape) for a in (trace.mask, trace.bias)
    )
    return RunInputs(trace, trace.inputs, trace.memory, mask, bias)


@cached
def run_with_steps(given: RunInputs, steps: ReplacedSteps = CORRECT_STEPS, call: int = 0) -> Trace:
    """The whole layer with these steps. The result has the used projections and scale.

    Results are kept, because several checks need the same runs.
    """
    trace, memory = given.trace, given.inputs if given.own_memory else given.memory
    scale = steps.scale(trace)
    options = Options(given.mask, given.bias, scale, trace.softcap, trace.empty_rows_as)
    weights, connection = steps.weights(trace.projections), given.inputs if trace.residual else None
    trace_of_run = run_layer(
        given.inputs, memory, weights, options, connection, steps.of_layer(call)
    )
    return replace(
        trace_of_run,
        mask=trace.mask,
        bias=trace.bias,
        tokens=trace.tokens,
        memory_tokens=trace.memory_tokens,
    ).check_shapes()
