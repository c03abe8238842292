"""The three uses of attention as cards, and what a click on their boards does."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from attention_core import Trace
from attention_lab.masks.encoder_decoder import USES, Use

from ..facts import fact
from .own_cell import choose_cell

CELL = "ed_cell"


def cards(traces: Mapping[str, Trace]) -> None:
    """Who gives the queries, who keys and values, which mask belongs there, and what it hides
    here.
    """
    for use, place in zip(USES, st.columns(len(USES)), strict=True):
        with place.container(border=True, height="stretch"):
            st.markdown(
                f"**{use.name.capitalize()}**\n\n:blue[Queries] from the **{use.asks}**, :red[keys]"
                f" and :green[values] from the **{use.answers}**.\n\nMask: {_mask(use)}; it hides"
                f" {_hidden(use, traces[use.key])}."
            )
            st.caption(use.says)


def _mask(use: Use) -> str:
    padding = f"padding of the {use.answers}"
    return f"**causal** and {padding}" if use.causal else padding


def _hidden(use: Use, trace: Trace) -> str:
    n_hidden = fact(f"cells_hidden_in_{use.key}", int(trace.hidden_keys[0, 0].sum()))
    return (
        f"{n_hidden:,} of {trace.sizes['T'] * trace.sizes['S']:,} cells"
        if n_hidden
        else "nothing here"
    )


def follow(array: str, index: list[int]) -> None:
    """In a callback: the use and the cell that were clicked are the chosen ones."""
    st.session_state["ed_use"] = array.split()[1]
    choose_cell(CELL, *index)


def follow_step(array: str, index: list[int]) -> None:
    """In a callback: a click on scores or probabilities chooses their cell, one on the others
    nothing.
    """
    if array in ("scores", "probabilities"):
        st.session_state["head"] = index[1]
        choose_cell(CELL, index[2], index[3])
