"""The choices behind a layer, as facts and as one line for a hand-out."""

from dataclasses import asdict
from types import SimpleNamespace
from typing import Any

from attention_core import Trace
from attention_core.projections import MATRICES
from attention_lab.choices import DECLARED, Run, edits_of, resolve
from attention_lab.control_list import Effects
from attention_lab.notation.columns import column_gap
from attention_lab.notation.notation import Notation
from attention_lab.rounding import tolerance
from attention_lab.scenario import Scenario
from attention_lab.sentences import tokens_of
from attention_lab.user_data.edits import edits_outside
from attention_lab.user_data.matrix_names import ALL_SYMBOLS
from attention_lab.words.numbers import format_agreement, format_number

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
    """The facts of a hand-out about a layer, by name: what of the sentence is cut or filled up, the
    choices that captions tell, and which weights are the user's own.
    """
    tokens, run, n_tokens = tokens_of(scenario), resolve(scenario), trace.sizes["T"]
    edits, own, values = edits_of(scenario), run.own.arrays, _in_force(run, trace)
    n_edited = len(edits.items) - len(edits_outside(edits, trace))
    effects = Effects(SimpleNamespace(**values), run.weights)
    told = {
        name: values[name]
        for name, one in DECLARED.items()
        if effects.asks_for(one) and values[name] is not None
        if one.told or (one.caption and values[name] != one.default)
    }
    return {
        **_if(tokens.n_left_out, cut_to=n_tokens),
        **_if(n_tokens > tokens.n_real, pads=n_tokens - tokens.n_real),
        **told,
        **_if(run.handmade and run.own.x is None, named_features=True),
        **_if(own, own=tuple(own)),
        **_if(n_edited, edited_cells=n_edited),
    }


def _if(holds: object, **facts: Any) -> Facts:
    """Some facts, if they are worth telling."""
    return facts if holds else {}


def _in_force(run: Run, trace: Trace) -> Facts:
    """The choices as they are run: None for those in whose place the user's own numbers are. Sizes
    and options are those of the trace, which may be of a file; usual widths count as left open.
    """
    sizes, chosen, own = trace.sizes, asdict(run.chosen), run.own
    is_usual = sizes["K"] == sizes["V"] == sizes["D"] / sizes["H"]
    has_w_o = trace.projections.w_o is not None
    chosen |= {
        "d_model": sizes["D"],
        "n_heads": sizes["H"],
        "residual": trace.residual,
        **{
            width: 0 if is_usual else sizes[letter]
            for width, letter in (("d_k", "K"), ("d_v", "V"))
        },
        "d_o": sizes["O"] if has_w_o and sizes["O"] != sizes["D"] else 0,
        "output_matrix": "W_O" if has_w_o else "none",
        "scaling": "on" if run.chosen.scaling == "on" else trace.scale,
        **_if(not run.chosen.qk_norm, qk_norm=trace.head_norm is not None, gain=None),
        **_if(not run.chosen.sink, sink=trace.sink is not None, sink_logit=None),
        "softcap": trace.softcap is not None,
        "cap": trace.softcap,
    }
    if rotary := trace.rotary:
        chosen |= {"rotary": rotary.pairs, "start": rotary.start, "base": rotary.base}
    if own.arrays.keys() >= set(MATRICES) and run.model is None:
        chosen |= dict.fromkeys(("weights", "seed", "init"))
    if own.x is not None:
        chosen |= dict.fromkeys(("piece", "embedding", "positions"))
    return chosen


def layer_caption(scenario: Scenario, trace: Trace, notation: Notation) -> str:
    """The sentence and the other choices, in one line."""
    facts = layer_facts(scenario, trace)
    texts = {name: _written(value) for name, value in facts.items()}
    texts["weights"] = resolve(scenario).weights.caption
    said = CAPTIONS | {name: one.told or one.caption for name, one in DECLARED.items()}
    told = ", ".join(said[name] for name in facts).format(**texts)
    return f"“{scenario.text}”: {told}{_notation_text(notation)}"


def _written(value: Any) -> str:
    """A fact as a text."""
    if isinstance(value, tuple):
        return ", ".join(ALL_SYMBOLS[name] for name in value)
    return format_number(value) if isinstance(value, float) else str(value)


# How a caption says what is no choice.
CAPTIONS = {
    "cut_to": "cut to length {cut_to}",
    "pads": "[pad] added: {pads}",
    "named_features": "named features",
    "own": "own {own}",
    "edited_cells": "edited cells: {edited_cells}",
}


def _notation_text(notation: Notation) -> str:
    """The source of the symbols and the layout of the matrices, if they are not our own."""
    text = ""
    if not notation.has_our_letters:
        text = f". Symbols of {notation.title}"
    if notation.convention == "column":
        text += ". The boards show every matrix transposed; the code does not"
    return text
