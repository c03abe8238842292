"""What was chosen for a layer: as facts, and as the one line in which a hand-out says it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attention_core import Trace
from attention_core.projections import MATRICES
from attention_lab.notation.notation import Notation
from attention_lab.scenario import DRAWN, Scenario, edits_of, own_of, settled, tokens_of
from attention_lab.user_data.edits import outside
from attention_lab.user_data.matrix_names import ALL_SYMBOLS
from attention_viz.labels import counted, number

Facts = dict[str, Any]


def chosen(scenario: Scenario, trace: Trace) -> Facts:
    """What a hand-out says of a layer, by name: its sizes and its mask, and whatever else is not
    as usual.
    """
    length = _length(scenario, trace)
    scenario = settled(scenario)
    return {
        **length,
        **_sizes(trace),
        **_inputs(scenario),
        **_weights(scenario, trace),
        **_scores(scenario, trace),
    }


def _length(scenario: Scenario, trace: Trace) -> Facts:
    """To how many tokens the sentence is cut, or how many fill it up."""
    tokens, n_tokens = tokens_of(scenario), trace.sizes["T"]
    found = {"cut_to": n_tokens} if tokens.n_left_out else {}
    return found | ({"pads": n_tokens - tokens.n_real} if n_tokens > tokens.n_real else {})


def _sizes(trace: Trace) -> Facts:
    """How wide the layer is, and its heads and its output where they are not as usual."""
    sizes = trace.sizes
    even = sizes["K"] == sizes["V"] == sizes["D"] / sizes["H"]
    widths = {} if even else {"d_k": sizes["K"], "d_v": sizes["V"]}
    output = (
        {} if trace.projections.w_o is None or sizes["O"] == sizes["D"] else {"d_o": sizes["O"]}
    )
    return {"features": sizes["D"], "heads": sizes["H"], **widths, **output}


def _inputs(scenario: Scenario) -> Facts:
    """What the word vectors are made of, where they are not the user's own."""
    found: Facts = {}
    if scenario.weights == "trained" or own_of(scenario).x is not None:
        return found
    if scenario.weights == "by hand":
        return {"named_features": True}
    if scenario.piece:
        found["piece"] = scenario.piece
    if scenario.embedding != "normal":
        found["embedding"] = scenario.embedding
    if not scenario.positions:
        found["positions"] = False
    return found


def _weights(scenario: Scenario, trace: Trace) -> Facts:
    """Where the weights come from, and what the user has put in their place; a seed only where
    it was used.
    """
    own, edits = own_of(scenario).given, edits_of(scenario)
    found: Facts = {}
    if scenario.weights == "trained" or not own.keys() >= set(MATRICES):
        found["weights"] = scenario.weights
        if scenario.weights == "trained":
            found["layer"] = scenario.layer
        elif scenario.weights in DRAWN:
            found["seed"] = scenario.seed
            if scenario.init != "xavier":
                found["init"] = scenario.init
        if scenario.weights != "weightless" and trace.projections.w_o is None:
            found["no_w_o"] = True
    if own:
        found["own"] = tuple(own)
    if n_edited := len(edits.items) - len(outside(edits, trace)):
        found["edited_cells"] = n_edited
    return found


def _scores(scenario: Scenario, trace: Trace) -> Facts:
    """What becomes of scores and output."""
    found: Facts = {} if scenario.scaling == "on" else {"scale": trace.scale}
    found["mask"] = scenario.mask
    if scenario.mask == "window":
        found["window"] = scenario.window
    if trace.residual:
        found["residual"] = True
    return found


def line(scenario: Scenario, trace: Trace, notation: Notation) -> str:
    """The sentence, and what else was chosen, in one line."""
    facts = chosen(scenario, trace)
    cut = f", cut to {counted(facts['cut_to'], 'token')}" if "cut_to" in facts else ""
    filled = f", filled up with {facts['pads']} [pad]" if "pads" in facts else ""
    said = ", ".join(say(facts) for name, say in SAID.items() if name in facts)
    return f"“{scenario.text}”{cut}{filled}: {said}{_letters(notation)}"


def _kind(facts: Facts) -> str:
    """The weights in words."""
    kind = facts["weights"]
    if kind == "trained":
        return f"trained weights (layer {facts['layer']})"
    if kind in DRAWN:
        init = f", {facts['init']}" if "init" in facts else ""
        return f"{kind} weights (seed {facts['seed']}{init})"
    named = {"by hand": "weights made by hand", "weightless": "weightless"}
    return named.get(kind, f"{kind} weights")


def _mask(facts: Facts) -> str:
    reach = f" of {counted(facts['window'], 'place')} to each side" if "window" in facts else ""
    return f"mask {facts['mask']}{reach}"


def _letters(notation: Notation) -> str:
    """Whose symbols a hand-out has, and how its matrices lie, where that is another text's."""
    said = "" if notation.has_our_letters else f". Symbols of {notation.title}"
    if notation.convention == "column":
        said += "; the matrices are shown transposed, the line of code has tokens as rows"
    return said


# How each fact is said, in this order; seed, layer and window stand beside what they belong to.
SAID: dict[str, Callable[[Facts], str]] = {
    "features": lambda facts: counted(facts["features"], "feature"),
    "heads": lambda facts: counted(facts["heads"], "head"),
    "d_k": lambda facts: f"d_k {facts['d_k']}",
    "d_v": lambda facts: f"d_v {facts['d_v']}",
    "d_o": lambda facts: f"d_o {facts['d_o']}",
    "named_features": lambda facts: "named features",
    "piece": lambda facts: f"words in pieces of {counted(facts['piece'], 'letter')}",
    "embedding": lambda facts: f"{facts['embedding']} word vectors",
    "positions": lambda facts: "no positions",
    "weights": _kind,
    "no_w_o": lambda facts: "no W_O",
    "own": lambda facts: f"own {', '.join(ALL_SYMBOLS[name] for name in facts['own'])}",
    "edited_cells": lambda facts: counted(facts["edited_cells"], "edited cell"),
    "scale": lambda facts: f"scale {number(facts['scale'])}",
    "mask": _mask,
    "residual": lambda facts: "residual",
}
