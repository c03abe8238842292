"""Where weights are random: that they mean nothing, and the way to the same sentence in a head that
has learnt.
"""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from attention_lab.cell_worth_telling import cell_worth_telling
from attention_lab.scenario import DRAWN, Scenario, settled, trace_of

from .here import Here

LAYER, HEAD = 3, 1  # of the trained model: a pronoun looks at its noun


def say_random(now: Here) -> None:
    """Say it in one line with one button, where the page shows weights that were drawn."""
    own = now.layer is not None or now.scenario.own
    if own or settled(now.scenario).weights not in DRAWN:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="random weights"):
        st.caption(
            "The weights are random, so the pattern means nothing yet.",
            width="content",
        )
        st.button(
            "The same sentence in a trained head",
            on_click=_train,
            args=(now.scenario,),
            key="trained head",
            help=f"Layer {LAYER}, head {HEAD} of all-MiniLM-L6-v2.",
        )


def _train(scenario: Scenario) -> None:
    """In a callback: the trained layer, its head, and a cell of it that is worth telling."""
    trained = replace(scenario, weights="trained", layer=LAYER)
    cell = cell_worth_telling(trace_of(trained), HEAD)
    st.session_state.update({"weights": trained.weights, "layer": LAYER} | cell._asdict())
