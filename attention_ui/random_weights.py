"""Where weights are random: that they mean nothing, and the way to the same sentence in a head that
has learnt.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import streamlit as st

from attention_core import AttentionError
from attention_lab.cell_worth_telling import Cell, cell_worth_telling
from attention_lab.scenario import DRAWN, Scenario, settled, trace_of
from attention_viz.step_scene import Note

from .facts import fact
from .page_context import PageContext

LAYER, HEAD = 3, 1  # of the trained model: a pronoun looks at its noun
SAID = Note(
    "These random weights mean nothing.",
    "The same sentence in a trained head",
    act="weights",
    value="trained",
)


def random_notes(now: PageContext) -> tuple[Note, ...]:
    """It in one sentence with one button, where the page shows weights that were drawn."""
    own = now.layer is not None or now.scenario.own
    is_random = fact("random_weights", not own and settled(now.scenario).weights in DRAWN)
    return (SAID,) * is_random


def train(scenario: Scenario) -> None:
    """In a callback: the trained layer, its head, and a cell of it that is worth telling."""
    trained = replace(scenario, weights="trained", layer=LAYER)
    cell = Cell(HEAD)
    with suppress(AttentionError):  # the page says why there can be no such layer
        cell = cell_worth_telling(trace_of(trained), HEAD)
    st.session_state.update({"weights": trained.weights, "layer": LAYER} | cell._asdict())
