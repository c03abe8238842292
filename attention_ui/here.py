"""What the page now being drawn tells about; the frame puts it there before the page runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

import streamlit as st

from attention_core import Trace
from attention_core.notation import Notation, turned
from attention_core.scenario import Scenario, trace_of
from attention_viz.labels import counted
from attention_viz.names import symbol_of
from attention_viz.payload import Stage

from .focus import Focus
from .markdown import plain


@dataclass(frozen=True)
class Here:
    """The user's choices, the cell in focus, whose notation is shown, and the layer if it is not run on the choices."""

    scenario: Scenario
    focus: Focus
    notation: Notation
    layer: Trace | None = None

    @property
    def trace(self) -> Trace:
        """The layer that is looked at. Raises: AttentionError where none can be made of the choices."""
        return trace_of(self.scenario) if self.layer is None else self.layer

    @property
    def own_numbers(self) -> bool:
        """Whether the user has put numbers of their own in place of those of the controls."""
        return bool(self.scenario.edits or self.scenario.own)

    @property
    def sentence(self) -> str:
        """The sentence, and what else was chosen, in one line for a hand-out."""
        s, sizes = self.scenario, self.trace.sizes
        drawn = f"layer {s.layer}" if s.weights == "trained" else f"seed {s.seed}"
        size = f"{counted(sizes['D'], 'feature')}, {counted(sizes['H'], 'head')}"
        return f"“{s.text}”: {size}, {s.weights} weights ({drawn}), mask {s.mask}"

    def turned(self, words: str) -> str:
        """Words about matrices where tokens are rows, as the boards of the page show them: maybe as columns."""
        return turned(words, self.notation)

    def symbol(self, name: str) -> str:
        """A matrix as the boards of the page call it, as Markdown; weights are transposed where tokens are columns."""
        return plain(symbol_of(name, self.notation))

    @property
    def stage(self) -> Stage:
        """What the boards of the page are drawn from."""
        own_scale = bool(st.session_state.get("own_scale"))
        before = trace_of(replace(self.scenario, edits="")) if self.scenario.edits else None
        return Stage(self.trace, own_scale=own_scale, before=before, notation=self.notation)


def here() -> Here:
    """What the page now being drawn tells about."""
    return cast(Here, st.session_state["here"])
