"""The choices behind a layer, as facts and as one line for a hand-out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attention_core import Trace
from attention_core.projections import MATRICES
from attention_lab.choices import MODEL_CHOICES, SEEDED_WEIGHTS, edits_of, resolve, user_matrices_of
from attention_lab.notation.columns import column_gap
from attention_lab.notation.notation import Notation
from attention_lab.rounding import tolerance
from attention_lab.scenario import Scenario
from attention_lab.sentences import tokens_of
from attention_lab.user_data.edits import edits_outside
from attention_lab.user_data.matrix_names import ALL_SYMBOLS

from .labels import format_agreement, format_number

Facts = dict[str, Any]


def columns_note(trace: Trace, notation: Notation, in_story: bool = False) -> str:
    """If boards show tokens as columns: what that means, and how far a layer computed that way
    differs; else "". in_story: whether the words of the page follow the notation.
    """
    if notation.convention != "column":
        return ""
    words = " A row in a sentence is a column on the board, and a column is a row."
    rounding = max(tolerance(trace, field) for field in trace.steps)
    return (
        f"In this notation a token is a {notation.layout.row}: the boards show every matrix"
        f" transposed.{'' if in_story else words} Computed that way, the numbers of the whole layer"
        f" {format_agreement(column_gap(trace), rounding)}."
    )


def notation_notes(notation: Notation, keeps_symbols: bool) -> list[str]:
    """The source of the symbols, or that a page keeps our own and tokens as rows."""
    if notation.has_our_letters:
        turned = "Other pages show matrices transposed, as this notation does; this page does not."
        return [turned] if keeps_symbols and notation.convention == "column" else []
    if keeps_symbols:
        return [f"This page keeps its own symbols; others show those of {notation.title}."]
    counts = " Its formulas count heads from 1, boards and sentences from 0."
    return [f"Symbols of {notation.title}.{counts * bool(notation.first_head)}"]


def layer_facts(scenario: Scenario, trace: Trace) -> Facts:
    """The facts of a hand-out about a layer, by name: sizes, mask, and every unusual choice."""
    tokens, sizes = tokens_of(scenario), trace.sizes
    scenario = resolve(scenario)
    has_w_o = trace.projections.w_o is not None
    has_usual_heads = sizes["K"] == sizes["V"] == sizes["D"] / sizes["H"]
    return {
        **_if(tokens.n_left_out, cut_to=sizes["T"]),
        **_if(sizes["T"] > tokens.n_real, pads=sizes["T"] - tokens.n_real),
        "features": sizes["D"],
        "heads": sizes["H"],
        **_if(not has_usual_heads, d_k=sizes["K"], d_v=sizes["V"]),
        **_if(has_w_o and sizes["O"] != sizes["D"], d_o=sizes["O"]),
        **_inputs(scenario),
        **_weights(scenario, trace),
        **_if(scenario.scaling != "on", scale=trace.scale),
        "mask": scenario.mask,
        **_if(scenario.mask == "window", window=scenario.window),
        **_if(trace.residual, residual=True),
        **_modern(scenario, trace),
    }


def _if(holds: object, **facts: Any) -> Facts:
    """Some facts, if they are worth telling."""
    return facts if holds else {}


def _inputs(scenario: Scenario) -> Facts:
    """The unusual choices of word vectors and positions; none for the user's own inputs."""
    if scenario.weights in MODEL_CHOICES or user_matrices_of(scenario).x is not None:
        return {}
    if scenario.weights == "by hand":
        return {"named_features": True}
    return {
        **_if(scenario.piece, piece=scenario.piece),
        **_if(scenario.embedding != "normal", embedding=scenario.embedding),
        **_if(not scenario.positions, positions=False),
    }


def _weights(scenario: Scenario, trace: Trace) -> Facts:
    """The kind of weights, the seed if one was used, and which weights are the user's own."""
    own, edits, kind = user_matrices_of(scenario).arrays, edits_of(scenario), scenario.weights
    n_edited = len(edits.items) - len(edits_outside(edits, trace))
    is_model = kind in MODEL_CHOICES
    is_told = is_model or not own.keys() >= set(MATRICES)
    is_drawn = is_told and kind in SEEDED_WEIGHTS
    has_none = is_told and kind != "weightless" and trace.projections.w_o is None
    return {
        **_if(is_told, weights=kind),
        **_if(is_model, layer=scenario.layer),
        **_if(is_drawn, seed=scenario.seed),
        **_if(is_drawn and scenario.init != "xavier", init=scenario.init),
        **_if(has_none, no_w_o=True),
        **_if(scenario.without != "none", without=scenario.without),
        **_if(own, own=tuple(own)),
        **_if(n_edited, edited_cells=n_edited),
    }


