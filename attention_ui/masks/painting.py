"""A mask to paint, cell by cell, which the address holds as text."""

from __future__ import annotations

import math
from functools import partial

import streamlit as st

from attention_core.checks import Array
from attention_lab.masks.mask_workshop import without_row
from attention_lab.user_data.painted import mask_to_text, painted_mask, toggle
from attention_viz.labels import counted, number
from attention_viz.masks import mask_workshop as boards

from ..board import show_board
from ..facts import fact
from .mask_workshop import Bench, follow

PAINTED = "painted"


def paint(bench: Bench) -> None:
    """A mask to paint; it is one for all sequences and heads."""
    now, n_tokens = bench.now, len(bench.allowed)
    painted_TT = painted_mask(st.session_state[PAINTED], n_tokens)
    st.markdown(
        "**Click a cell of the first matrix**, or press Enter on it, to hide that key from that"
        f" query, and again to show it: {number(fact('added_to_hidden', -math.inf))} is added to a"
        f" hidden score, {fact('added_to_others', 0)} to all others. A painted mask has"
        f" {now.turned('one row per query and one column per key')}, {n_tokens} × {n_tokens}; all"
        " sequences and heads share it."
    )
    scene = boards.painting(painted_TT, bench.made, bench.head, bench.cell, now.notation)
    show_board(scene, "paint", on_pin=partial(_touched, n_tokens))
    row_TT, blank_TT = without_row(painted_TT, bench.cell[1]), painted_mask("", n_tokens)
    with st.container(horizontal=True):
        st.button("Hide nothing", on_click=_keep, args=(blank_TT,), icon=":material/ink_eraser:")
        st.button(
            "Start from all masks together",
            on_click=_keep,
            args=(bench.allowed,),
            icon=":material/content_copy:",
        )
        whole = now.turned("Hide the whole row of the query")
        st.button(whole, on_click=_keep, args=(row_TT,), icon=":material/visibility_off:")
        st.button(
            "Use this mask in every step",
            on_click=st.session_state.update,
            args=({"mask": PAINTED},),
            icon=":material/done_all:",
            help="The layer's own mask is then this painting, in the story and on all pages.",
        )
    n_hidden = fact("painted_cells", int((~painted_TT).sum()))
    painted = f"{n_hidden} of {counted(painted_TT.size, 'cell')}"
    everywhere = fact("in_every_step", now.scenario.mask == PAINTED)
    used = " Every step of the layer uses it." if everywhere else ""
    st.caption(f"Painted: {painted}. The painting is in the URL.{used}")


def _touched(n_tokens: int, array: str, index: list[int]) -> None:
    if array == PAINTED and max(index) < n_tokens:
        _keep(toggle(painted_mask(st.session_state[PAINTED], n_tokens), *index))
    follow("", index)


def _keep(painted_TT: Array) -> None:
    """Remember a painting as text, and put it among the masks."""
    st.session_state[PAINTED] = "" if painted_TT.all() else mask_to_text(painted_TT)
    chosen = list(st.session_state["mw_masks"] or [])
    st.session_state["mw_masks"] = [*chosen, *([] if PAINTED in chosen else [PAINTED])]
