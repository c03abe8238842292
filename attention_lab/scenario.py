"""The layer run on a scenario; equal scenarios give the same `Trace`."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from attention_core import HeadNorm, Rotary, alibi_bias
from attention_core.attention import attend
from attention_core.checks import Array
from attention_core.errors import AttentionError
from attention_core.masks import padding_mask, window_mask
from attention_core.projections import MATRICES, Projections
from attention_core.trace import Trace, one_sequence

from .cache import cached
from .choices import DECLARED, Run, edits_of, kind_of, resolve
from .choices import Scenario as Scenario
from .heads.head_worth import without_heads
from .mask_kinds import PADDING
from .sentences import embedding_of, in_batch, sentences_of, tokens_of, weights_in_force
from .user_data.edits import apply_edits
from .user_data.user_matrices import check_residual


@cached
def trace_of(scenario: Scenario) -> Trace:
    """The layer run on a scenario; a batch has the labels of its first sentence. Raises:
    AttentionError.
    """
    run = resolve(scenario)
    if run.model and run.model.is_whole and run.chosen == _untouched(scenario):
        return run.model.trace(run.chosen).labelled(tokens_of(scenario).tokens)
    one, *others = [in_batch(scenario, n) for n in range(len(sentences_of(scenario)))]
    inputs = embedding_of(one).inputs if run.own.x is None else run.own.x
    inputs, projections = apply_edits(edits_of(scenario), inputs, _projections(run, one))
    if others:
        inputs = np.stack([inputs, *(embedding_of(other).inputs for other in others)])
    chosen = run.chosen
    check_residual(chosen.residual, inputs.shape[-1], projections.d_out)
    trace = attend(
        inputs,
        _without_head(chosen, projections),
        mask=_mask(run, [one, *others]),
        causal=run.model is not None and run.model.is_causal,
        scale=_scale(chosen),
        residual=chosen.residual,
        **_modern(run, projections.n_heads, inputs.shape[-2]),
    )
    return trace.labelled(tokens_of(scenario).tokens)


def _untouched(scenario: Scenario) -> Scenario:
    """The scenario with nothing chosen but a layer and its sentence, as it is run."""
    names = ("text", "n_tokens", "weights", "model", "layer")
    return resolve(Scenario(**{name: getattr(scenario, name) for name in names})).chosen


def sequence_of(scenario: Scenario, sequence: int) -> Trace:
    """One sequence of a scenario's batch, with its own labels; no number is computed again. Shapes:
    as `trace_of`, with B = 1. Raises: AttentionError.
    """
    if len(sentences_of(scenario)) == 1:
        return trace_of(scenario)
    return _part_of(scenario, sequence)


@cached
def _part_of(scenario: Scenario, sequence: int) -> Trace:
    one = replace(one_sequence(trace_of(scenario), sequence), tokens=(), memory_tokens=())
    return one.labelled(tokens_of(in_batch(scenario, sequence)).tokens)


# The sizes that 0 leaves to the sentence or to the heads, by the axis that they decide.
LEFT_OPEN = {name: one.axis for name, one in DECLARED.items() if one.axis}


def first_step(before: Scenario, name: str, value: int) -> int:
    """The value of a control that is moved one step from "decide for me": in the place of 1, which
    is far from what was shown, the size that the layer had.

    >>> first_step(Scenario("we saw it"), "n_tokens", 1), first_step(Scenario(), "seed", 1)
    (3, 1)
    """
    if name not in LEFT_OPEN or value != 1 or getattr(before, name):
        return value
    with suppress(AttentionError):  # a layer that cannot run has no sizes
        size = trace_of(weights_in_force(before)).sizes[LEFT_OPEN[name]]
        return min(size, int(DECLARED[name].bounds[1]))
    return value


def projections_of(scenario: Scenario) -> Projections:
    """The weights of a scenario with the user's own matrices, without the edits. Raises:
    AttentionError.
    """
    return _projections(resolve(scenario), in_batch(scenario, 0))


def _projections(run: Run, first: Scenario) -> Projections:
    """first: the scenario of the first sentence, on which the layers before that of a model run."""
    own, chosen = run.own, run.chosen
    if run.model:
        drawn = run.model.projections(resolve(first).chosen)
    elif own.weights.keys() >= set(MATRICES):
        return Projections(**own.weights, n_heads=chosen.n_heads)
    else:
        sizes = {name: getattr(chosen, name) for name in ("d_model", "n_heads", "d_k", "d_v")}
        run.weights.check_beside(own, **sizes)
        decide = {name: getattr(chosen, name) for name in _DECIDE_WEIGHTS}
        drawn = _drawn(Scenario(**decide))
    if chosen.output_matrix == "none":  # it removes W_O and b_O, but not the user's own
        drawn = replace(drawn, w_o=None, b_o=None)
    return replace(drawn, **own.weights) if own.weights else drawn


# The fields that decide the weights that are drawn: other sentences have the same.
_DECIDE_WEIGHTS = ("weights", "d_model", "n_heads", "d_k", "d_v", "d_o", "seed", "init")


@cached
def _drawn(scenario: Scenario) -> Projections:
    return kind_of(scenario).projections(scenario)


def _without_head(chosen: Scenario, projections: Projections) -> Projections:
    """The weights with a head switched off, if the layer has it."""
    off = chosen.without
    if off == "none" or int(off) >= projections.n_heads:
        return projections
    return without_heads(projections, [int(off)])


def _scale(chosen: Scenario) -> float | None:
    factors = {"on": None, "off": 1.0, "custom": chosen.scale}
    return factors[chosen.scaling]


def _modern(run: Run, n_heads: int, n_tokens: int) -> dict[str, Any]:
    """The options of `attend` that today's models add."""
    chosen, own, options = run.chosen, run.own, dict[str, Any]()
    if chosen.rotary != "off":
        options["rotary"] = Rotary(chosen.base, chosen.rotary, chosen.start)
    if chosen.qk_norm:
        query, key = (chosen.gain if gain is None else gain for gain in (own.g_q, own.g_k))
        options["head_norm"] = HeadNorm(query, key)
    if chosen.alibi:
        options["bias"] = alibi_bias(n_heads, n_tokens)
    if chosen.sink:
        options["sink"] = chosen.sink_logit if own.sinks is None else own.sinks
    if chosen.softcap:
        options["softcap"] = chosen.cap
    return options | (run.model.options(chosen.layer) if run.model else {})


def _mask(run: Run, ones: Sequence[Scenario]) -> Array | None:
    """The chosen mask; in a batch it also hides every [pad]. ones: the scenario of each
    sentence.
    """
    tokens = [tokens_of(one) for one in ones]
    n_tokens, n_real = len(tokens[0].tokens), [one.n_real for one in tokens]
    chosen = run.mask.allows(run.chosen, n_tokens, n_real) if run.mask.allows else None
    window = run.model.windows[run.chosen.layer] if run.model and run.model.windows else None
    if window is not None:
        near = window_mask(n_tokens, n_tokens, left=window - 1)
        chosen = near if chosen is None else near & chosen
    if len(ones) == 1 or run.mask is PADDING:
        return chosen
    padding = padding_mask(n_real, n_tokens)
    return padding if chosen is None else padding & chosen
