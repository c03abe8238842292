"""The weights of all heads in other bases: other numbers, the same layer."""

from __future__ import annotations

import streamlit as st

from attention_core import SettingsError, Trace
from attention_lab.heads.basis_change import changed_arrays, in_other_bases, unchanged_arrays
from attention_lab.notation.notation import Notation, symbol
from attention_viz.heads.head_worth import in_two_bases
from attention_viz.labels import number

from ..facts import fact
from ..show import show_figure
from ..url_state import restore, write_to_url

LAST_BASIS = 99


def other_bases(trace: Trace, head: int, notation: Notation) -> None:
    """What a change of basis moves of a head, and what it leaves as it was."""
    w_q, w_k, w_v, w_o = (symbol(name, notation).latex for name in ("w_q", "w_k", "w_v", "w_o"))
    biases = [
        name for name in ("b_q", "b_k", "b_v") if getattr(trace.projections, name) is not None
    ]
    biased = (
        ", and the biases of queries, keys and values alike"
        if fact("biases_turned", biases)
        else ""
    )
    needs_w_o = fact("gets_w_o", trace.projections.w_o is None)
    st.header("Other numbers, the same layer", anchor=False)
    st.markdown(
        "A single weight matrix means little: queries and keys meet only in dot products. Take any"
        " invertible $R$ and "
        rf"write ${w_q} R$ for ${w_q}$ and ${w_k} R^{{-\top}}$ for ${w_k}$, and likewise, with"
        r" another one, "
        rf"${w_v} U$ and $U^{{-1}} {w_o}${biased}: every head does exactly what it did."
        + (
            rf" This layer has no ${w_o}$: it gets $U^{{-1}}$ for one, so that the output stays."
            if needs_w_o
            else ""
        )
    )
    if seed := fact("basis", _choose()):
        other = in_other_bases(trace, seed)
        parts = ((changed_arrays, "Changed"), (unchanged_arrays, "Unchanged but for rounding"))
        for place, (compared, said) in zip(st.columns(2, gap="medium"), parts, strict=True):
            both = compared(trace, other, head, notation)
            fact(f"largest_change_{said[:9].lower()}", [one.change for one in both])
            named = ", ".join(f"${one.symbol}$ {number(one.change, 3)}" for one in both)
            with place:
                st.markdown(
                    f"**{said}**, head {head}, largest change as part of the largest number:"
                    f" {named}."
                )
                st.markdown(f"${both[0].symbol}$ of head {head}")
                show_figure(in_two_bases(both[0]), f"worth {said}")


def _choose() -> int:
    """Draw the buttons that turn the bases of all heads; 0 is the layer as it was, other
    numbers are seeds.
    """
    restore("basis", "Turn the bases", 0, _seed)
    seed = int(st.session_state["basis"])
    with st.container(horizontal=True):
        turn = {"basis": seed % LAST_BASIS + 1}
        st.button(
            "Turn the bases",
            icon=":material/360:",
            on_click=st.session_state.update,
            args=(turn,),
            key="turn",
        )
        # Never disabled: a button that is loses the place of the keyboard.
        st.button(
            "As it was", on_click=st.session_state.update, args=({"basis": 0},), key="turn back"
        )
    write_to_url("basis", 0)
    return seed


def _seed(given: str) -> int:
    if given.isascii() and given.isdigit() and len(given) < 4 and int(given) <= LAST_BASIS:
        return int(given)
    raise SettingsError(
        f"A change of basis is a whole number from 0 to {LAST_BASIS}, so the weights stay"
    )
