"""The layer run on a scenario; equal scenarios give the same `Trace`."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from attention_core import HeadNorm, Rotary, alibi_bias
from attention_core.attention import attend
from attention_core.checks import Array, check_choice, whole_number
from attention_core.errors import AttentionError
from attention_core.masks import padding_mask, window_mask
from attention_core.projections import MATRICES, Projections
from attention_core.trace import Trace, one_sequence

from . import by_hand
from .cache import cached
from .choices import (
    FIELD_BOUNDS,
    FIELD_CHOICES,
    LANGUAGE_MODEL,
    MASK_KINDS,
    MODEL_CHOICES,
    OUTPUT_MATRICES,
    ROTARY_KINDS,
    SCALINGS,
    WEIGHT_KINDS,
    edits_of,
    handmade_layer,
    resolve,
    user_matrices_of,
)
from .choices import Scenario as Scenario
from .heads.head_worth import without_heads
from .sentences import embedding_of, in_batch, sentences_of, tokens_of, trained_of, weights_in_force
from .trained.language_text import language_layer
from .user_data.edits import apply_edits
from .user_data.painted_masks import painted_mask
from .user_data.user_matrices import UserMatrices, check_beside_drawn, check_residual


@cached
def trace_of(scenario: Scenario) -> Trace:
    """The layer run on a scenario; a batch has the labels of its first sentence. Raises:
    AttentionError.
    """
    if is_as_trained(scenario):
        trace = language_layer(scenario.text, resolve(scenario).layer, scenario.n_tokens)
        return trace.labelled(tokens_of(scenario).tokens)
    own_x = user_matrices_of(scenario).x
    one, *others = [in_batch(scenario, n) for n in range(len(sentences_of(scenario)))]
    inputs = embedding_of(one).inputs if own_x is None else own_x
    inputs, projections = apply_edits(edits_of(scenario), inputs, projections_of(scenario))
    if others:
        inputs = np.stack([inputs, *(embedding_of(other).inputs for other in others)])
    run = resolve(scenario) if scenario.weights == LANGUAGE_MODEL else scenario
    check_residual(run.residual, inputs.shape[-1], projections.d_out)
    trace = attend(
        inputs,
        _without_head(run, projections),
        mask=_mask(run),
        causal=run.mask == "causal" or run.weights == LANGUAGE_MODEL,
        scale=_scale(run),
        residual=run.residual,
        **_modern(run, projections.n_heads, inputs.shape[-2]),
    )
    return trace.labelled(tokens_of(scenario).tokens)


def is_as_trained(scenario: Scenario) -> bool:
    """Whether the choices take a layer of the language model as it is, so that it need not be
    computed a second time.
    """
    if scenario.weights != LANGUAGE_MODEL:
        return False
    chosen = {name: getattr(scenario, name) for name in ("text", "n_tokens", "weights", "layer")}
    return resolve(scenario) == resolve(Scenario(**chosen))


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
LEFT_OPEN = {"n_tokens": "T", "d_k": "K", "d_v": "V", "d_o": "O"}


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
        return min(size, int(FIELD_BOUNDS[name][1]))
    return value


def projections_of(scenario: Scenario) -> Projections:
    """The weights of a scenario with the user's own matrices, without the edits. Raises:
    AttentionError.
    """
    own = user_matrices_of(scenario)
    if scenario.weights in MODEL_CHOICES:
        return _joined(scenario, trained_of(scenario).projections, own)
    if own.weights.keys() >= set(MATRICES):
        return Projections(**own.weights, n_heads=scenario.n_heads)
    drawn = resolve(scenario)
    sizes = (drawn.d_model, drawn.n_heads, drawn.d_k, drawn.d_v)
    check_beside_drawn(own, drawn.weights, *sizes)
    drawn_from = {name: getattr(drawn, name) for name in _DECIDE_WEIGHTS}
    return _joined(scenario, _projections(Scenario(**drawn_from)), own)


def _joined(scenario: Scenario, drawn: Projections, own: UserMatrices) -> Projections:
    """The weights with the user's own matrices in their places. "none" as the output matrix removes
    W_O and b_O, but not the user's own.
    """
    if check_choice("output_matrix", scenario.output_matrix, OUTPUT_MATRICES) == "none":
        drawn = replace(drawn, w_o=None, b_o=None)
    return replace(drawn, **own.weights) if own.weights else drawn


# The fields that decide the weights that are drawn: other sentences have the same.
_DECIDE_WEIGHTS = ("weights", "d_model", "n_heads", "d_k", "d_v", "d_o", "seed", "init")


@cached
def _projections(scenario: Scenario) -> Projections:
    s = scenario
    widths: dict[str, Any] = {"d_k": s.d_k or None, "d_v": s.d_v or None, "d_out": s.d_o or None}
    check_choice("weights", s.weights, WEIGHT_KINDS)
    if s.weights == "by hand":
        return by_hand.handmade_projections(handmade_layer(s))
    if s.weights == "random":
        return Projections.random(s.d_model, s.n_heads, seed=s.seed, init=s.init, **widths)
    if s.weights in ("tied", "opposite"):
        tied = Projections.tied(s.d_model, s.n_heads, seed=s.seed, init=s.init, **widths)
        return tied if s.weights == "tied" else replace(tied, w_k=-tied.w_q)
    if s.weights == "orthonormal":
        return Projections.stiefel(s.d_model, s.n_heads, seed=s.seed, **widths)
    return Projections.weightless(s.d_model, s.n_heads)


def _without_head(scenario: Scenario, projections: Projections) -> Projections:
    """The weights with a head switched off, if the layer has it."""
    off = check_choice("without", scenario.without, FIELD_CHOICES["without"])
    if off == "none" or int(off) >= projections.n_heads:
        return projections
    return without_heads(projections, [int(off)])


def _scale(scenario: Scenario) -> float | None:
    factors = {"on": None, "off": 1.0, "custom": scenario.scale}
    return factors[check_choice("scaling", scenario.scaling, SCALINGS)]


def _modern(scenario: Scenario, n_heads: int, n_tokens: int) -> dict[str, Any]:
    """The options of `attend` that today's models add."""
    found: dict[str, Any] = {}
    if check_choice("rotary", scenario.rotary, ROTARY_KINDS) != "off":
        found["rotary"] = Rotary(scenario.base, scenario.rotary, scenario.start)
    own = user_matrices_of(scenario)
    if scenario.qk_norm:
        query, key = (scenario.gain if gain is None else gain for gain in (own.g_q, own.g_k))
        found["head_norm"] = HeadNorm(query, key)
    if scenario.alibi:
        found["bias"] = alibi_bias(n_heads, n_tokens)
    if scenario.sink:
        found["sink"] = scenario.sink_logit if own.sinks is None else own.sinks
    if scenario.softcap:
        found["softcap"] = scenario.cap
    return found


def _mask(scenario: Scenario) -> Array | None:
    """The chosen mask; in a batch it also hides every [pad]."""
    check_choice("mask", scenario.mask, MASK_KINDS)
    ones = [in_batch(scenario, n) for n in range(len(sentences_of(scenario)))]
    n_tokens, chosen = len(tokens_of(scenario).tokens), None
    if scenario.mask == "window":
        width = whole_number("window", scenario.window, 0)
        chosen = window_mask(n_tokens, n_tokens, left=width, right=width)
    if scenario.mask == "painted":
        chosen = painted_mask(scenario.painted, n_tokens)
    if len(ones) == 1 and scenario.mask != "padding":
        return chosen
    padding = padding_mask([tokens_of(one).n_real for one in ones], n_tokens)
    return padding if chosen is None else padding & chosen
