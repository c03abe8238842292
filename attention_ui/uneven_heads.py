"""Heads that divide the embedding size: the slider that offers them, and the warning, with buttons
that mend it, when the URL or another embedding size asks for others.
"""

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attention_lab.choices import DECLARED
from attention_lab.control import Control
from attention_lab.control_list import uneven_heads, ways_out
from attention_lab.scenario import Scenario

from .url_state import note_act, session, set_if_changed

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
    note_act()
    st.session_state[HEADS] = st.session_state[OFFERED]


def offer_divisors(scenario: Scenario) -> None:
    """Draw the warning, with a button for each way out."""
    wrong, why = uneven_heads(scenario)
    st.warning(f"**{wrong}**: {why}", icon=":material/view_column:")
    with st.container(horizontal=True):
        for way in ways_out(scenario):
            values = {name: DECLARED[name].held(size) for name, size in way.changes.items()}
            st.button(
                way.label, on_click=st.session_state.update, args=(values,), help=way.help or None
            )
