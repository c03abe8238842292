"""What the current page shows: choices, cell in focus, notation. The frame sets it before the page
runs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

import streamlit as st

from attention_core import Trace
from attention_lab.column_names import column_names
from attention_lab.notation.notation import Notation, Symbol, symbol, written_name
from attention_lab.scenario import Scenario, sequence_of, trace_of
from attention_lab.sentences import in_batch, sentences_of, tokens_of
from attention_lab.words.text import Tokens
from attention_viz.layer_caption import layer_caption
from attention_viz.payload import Stage

from .focus import Focus
from .markdown import escape_markdown
from .url_state import session


@dataclass(frozen=True)
class PageContext:
    """The scenario of the page, the cell in focus, the notation, the layer if it is not made from
    the choices, and the sequence of the batch that is shown.

    chosen: the choices as the sidebar holds them, where the page may run others.
    """

    scenario: Scenario
    focus: Focus
    notation: Notation
    layer: Trace | None = None
    sequence: int = 0
    chosen: Scenario | None = None

    @property
    def trace(self) -> Trace:
        """The layer that is shown, with one sequence of a batch. Raises: AttentionError if the
        choices make no layer.
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
        """The sentences of the batch; one without a batch. Raises: AttentionError."""
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
        """The tokens of every sequence as words. Raises: AttentionError."""
        return tuple(sequence.tokens for sequence in self.sequences)

    @property
    def sentence(self) -> str:
        """The sentence and the other choices, in one line for a hand-out."""
        caption, n_batch = layer_caption(self.shown, self.trace, self.notation), len(self.sentences)
        if n_batch > 1:
            caption += f"; sequence {self.sequence} of a batch of {n_batch}, [pad] keys hidden"
        return caption

    @property
    def own_letters(self) -> str:
        """A sentence before counts, whose letters are ours in every notation."""
        return "Counts have our own letters. " * (not self.notation.has_our_letters)

    def symbol(self, name: str) -> str:
        """A matrix or a size in the chosen notation, as Markdown. In sentences tokens are rows, so
        a weight matrix is not transposed here.

        A size of several words gets brackets, because it may be a factor.
        """
        if name not in ("d_k", "d_v"):
            written = written_name(self.trace, name, self.notation)
            return escape_markdown(symbol(written, self.notation).plain)
        width = Symbol(self.notation.width(self.trace, name)).plain
        if " " in width:
            width = f"({width})"
        return escape_markdown(width)

    @property
    def whole(self) -> bool:
        """Whether steps show the columns of all heads, or only those of the head in focus."""
        return bool(st.session_state.get("whole"))

    @property
    def stage(self) -> Stage:
        """The arrays from which the boards of the page are drawn."""
        own_scale = bool(st.session_state.get("own_scale"))
        stage = Stage(self.trace, own_scale=own_scale, notation=self.notation)
        if self.scenario.edits:
            unedited = replace(self.scenario, edits="")
            stage = replace(stage, before=sequence_of(unedited, self.sequence))
        if self.layer is None:
            stage = replace(stage, names=column_names(self.scenario))
        if len(self.sentences) > 1:
            stage = replace(stage, n_real=tokens_of(self.shown).n_real)
        return stage


def page_context() -> PageContext:
    """The context of the current page."""
    return cast(PageContext, session().page_context)
