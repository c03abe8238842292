"""A note that random weights mean nothing, with a button to the same sentence in a trained head."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import streamlit as st

from attention_core import AttentionError
from attention_lab.choices import SEEDED_WEIGHTS, resolve
from attention_lab.example_cell import Cell, choose_example_cell
from attention_lab.scenario import Scenario, trace_of
from attention_viz.step_scene import Note

from .facts import fact
from .page_context import PageContext

PRONOUN_LAYER, PRONOUN_HEAD = 3, 1  # of the trained model: a pronoun attends to its noun
RANDOM_NOTE = Note(
    "These random weights mean nothing.",
    "The same sentence in a trained head",
    act="weights",
    value="trained",
)


def random_notes(now: PageContext) -> tuple[Note, ...]:
    """The note, if a seed decides the weights of the page."""
    own = now.layer is not None or now.scenario.own
    is_random = fact("random_weights", not own and resolve(now.scenario).weights in SEEDED_WEIGHTS)
    return (RANDOM_NOTE,) * is_random


def show_trained_head(scenario: Scenario) -> None:
    """In a callback: show the head of the trained model, with a cell of a pronoun in focus."""
    trained = replace(scenario, weights="trained", layer=PRONOUN_LAYER)
    cell = Cell(PRONOUN_HEAD)
    with suppress(AttentionError):  # the page shows the error
        cell = choose_example_cell(trace_of(trained), PRONOUN_HEAD)
    st.session_state.update({"weights": trained.weights, "layer": PRONOUN_LAYER} | cell._asdict())
