"""What the page now being drawn tells about; the frame puts it there before the page runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

import streamlit as st

from attention_core import Trace
from attention_core.projections import MATRICES
from attention_lab.column_names import column_names
from attention_lab.notation.notation import OURS, Notation, Symbol, turned, written
from attention_lab.scenario import (
    DRAWN,
    Scenario,
    edits_of,
    own_of,
    settled,
    tokens_of,
    trace_of,
)
from attention_lab.user_data.edits import outside
from attention_lab.user_data.matrix_names import ALL_SYMBOLS
from attention_viz.labels import counted, number
from attention_viz.names import symbol_of
from attention_viz.payload import Stage

from .focus import Focus
from .markdown import plain
from .visit import visit


@dataclass(frozen=True)
class Here:
    """The user's choices, the cell in focus, whose notation is shown, and the layer if it is
    not run on the choices.
    """

    scenario: Scenario
    focus: Focus
    notation: Notation
    layer: Trace | None = None

    @property
    def trace(self) -> Trace:
        """The layer that is looked at. Raises: AttentionError where none can be made of the
        choices.
        """
        return trace_of(self.scenario) if self.layer is None else self.layer

    @property
    def sentence(self) -> str:
        """The sentence, and what else was chosen, in one line for a hand-out."""
        sizes, tokens = self.trace.sizes, tokens_of(self.scenario)
        n_pads = sizes["T"] - tokens.n_real
        cut = f", cut to {counted(sizes['T'], 'token')}" if tokens.n_left_out else ""
        filled = f", filled up with {n_pads} [pad]" if n_pads > 0 else ""
        chosen = ", ".join((*self._sizes, *self._inputs, *self._weights, *self._scores))
        return f"“{self.scenario.text}”{cut}{filled}: {chosen}{self._notation}"

    @property
    def _sizes(self) -> tuple[str, ...]:
        """How wide the layer is and its heads are, these where they do not share the width
        evenly.
        """
        sizes = self.trace.sizes
        even = sizes["K"] == sizes["V"] == sizes["D"] / sizes["H"]
        widths = () if even else (f"d_k {sizes['K']}", f"d_v {sizes['V']}")
        return counted(sizes["D"], "feature"), counted(sizes["H"], "head"), *widths

    @property
    def _inputs(self) -> tuple[str, ...]:
        """What the word vectors are made of, where they are not the usual ones and not the
        user's own.
        """
        s = settled(self.scenario)
        if s.weights == "trained" or own_of(s).x is not None:
            return ()
        if s.weights == "by hand":
            return ("named features",)
        pieces = f"words in pieces of {counted(s.piece, 'letter')}" if s.piece else ""
        vectors = f"{s.embedding} word vectors" if s.embedding != "normal" else ""
        return tuple(filter(None, (pieces, vectors, "" if s.positions else "no positions")))

    @property
    def _scores(self) -> tuple[str, ...]:
        """What becomes of scores and output; the scale and the residual where they are not the
        usual ones.
        """
        s = self.scenario
        scale = f"scale {number(self.trace.scale)}" if s.scaling != "on" else ""
        mask = f"mask {s.mask}" + (
            f" of {counted(s.window, 'place')} to each side" if s.mask == "window" else ""
        )
        return tuple(filter(None, (scale, mask, "residual" if self.trace.residual else "")))

    @property
    def _notation(self) -> str:
        """Whose symbols a hand-out has, and how its matrices lie, where that is another text's."""
        if self.notation is OURS:
            return ""
        lie = "; the matrices are shown transposed, the line of code has tokens as rows"
        return f". Symbols of {self.notation.title}" + (
            lie if self.notation.convention == "column" else ""
        )

    @property
    def _weights(self) -> tuple[str, ...]:
        """Where the weights come from, and what the user has put in their place; a seed only
        where it was used.
        """
        s, own = settled(self.scenario), own_of(self.scenario).given
        edits = edits_of(self.scenario)
        n_edited = len(edits.items) - len(outside(edits, self.trace))
        if s.weights == "trained":
            weights = f"trained weights (layer {s.layer})"
        elif own.keys() >= set(MATRICES):
            weights = ""
        elif s.weights in DRAWN:
            init = f", {s.init}" if s.init != "xavier" else ""
            weights = f"{s.weights} weights (seed {s.seed}{init})"
        else:
            named = {"by hand": "weights made by hand", "weightless": "weightless"}
            weights = named.get(s.weights, f"{s.weights} weights")
        put = f"own {', '.join(ALL_SYMBOLS[name] for name in own)}" if own else ""
        return tuple(
            filter(None, (weights, put, counted(n_edited, "edited cell") if n_edited else ""))
        )

    @property
    def own_letters(self) -> str:
        """What stands before the sizes in counts, which have our letters in every notation."""
        return "" if self.notation is OURS else "Counts have our own letters: "

    def turned(self, words: str) -> str:
        """Words about matrices where tokens are rows, as the boards of the page show them:
        maybe as columns.
        """
        return turned(words, self.notation)

    def symbol(self, name: str) -> str:
        """A matrix or a size as the boards of the page call it, as Markdown; weights stand
        transposed with columns.

        A size of several words stands in brackets, as a factor must.
        """
        if name not in ("d_k", "d_v"):
            return plain(symbol_of(written(self.trace, name, self.notation), self.notation))
        width = Symbol(self.notation.width(self.trace, name)).plain
        return plain(f"({width})" if " " in width else width)

    @property
    def stage(self) -> Stage:
        """What the boards of the page are drawn from."""
        own_scale = bool(st.session_state.get("own_scale"))
        before = trace_of(replace(self.scenario, edits="")) if self.scenario.edits else None
        names = column_names(self.scenario) if self.layer is None else None
        return Stage(
            self.trace, own_scale=own_scale, before=before, notation=self.notation, names=names
        )


def here() -> Here:
    """What the page now being drawn tells about."""
    return cast(Here, visit().here)
