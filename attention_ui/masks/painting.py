"""A mask to paint, cell by cell. The URL holds it as text."""

from __future__ import annotations

import math
from functools import partial

import streamlit as st

from attention_core.checks import Array
from attention_lab.masks.mask_workshop import hide_row
from attention_lab.user_data.painted_masks import mask_to_text, painted_mask, toggle_cell
from attention_viz.labels import format_number
from attention_viz.masks import mask_workshop as boards

from ..board import show_board
from ..facts import fact
from .mask_workshop import ExperimentSetup, choose_clicked_cell

PAINTED_KEY = "painted"


def show_painting(setup: ExperimentSetup) -> None:
    """A mask to paint, the same for all sequences and heads."""
    now, n_tokens = setup.now, len(setup.allowed)
    painted_TT = painted_mask(st.session_state[PAINTED_KEY], n_tokens)
    st.markdown(
        "**Click a cell of the first matrix**, or press Enter on it, to hide that key from that"
        " query; again to show it. Added to the score of a hidden key:"
        f" {format_number(fact('added_to_hidden', -math.inf))}; to all others:"
        f" {fact('added_to_others', 0)}. All sequences and heads share the mask, one cell for each"
        f" query and key: {n_tokens} × {n_tokens}."
    )
    scene = boards.painting_board(painted_TT, setup.masked, setup.head, setup.cell, now.notation)
    show_board(scene, "paint", on_pin=partial(_toggle_cell, n_tokens))
    row_TT, blank_TT = hide_row(painted_TT, setup.cell[1]), painted_mask("", n_tokens)
    with st.container(horizontal=True):
        st.button("Hide nothing", on_click=_keep, args=(blank_TT,), icon=":material/ink_eraser:")
        st.button(
            "Start from all masks together",
            on_click=_keep,
            args=(setup.allowed,),
            icon=":material/content_copy:",
        )
        st.button(
            "Hide all keys from the query",
            on_click=_keep,
            args=(row_TT,),
            icon=":material/visibility_off:",
        )
        st.button(
            "Use this mask in every step",
            on_click=st.session_state.update,
            args=({"mask": PAINTED_KEY},),
            icon=":material/done_all:",
            help="The layer then has this mask, in the story and on all pages.",
        )
    n_hidden = fact("painted_cells", int((~painted_TT).sum()))
    st.caption(f"Painted cells: {n_hidden} of {painted_TT.size}. The URL holds the mask.")
    if fact("in_every_step", now.scenario.mask == PAINTED_KEY):
        st.caption("Every step of the layer uses this mask.")


def _toggle_cell(n_tokens: int, array: str, index: list[int]) -> None:
    """In a callback: hide or show a clicked cell of the painted mask, and choose it."""
    if array == PAINTED_KEY and max(index) < n_tokens:
        _keep(toggle_cell(painted_mask(st.session_state[PAINTED_KEY], n_tokens), *index))
    choose_clicked_cell("", index)


def _keep(painted_TT: Array) -> None:
    """In a callback: hold a painted mask as text, and choose it among the masks."""
    st.session_state[PAINTED_KEY] = "" if painted_TT.all() else mask_to_text(painted_TT)
    chosen = list(st.session_state["mw_masks"] or [])
    if PAINTED_KEY not in chosen:
        chosen.append(PAINTED_KEY)
    st.session_state["mw_masks"] = chosen
