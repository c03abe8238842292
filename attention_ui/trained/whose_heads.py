"""Whose heads the pages about many layers show: those of the language model, of MiniLM, or of the
user's file.

The URL of these pages always holds the choice. A URL without it that names another choice of these
pages is of an earlier version, which knew MiniLM alone.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import streamlit as st

from attention_core import FileError
from attention_core.checks import check_choice
from attention_lab.page_list import page_of

from ..url_state import request_page, restore, session, set_if_changed, write_to_url

MODEL, LAYER, HEAD, CELL = "th_model", "th_layer", "th_head", "th_cell"
MODEL_LABEL, MODEL_BUTTONS = "Whose heads", "choose th_model"
LANGUAGE, MINILM, OWN = MODELS = ("language model", "MiniLM", "your own")
# What they show first: "The" that looks back at "f"; "it" and its animal.
FIRST_HEADS = {LANGUAGE: (4, 4), MINILM: (3, 1), OWN: (3, 1)}
FIRST_WORDS = {LANGUAGE: ("frog", "bird"), MINILM: ("tired", "wide"), OWN: ("tired", "wide")}
# Sentences with these words, and a cell that changes with them.
EXAMPLES = {
    LANGUAGE: ("One day, a little frog was very sad. The", ""),
    MINILM: ("The animal did not cross the street because it was too tired.", "9-2-0"),
}
UPLOAD_KEY = "own heads"  # in the session: the heads of the user's file
HEAD_PAGES = ("trained-heads", "one-head", "find-a-head", "change-a-word")
# The other choices of these pages.
CHOICES = {
    LAYER,
    HEAD,
    CELL,
    "fh_rule",
    "fh_from",
    "fh_to",
    "cw_old",
    "cw_new",
    "oh_lines",
    "oh_step",
}


def restore_model() -> str:
    """At the start of a page: whose heads the URL and the session choose."""
    now, before = session(), st.session_state.get(MODEL)
    is_named = MODEL in now.asked
    if not is_named and before != OWN and any(any(now.asked.get(name, ())) for name in CHOICES):
        st.session_state[MODEL] = MINILM
    restore(MODEL, MODEL_LABEL, LANGUAGE, _read_model)
    model = str(st.session_state[MODEL])
    if model == OWN and UPLOAD_KEY not in st.session_state:
        model = LANGUAGE  # the file was dropped
    if before not in (None, model):
        show_model(model, now.asked)
        for name in (LAYER, HEAD, CELL):
            now.written.pop(name, None)  # what the URL asks for is new
    st.session_state[MODEL] = model
    if not now.has_scripts and not is_named:
        now.opening[MODEL] = model
    write_to_url(MODEL, None)
    return model


def shown_model() -> str:
    """One of `MODELS`."""
    return str(st.session_state.get(MODEL, LANGUAGE))


def choose_model(place: Any = st) -> str:
    """Draw the choice, in `place`: `st` or a container."""
    held = shown_model()
    set_if_changed(MODEL_BUTTONS, held)
    place.segmented_control(
        MODEL_LABEL,
        MODELS,
        default=held,
        required=True,
        key=MODEL_BUTTONS,
        on_change=_change_model,
        label_visibility="collapsed",
    )
    return held


def show_model(model: str, asked: Collection[str] = ()) -> None:
    """Show the heads of a model, from its first head on. asked: the names of choices that stay."""
    layer, head = FIRST_HEADS[model]
    old, new = FIRST_WORDS[model]
    first = {LAYER: layer, HEAD: head, CELL: "", "cw_old": old, "cw_new": new}
    st.session_state[MODEL] = model
    st.session_state.update({name: one for name, one in first.items() if name not in asked})


def show_example() -> None:
    """In a callback: show the sentence in which the first words of a model are changed."""
    show_model(shown_model())
    st.session_state["text"], st.session_state[CELL] = EXAMPLES[shown_model()]


def _change_model() -> None:
    """In a callback: show what was chosen. Without a file of one's own, its page opens."""
    chosen = str(st.session_state[MODEL_BUTTONS])
    if chosen == OWN and UPLOAD_KEY not in st.session_state:
        request_page(page_of("your-weights").path, **{MODEL: shown_model()})
    else:
        show_model(chosen)


def _read_model(text: str) -> str:
    """Raises: SettingsError, FileError."""
    if check_choice(MODEL_LABEL, text, MODELS) == OWN and UPLOAD_KEY not in st.session_state:
        raise FileError("a file of your own is not in a URL: load it again")
    return text
