"""The weights of all heads in other bases: other numbers, the same layer."""

from __future__ import annotations

import streamlit as st

from attention_core import SettingsError, Trace
from attention_core.heads.gauge_effect import kept, moved, turned
from attention_viz.heads.worth_figures import in_two_bases
from attention_viz.labels import number

from ..address import adopt, mirror
from ..show import show_figure

LAST_BASIS = 99


def other_bases(trace: Trace, head: int) -> None:
    """What a change of basis moves of a head, and what it leaves as it was."""
    st.subheader("Other numbers, the same layer", anchor=False)
    st.markdown(
        "A single weight matrix means little: queries and keys meet only in dot products. Take any invertible R and "
        "write W_Q R for W_Q and W_K R⁻ᵀ for W_K, and likewise W_V T and T⁻¹ W_O: every head does exactly what it did."
    )
    if seed := _choose():
        other = turned(trace, seed)
        changed, same = moved(trace, other, head), kept(trace, other, head)
        parts = ((changed, "Changed", "W_Q"), (same, "Unchanged but for rounding", "W_Q W_Kᵀ"))
        for place, (both, said, name) in zip(st.columns(2, gap="medium"), parts, strict=True):
            named = ", ".join(f"${one.symbol}$ {number(one.change, 3)}" for one in both)
            with place:
                st.markdown(f"**{said}**, head {head}, largest change as part of the largest number: {named}.")
                st.markdown(f"**{name}** of head {head}")
                show_figure(in_two_bases(both[0], name), f"worth {name}")


def _choose() -> int:
    """Draw the buttons that turn the bases of all heads; 0 is the layer as it was, other numbers are seeds."""
    adopt("basis", "Turn the bases", 0, _seed)
    seed = int(st.session_state["basis"])
    with st.container(horizontal=True):
        turn = {"basis": seed % LAST_BASIS + 1}
        st.button("Turn the bases", icon=":material/360:", on_click=st.session_state.update, args=(turn,), key="turn")
        st.button(
            "As it was", on_click=st.session_state.update, args=({"basis": 0},), key="turn back", disabled=not seed
        )
    mirror("basis", 0)
    return seed


def _seed(given: str) -> int:
    if given.isascii() and given.isdigit() and len(given) < 4 and int(given) <= LAST_BASIS:
        return int(given)
    raise SettingsError(f"A change of basis is a whole number from 0 to {LAST_BASIS}, so the weights stay")
