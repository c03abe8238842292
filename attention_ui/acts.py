"""Acts in callbacks: `attention_lab/acts.py` says what they mean; the session gives the choices
before and takes those after.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from typing import Any

import streamlit as st

from attention_core import AttentionError
from attention_lab.acts import moved
from attention_lab.presets import SENTENCE_KEY, widget_values
from attention_lab.state_file import FOCUS
from attention_lab.url_choices import PARAMETERS, UrlChoices, read_url
from attention_lab.url_values import url_text

from .url_state import held_place, note_act, session

NO_MASK_KEY = "unmasked"  # whether the step is shown as it is where the layer has no mask


def act(name: str, value: object = None) -> None:
    """In a callback: choose a value, by the name of the choice in a URL; None for the one that its
    widget has just put into the session.
    """
    choose({name: st.session_state[name] if value is None else value})


def choose(changes: Mapping[str, Any]) -> None:
    """In a callback: choose several values at once. Those that no choice can have are ignored."""
    note_act()
    before, now = held_choices(changes), session()
    with suppress(AttentionError):
        after = moved(before, changes)
        held, values = session_values(before), session_values(after)
        for name, value in values.items():
            is_new = name in changes or value != held[name]
            is_held = st.session_state.get(name) == value and name in st.query_params
            if is_new and not is_held:  # what is held would be sent to the browser again
                st.session_state[name] = value
        if "example" in changes and after != before:
            now.last, now.unchosen = after.scenario, False


def held_choices(changing: Mapping[str, Any] | None = None) -> UrlChoices:
    """The choices as the session holds them; those that are changing as the last run had them."""
    held, context = st.session_state, session().page_context
    values = {name: held[name] for name in PARAMETERS if held.get(name) is not None}
    if context is not None:
        last = widget_values(context.chosen or context.scenario)
        values |= {name: last[name] for name in changing or () if name in last}
    values |= {name: held_place(name) for name in (*FOCUS, SENTENCE_KEY)}
    if values.get("mask") == "none":
        del values["mask"]  # named in a URL, it means a step without a mask
    return read_url({name: [url_text(value)] for name, value in values.items() if value != ""})


def session_values(choices: UrlChoices) -> dict[str, Any]:
    """Choices as the session holds them."""
    values = widget_values(choices.scenario) | asdict(choices.focus) | dict(choices.view)
    unmasked = "true" if choices.unmasked else ""
    values |= asdict(choices.block) | {"which": choices.which, NO_MASK_KEY: unmasked}
    return values | {SENTENCE_KEY: choices.sentence}
