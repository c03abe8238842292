"""What the experiments of the mask workshop work on, and what a click on a board chooses."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from attention_core.checks import Array
from attention_lab.masks.mask_workshop import MaskedBatch

from ..markdown import escape_markdown
from ..page_context import PageContext


@dataclass(frozen=True)
class ExperimentSetup:
    """The batch, the head, the chosen sequence, query and key, and the finite bias."""

    now: PageContext
    masked: MaskedBatch
    head: int
    cell: tuple[int, int, int]
    bias: float

    @property
    def tokens(self) -> tuple[str, ...]:
        """The tokens of the chosen sequence."""
        return self.masked.batch.tokens[self.cell[0]]

    @property
    def query_name(self) -> str:
        """The chosen query as Markdown."""
        return f":blue[“{escape_markdown(self.tokens[self.cell[1]])}”]"

    @property
    def allowed(self) -> Array:
        """What the masks allow in the chosen sequence. Shapes: (T, T)."""
        allowed: Array = self.masked.allowed[self.cell[0]]
        return allowed


def choose_clicked_cell(array: str, index: list[int]) -> None:
    """In a callback: choose the query and the key of a clicked cell, and its sequence if the name
    of the matrix ends with one.
    """
    sequence = array.rpartition(" ")[2]
    if sequence.isdigit():
        st.session_state["mw_sequence"] = sequence
    st.session_state.update({"query": index[0], "key": index[1]})
