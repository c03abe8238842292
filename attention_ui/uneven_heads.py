"""Heads that divide the embedding size: the slider that offers them, and the warning, with buttons
that mend it, when the URL or another embedding size asks for others.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attention_core.projection_checks import nearest_divisors
from attention_lab.control_list import Control
from attention_lab.scenario import Scenario
from attention_lab.user_data.matrix_names import MAX_HEADS, MAX_MATRIX_WIDTH

from .url_state import session, set_if_changed

HEADS = "n_heads"
OFFERED = "offered_heads"  # the slider that is seen
WHY_THESE = (
    " Each gets an equal block of the features, so the number of heads divides the embedding size."
    " With widths d_k and d_v of your own, under Tokens and widths, every number fits."
)


def offer_heads(place: DeltaGenerator, held: int, fitting: Sequence[int], control: Control) -> None:
    """Draw the slider over the numbers of heads that fit, and over the present one if it does not.

    The slider that is bound to the URL has fixed bounds and a fixed default, which need not fit. So
    it is hidden, and this one moves it. held: its value. In a first run this one is drawn before
    it, because the browser may have moved it while there was no server.
    """
    options, only_one = sorted({*fitting, held}), False
    if len(options) == 1:  # a slider needs two
        options, only_one = [held, held + 1], True
    if session().has_scripts:
        set_if_changed(OFFERED, held)
    chosen = place.select_slider(
        control.label,
        options,
        held,
        key=OFFERED,
        help=control.help + WHY_THESE,
        disabled=only_one,
        on_change=_choose,
    )
    if chosen != held:  # the URL has not heard of it
        st.session_state[HEADS] = chosen
        st.query_params[HEADS] = str(chosen)


def _choose() -> None:
    st.session_state[HEADS] = st.session_state[OFFERED]


def offer_divisors(scenario: Scenario) -> None:
    """Draw the warning, with buttons for the nearest divisors and, if the weights allow it, for a
    free width.
    """
    width, heads = scenario.d_model, scenario.n_heads
    st.warning(
        f"**{heads} heads cannot share {width} features evenly**: {width} / {heads} is not a whole"
        " number. Each head takes its own block of features of Q, K and V. In the usual layer all"
        " blocks together are as wide as the embedding, so that the joined heads fit the next"
        " layer. Choose one:",
        icon=":material/view_column:",
    )
    with st.container(horizontal=True):
        for count in nearest_divisors(width, heads):
            if count <= MAX_HEADS:
                st.button(
                    f"Heads: {count}",
                    on_click=st.session_state.update,
                    args=({"n_heads": count},),
                )
        for size in _near_multiples(width, heads):
            st.button(
                f"Embedding size: {size}",
                on_click=st.session_state.update,
                args=({"d_model": size},),
            )
        if scenario.weights != "weightless":
            free = max(1, round(width / heads))
            st.button(
                f"Heads: {heads}, each {free} wide",
                on_click=st.session_state.update,
                args=({"d_k": str(free), "d_v": str(free)},),
                help=(
                    "d_k and d_v need not be embedding / heads: W_O maps the joined heads back to"
                    " the embedding size."
                ),
            )


def _near_multiples(width: int, heads: int) -> list[int]:
    below = width // heads * heads
    return [size for size in (below, below + heads) if 1 <= size <= MAX_MATRIX_WIDTH]
