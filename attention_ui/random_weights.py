"""Notes on weights that say little about a sentence: those drawn at random, and those by hand for
words that they do not know. A button leads to the same sentence in a trained head.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import streamlit as st

from attention_core import AttentionError
from attention_lab.by_hand import Cell, choose_example_cell, unknown_words
from attention_lab.choices import SEEDED_WEIGHTS, resolve
from attention_lab.scenario import Scenario, trace_of
from attention_viz.step_scene import Note

from .page_context import PageContext

PRONOUN_LAYER, PRONOUN_HEAD = 3, 1  # of the trained model: a pronoun attends to its noun
MAX_NAMED = 4  # unknown words
LONGEST_NAMED = 16  # of one of them


def _with_way_out(text: str) -> Note:
    """A note with the button to a trained head."""
    return Note(text, "The same sentence in a trained head", act="weights", value="trained")


def random_notes(now: PageContext) -> tuple[Note, ...]:
    """The note, if a seed decides the weights of the page."""
    own = now.layer is not None or now.scenario.own
    is_random = not own and resolve(now.scenario).weights in SEEDED_WEIGHTS
    if not is_random or _is_replaced(now):
        return ()
    return (_with_way_out("These random weights mean nothing."),)


def by_hand_notes(now: PageContext) -> tuple[Note, ...]:
    """A note, if weights by hand were chosen, on words that they do not know, and on random weights
    in their place.
    """
    if not now.chosen or resolve(now.chosen).weights != "by hand" or now.chosen.own:
        return ()
    words = unknown_words([t for one in now.labels for t in one])
    unknown = f"Not in the list of words: {_named(words)}."
    if _is_replaced(now):
        told = (
            "The weights by hand find nothing here: no word asks, or none answers. So the weights"
            " are random and mean nothing."
        )
        return (_with_way_out(f"{told} {unknown}" if words else told),)
    return (_with_way_out(f"{unknown} The weights by hand take them as “other”."),) * bool(words)


def _is_replaced(now: PageContext) -> bool:
    """Whether random weights stand in the place of those by hand."""
    return now.chosen is not None and now.chosen.weights != now.scenario.weights


def _named(words: tuple[str, ...]) -> str:
    """Some words in quotation marks, and the number of the others."""
    named = [
        f"“{word if len(word) <= LONGEST_NAMED else word[: LONGEST_NAMED - 1] + '…'}”"
        for word in words[:MAX_NAMED]
    ]
    more = len(words) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")


def show_trained_head(scenario: Scenario) -> None:
    """In a callback: show the head of the trained model, with a cell of a pronoun in focus."""
    trained = replace(scenario, weights="trained", layer=PRONOUN_LAYER)
    cell = Cell(PRONOUN_HEAD)
    with suppress(AttentionError):  # the page shows the error
        cell = choose_example_cell(trace_of(trained), PRONOUN_HEAD)
    st.session_state.update({"weights": trained.weights, "layer": PRONOUN_LAYER} | cell._asdict())