def _modern(scenario: Scenario, trace: Trace) -> Facts:
    """What today's models add, where it is on; of a file without the numbers, which may differ from
    feature to feature.
    """
    rotary = trace.rotary
    return {
        **({"rotary": rotary.pairs, "start": rotary.start} if rotary else {}),
        **_if(trace.head_norm is not None, qk_norm=scenario.gain if scenario.qk_norm else None),
        **_if(scenario.alibi, alibi=True),
        **_if(trace.sink is not None, sink=scenario.sink_logit if scenario.sink else None),
        **_if(trace.softcap is not None, softcap=trace.softcap),
    }


def _with_number(words: str, number: float | None) -> str:
    return words if number is None else f"{words} {format_number(number)}"


def layer_caption(scenario: Scenario, trace: Trace, notation: Notation) -> str:
    """The sentence and the other choices, in one line."""
    facts = layer_facts(scenario, trace)
    texts = ", ".join(text(facts) for name, text in FACT_TEXTS.items() if name in facts)
    return f"“{scenario.text}”: {texts}{_notation_text(notation)}"


def _kind(facts: Facts) -> str:
    """The weights in words."""
    kind = facts["weights"]
    if kind in MODEL_CHOICES:
        of_model = "trained weights" if kind == "trained" else f"weights of the {kind}"
        return f"{of_model} (layer {facts['layer']})"
    if kind in SEEDED_WEIGHTS:
        drawn = f"seed {facts['seed']}"
        if "init" in facts:
            drawn += f", {facts['init']}"
        return f"{kind} weights ({drawn})"
    named = {"by hand": "weights made by hand", "weightless": "weightless"}
    return named.get(kind, f"{kind} weights")


def _notation_text(notation: Notation) -> str:
    """The source of the symbols and the layout of the matrices, if they are not our own."""
    text = ""
    if not notation.has_our_letters:
        text = f". Symbols of {notation.title}"
    if notation.convention == "column":
        text += ". The boards show every matrix transposed; the code does not"
    return text


# The words for each fact, in this order; seed and layer stand with the kind of weights.
FACT_TEXTS: dict[str, Callable[[Facts], str]] = {
    "cut_to": lambda facts: f"cut to length {facts['cut_to']}",
    "pads": lambda facts: f"[pad] added: {facts['pads']}",
    "features": lambda facts: f"features: {facts['features']}",
    "heads": lambda facts: f"heads: {facts['heads']}",
    "d_k": lambda facts: f"d_k {facts['d_k']}",
    "d_v": lambda facts: f"d_v {facts['d_v']}",
    "d_o": lambda facts: f"d_o {facts['d_o']}",
    "named_features": lambda facts: "named features",
    "piece": lambda facts: f"words in pieces, letters in each: {facts['piece']}",
    "embedding": lambda facts: f"{facts['embedding']} word vectors",
    "positions": lambda facts: "no positions",
    "weights": _kind,
    "no_w_o": lambda facts: "no W_O",
    "without": lambda facts: f"without head {facts['without']}",
    "own": lambda facts: f"own {', '.join(ALL_SYMBOLS[name] for name in facts['own'])}",
    "edited_cells": lambda facts: f"edited cells: {facts['edited_cells']}",
    "scale": lambda facts: f"scale {format_number(facts['scale'])}",
    "mask": lambda facts: f"mask {facts['mask']}",
    "window": lambda facts: f"window to each side: {facts['window']}",
    "residual": lambda facts: "residual",
    "rotary": lambda facts: f"rotary positions ({facts['rotary']}) from {facts['start']}",
    "qk_norm": lambda facts: _with_number("QK-norm, gain", facts["qk_norm"]),
    "alibi": lambda facts: "ALiBi",
    "sink": lambda facts: _with_number("sink", facts["sink"]),
    "softcap": lambda facts: f"soft cap {format_number(facts['softcap'])}",
}
