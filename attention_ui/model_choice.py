"""What choosing the weights of a model brings along: a layer and a cell that are worth a look."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from attention_lab.presets import in_model
from attention_lab.scenario import Scenario
from attention_lab.weight_kinds import MODELS

from .url_state import session


def choose_weights(_: str = "weights") -> None:
    """In a callback: where the weights of a model were chosen, show a layer of it; other weights
    have no layers.
    """
    weights, last = st.session_state["weights"], session().last
    if weights not in MODELS:
        st.session_state["layer"] = 0
    elif last:
        show_in_model(replace(last, text=st.session_state.get("text", last.text)), weights)


def show_in_model(scenario: Scenario, weights: str) -> None:
    """In a callback: show the same sentence in a layer of a model, with a cell in focus that is
    worth a look.
    """
    there, cell = in_model(scenario, weights)
    chosen = {"weights": there.weights, "layer": there.layer}
    st.session_state.update(chosen | cell._asdict())
