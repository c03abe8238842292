"""The classic mistakes: each replaces one step of the layer; their words are rows of
`assets/data/mistakes.csv`.

All arrays keep their shapes, so the result is a `Trace` that all pictures can show.

Before them: the layer with replaced steps, run on the same inputs.
"""

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from attention_core import HeadTrace
from attention_core.attention import LayerSteps, options_of, plain_heads, run_layer
from attention_core.checks import Array
from attention_core.formulas import cut_heads, join_heads, mask_scores, sink_softmax
from attention_core.initialisation import Stream, generator
from attention_core.layer_checks import Options
from attention_core.projections import Projections
from attention_core.trace import Trace

from ..cache import cached
from ..heads.layout_mistakes import merge_without_swap, split_without_swap
from ..home import read_table


@dataclass(frozen=True)
class ReplacedSteps:
    """The steps of the layer that a mistake can replace. The defaults are right.

    scale: from a trace. shares: from the scores without and with the mask. dropped: from the
    probabilities and the number of the call.
    """

    weights: Callable[[Projections], Projections] = lambda projections: projections
    split: Callable[[Array, int], Array] = cut_heads
    scale: Callable[[Trace], float] = lambda given: given.scale
    shares: Callable[[Array, Array, Options], Array] = lambda scaled, masked, options: sink_softmax(
        masked, options.sink
    )
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
    options = options_of(trace)._replace(allowed=given.mask, bias=given.bias, scale=scale)
    weights, connection = steps.weights(trace.projections), given.inputs if trace.residual else None
    run = run_layer(given.inputs, memory, weights, options, connection, steps.of_layer(call))
    labelled = run.labelled(trace.tokens, trace.memory_tokens)
    return replace(labelled, mask=trace.mask, bias=trace.bias).check_shapes()


DROPOUT_RATE = 0.1


def _scale_of_the_layer(given: Trace) -> float:
    """1/√C instead of 1/√d_k. Another scale stays as it is."""
    divided = math.isclose(given.scale, given.projections.d_k**-0.5)
    return given.projections.d_model**-0.5 if divided else given.scale


def _mask_last(scaled_BHTS: Array, masked_BHTS: Array, options: Options) -> Array:
    unmasked_BHTS = mask_scores(scaled_BHTS, None, options.bias)
    return sink_softmax(unmasked_BHTS, options.sink) * ~np.isneginf(masked_BHTS)


def _over_queries(_: Array, masked_BHTS: Array, options: Options) -> Array:
    return sink_softmax(masked_BHTS.swapaxes(-1, -2), options.sink).swapaxes(-1, -2)


def drop_shares(probabilities: Array, call: int) -> Array:
    """Dropout after the softmax: each share is set to 0 with probability `DROPOUT_RATE`, else
    divided by 1 - `DROPOUT_RATE`. That keeps the mean of a share, but not the sum of a
    query's shares. call: the seed.
    """
    kept = generator(call, Stream.DROPOUT).random(probabilities.shape) >= DROPOUT_RATE
    thinned: Array = (probabilities * kept / (1 - DROPOUT_RATE)).astype(probabilities.dtype)
    return thinned


def _own_slices(p: Projections) -> Projections:
    """The matrices of each head with zeros for the features of the other heads, as if X had been
    split among the heads.
    """
    heads = {"w_q": p.n_heads, "w_k": p.groups, "w_v": p.groups}
    cut: dict[str, Any] = {name: _block_diagonal(getattr(p, name), n) for name, n in heads.items()}
    return replace(p, **cut)


def _block_diagonal(weights_DF: Array, n_heads: int) -> Array:
    n_rows, n_columns = weights_DF.shape
    owner_D, owner_F = (np.arange(length) * n_heads // length for length in (n_rows, n_columns))
    cut: Array = weights_DF * (owner_D[:, np.newaxis] == owner_F)
    return cut


def _first_head_for_all(p: Projections) -> Projections:
    """Every head with W_Q, W_K and W_V of the first head."""
    widths = {"w_q": p.d_k, "w_k": p.d_k, "w_v": p.d_v, "b_q": p.d_k, "b_k": p.d_k, "b_v": p.d_v}
    same: dict[str, Any] = {
        name: np.tile(a[..., :width], a.shape[-1] // width)
        for name, width in widths.items()
        if (a := getattr(p, name)) is not None
    }
    return replace(p, **same)


@dataclass(frozen=True)
class Mistake:
    """One mistake. right, wrong: the line of code that computes `array`, without and with it.

    needs: without this the mistake changes no number, and no check can find it.
    """

    key: str
    name: str
    description: str
    array: str
    right: str
    wrong: str
    needs: str
    steps: ReplacedSteps = field(repr=False)


_STEPS = {
    "split": ReplacedSteps(split=split_without_swap),
    "merge": ReplacedSteps(merge=merge_without_swap),
    "scale": ReplacedSteps(scale=_scale_of_the_layer),
    "axis": ReplacedSteps(shares=_over_queries),
    "mask": ReplacedSteps(shares=_mask_last),
    "slice": ReplacedSteps(weights=_own_slices),
    "shared": ReplacedSteps(weights=_first_head_for_all),
    "dropout": ReplacedSteps(dropped=drop_shares),
}
MISTAKES = tuple(Mistake(steps=_STEPS[row["key"]], **row) for row in read_table("mistakes"))


def row_sum_with_dropout(trace: Trace, head: int, query: int) -> float:
    """The sum of the shares of a query after one draw of dropout."""
    return float(drop_shares(trace.probabilities, 0)[0, head, query].sum())


def hidden_mistake(round_number: int) -> Mistake:
    """The mistake of a round of the game: the same for everybody; its number is no hint."""
    digest = hashlib.blake2b(f"round {round_number}".encode(), digest_size=8).digest()
    return MISTAKES[int.from_bytes(digest, "little") % len(MISTAKES)]
