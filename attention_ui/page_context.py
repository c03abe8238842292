"""What the page now being drawn tells about; the frame puts it there before the page runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

import streamlit as st

from attention_core import Trace
from attention_core.text import Tokens
from attention_lab.column_names import column_names
from attention_lab.notation.notation import Notation, Symbol, symbol, written
from attention_lab.scenario import (
    Scenario,
    in_batch,
    sentences_of,
    sequence_of,
    tokens_of,
    trace_of,
)
from attention_viz.payload import Stage

from .chosen import layer_caption
from .focus import Focus
from .markdown import plain
from .url_state import session


@dataclass(frozen=True)
class PageContext:
    """The user's choices, the cell in focus, whose notation is shown, the layer if it is not run on
    the choices, and which sequence of a batch is shown.
    """

    scenario: Scenario
    focus: Focus
    notation: Notation
    layer: Trace | None = None
    sequence: int = 0

    @property
    def trace(self) -> Trace:
        """The layer that is looked at, of a batch the one sequence that is shown. Raises:
        AttentionError where none can be made of the choices.
        """
        return self.layer or sequence_of(self.scenario, self.sequence)

    @property
    def batch(self) -> Trace:
        """The layer with all sequences of the batch. Raises: AttentionError."""
        return self.layer or trace_of(self.scenario)

    @property
    def shown(self) -> Scenario:
        """The scenario of the sentence that is shown, as it stands in the batch. Raises:
        AttentionError.
        """
        return in_batch(self.scenario, self.sequence)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The sentences of the batch, one where there is none. Raises: AttentionError."""
        if self.layer is not None:
            return (self.scenario.text,)
        return sentences_of(self.scenario)

    @property
    def sequences(self) -> tuple[Tokens, ...]:
        """The tokens of every sequence of a batch. Raises: AttentionError."""
        places = range(len(self.sentences))
        return tuple(tokens_of(in_batch(self.scenario, place)) for place in places)

    @property
    def labels(self) -> tuple[tuple[str, ...], ...]:
        """What stands at the positions of every sequence. Raises: AttentionError."""
        return tuple(sequence.tokens for sequence in self.sequences)

    @property
    def sentence(self) -> str:
        """The sentence, and what else was chosen, in one line for a hand-out."""
        n_batch = len(self.sentences)
        said = layer_caption(self.shown, self.trace, self.notation)
        many = f"; sequence {self.sequence} of a batch of {n_batch}, [pad] keys hidden"
        return said + many * (n_batch > 1)

    @property
    def own_letters(self) -> str:
        """What stands before the sizes in counts, which have our letters in every notation."""
        return "Counts have our own letters. " * (not self.notation.has_our_letters)

    def symbol(self, name: str) -> str:
        """A matrix or a size in the chosen notation, as Markdown. Sentences speak of matrices in
        which tokens are rows, so a weight matrix is not transposed here.

        A size of several words stands in brackets, as a factor must.
        """
        if name not in ("d_k", "d_v"):
            return plain(symbol(written(self.trace, name, self.notation), self.notation).plain)
        width = Symbol(self.notation.width(self.trace, name)).plain
        if " " in width:
            width = f"({width})"
        return plain(width)

    @property
    def whole(self) -> bool:
        """Whether steps show the columns of all heads, not those of the head in focus alone."""
        return bool(st.session_state.get("whole"))

    @property
    def stage(self) -> Stage:
        """What the boards of the page are drawn from."""
        own_scale = bool(st.session_state.get("own_scale"))
        unedited = replace(self.scenario, edits="")
        before = sequence_of(unedited, self.sequence) if self.scenario.edits else None
        names = column_names(self.scenario) if self.layer is None else None
        is_batch = len(self.sentences) > 1
        return Stage(
            self.trace,
            own_scale=own_scale,
            before=before,
            notation=self.notation,
            names=names,
            n_real=tokens_of(self.shown).n_real if is_batch else None,
        )


def page_context() -> PageContext:
    """What the page now being drawn tells about."""
    return cast(PageContext, session().page_context)
