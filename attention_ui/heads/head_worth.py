"""The parts of the page on what a head is worth: heads switched off, and weights in other bases."""

from __future__ import annotations

from functools import partial

import streamlit as st

from attention_core import SettingsError, Trace
from attention_lab.heads.basis_change import changed_arrays, rerun_in_other_bases, unchanged_arrays
from attention_lab.heads.head_worth import ablated_output
from attention_lab.heads.reruns import relative_change
from attention_lab.notation.notation import Notation, symbol
from attention_lab.rounding import RELATIVE_ROUNDING
from attention_viz.heads import head_worth as figures
from attention_viz.labels import format_number, format_percent

from ..board import show_board
from ..facts import fact
from ..focus import Focus, move_focus
from ..url_state import restore, write_to_url
from .heads_choice import choose_heads

MAX_BASIS_SEED = 99


def switch_heads_off(trace: Trace, focus: Focus, notation: Notation) -> None:
    """One switch for each head, and the output without the heads that are off."""
    st.header("Switch heads off", anchor=False)
    n_heads, n_features = trace.sizes["H"], fact("output_features", trace.sizes["O"])
    help = "A head that is off attends, but adds nothing to the output."
    off = fact("off", choose_heads("off", "Heads that are switched off", n_heads, help))
    if not off:
        st.caption("All heads are on. Switch one off: which tokens need it?")
        return
    without = ablated_output(trace, off)
    moved = fact("moved_without_them", relative_change(trace.output, without))
    st.markdown(
        f"Heads off: {', '.join(map(str, off))}. The output moves by **{format_percent(moved)}** of"
        " its length."
    )
    if fact("all_off", len(off) == n_heads):
        st.markdown(f"With all heads off, what is left is: {figures.describe_remainder(trace)}.")
    with st.container(key="wide worth ablation"):
        ablation = figures.ablation_board(trace, without[0], (focus.query, focus.feature), notation)
        first = figures.first_column(focus.feature)
        show_board(ablation, "worth ablation", on_pin=partial(_choose_clicked_cell, first))
    if n_features > figures.MAX_ABLATION_COLUMNS:
        st.caption(
            f"Columns shown: {figures.MAX_ABLATION_COLUMNS} of {n_features}, around the feature in"
            " focus."
        )


def _choose_clicked_cell(first: int, array: str, index: list[int]) -> None:
    """Move the focus to a pinned cell of the columns that begin with `first`."""
    move_focus([("T", None), ("O", None)], [index[0], first + index[1]])


def show_other_bases(trace: Trace, head: int, notation: Notation) -> None:
    """What a change of basis changes in a head, and what stays the same."""
    w_q, w_k, w_v, w_o = (symbol(name, notation).latex for name in ("w_q", "w_k", "w_v", "w_o"))
    p = trace.projections
    fact("biases_changed", [name for name in ("b_q", "b_k", "b_v") if getattr(p, name) is not None])
    st.header("Other numbers, the same layer", anchor=False)
    st.markdown(
        "A single weight matrix means little, because queries and keys meet only in dot products."
        rf" Take any invertible $R$ and $U$. Replace ${w_q}$ by ${w_q} R$, ${w_k}$ by ${w_k}"
        rf" R^{{-\top}}$, ${w_v}$ by ${w_v} U$, and ${w_o}$ by $U^{{-1}} {w_o}$. If the biases of"
        " queries, keys and values change in the same way, every head computes the same as before."
    )
    if fact("gets_w_o", p.w_o is None):
        st.markdown(
            rf"This layer has no ${w_o}$. It gets $U^{{-1}}$ as ${w_o}$, so that its output stays."
        )
    seed = fact("basis", _choose_basis())
    if not seed:
        return
    other, left_right = rerun_in_other_bases(trace, seed), st.columns(2, gap="medium")
    parts = ((changed_arrays, "changed"), (unchanged_arrays, "unchanged"))
    for place, (compared, name) in zip(left_right, parts, strict=True):
        pairs = compared(trace, other, head, notation)
        fact(f"largest_change_{name}", [one.change for one in pairs])
        rounding = RELATIVE_ROUNDING[trace.scores.dtype]
        changes = ", ".join(
            f"${one.symbol}$ {format_number(one.change, 3) if one.change > rounding else 'equal'}"
            for one in pairs
        )
        with place:
            st.markdown(
                f"**{name.capitalize()}** in head {head}. Largest change, divided by the largest"
                f" number: {changes}."
            )
            st.markdown(f"${pairs[0].symbol}$ of head {head}")
            show_board(figures.basis_board(pairs[0], notation), f"worth {name}")


def _choose_basis() -> int:
    """Draw the buttons for another basis and for the original one; return the seed, 0 for the
    original.
    """
    restore("basis", "Change the bases", 0, _from_url)
    seed = int(st.session_state["basis"])
    with st.container(horizontal=True):
        st.button(
            "Change the bases",
            icon=":material/360:",
            on_click=st.session_state.update,
            args=({"basis": seed % MAX_BASIS_SEED + 1},),
            key="turn",
        )
        # Never disabled: a disabled button would lose the keyboard focus.
        st.button(
            "Original bases",
            on_click=st.session_state.update,
            args=({"basis": 0},),
            key="turn back",
        )
    write_to_url("basis", 0)
    return seed


def _from_url(given: str) -> int:
    """The seed of a change of basis. Raises: SettingsError."""
    if given.isascii() and given.isdigit() and len(given) < 4 and int(given) <= MAX_BASIS_SEED:
        return int(given)
    raise SettingsError(
        f"A change of basis is a whole number from 0 to {MAX_BASIS_SEED}; the weights stay"
    )
