"""What the page now being drawn tells about; the frame puts it there before the page runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

import streamlit as st

from attention_core import Trace
from attention_lab.column_names import column_names
from attention_lab.notation.notation import Notation, Symbol, written
from attention_lab.notation.wording import turned
from attention_lab.scenario import Scenario, trace_of
from attention_viz.names import symbol_of
from attention_viz.payload import Stage

from .chosen import line
from .focus import Focus
from .markdown import plain
from .url_state import session


@dataclass(frozen=True)
class PageContext:
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
        return line(self.scenario, self.trace, self.notation)

    @property
    def own_letters(self) -> str:
        """What stands before the sizes in counts, which have our letters in every notation."""
        return "" if self.notation.has_our_letters else "Counts have our own letters: "

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
    def whole(self) -> bool:
        """Whether steps show the columns of all heads, not those of the head in focus alone."""
        return bool(st.session_state.get("whole"))

    @property
    def stage(self) -> Stage:
        """What the boards of the page are drawn from."""
        own_scale = bool(st.session_state.get("own_scale"))
        before = trace_of(replace(self.scenario, edits="")) if self.scenario.edits else None
        names = column_names(self.scenario) if self.layer is None else None
        return Stage(
            self.trace, own_scale=own_scale, before=before, notation=self.notation, names=names
        )


def page_context() -> PageContext:
    """What the page now being drawn tells about."""
    return cast(PageContext, session().page_context)
