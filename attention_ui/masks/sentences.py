"""Fields for sentences besides that of the sidebar, and notes about what does not fit."""

from __future__ import annotations

from typing import Any

import streamlit as st

from attention_core import TextError
from attention_lab.choices import MAX_TEXT_LENGTH, user_matrices_of
from attention_lab.masks.encoder_decoder import other_sentence
from attention_lab.scenario import Scenario
from attention_lab.user_data.matrix_names import MAX_TOKENS

from ..controls import cut_text, field_notes
from ..facts import fact
from ..markdown import escape_markdown
from ..url_state import PERSISTENCE, draw_bound


def choose_sentence(
    place: Any,
    label: str,
    default: str,
    key: str,
    scenario: Scenario,
    n_tokens: int = 0,
    *,
    instead: str = "",
    help: str | None = None,
) -> str:
    """Draw the field in a part of the page; return its text, cut to the largest allowed length.

    A text without a word is refused below the field, and `instead` is used. Without `instead` the
    field may be left empty. n_tokens: the length of the sentence, as for `other_sentence`.
    Raises: SettingsError, FileError.
    """
    about = {"help": help, "on_change": cut_text, "args": (key,), **PERSISTENCE}
    text = draw_bound(place.text_input, label, default, key=key, **about) or ""
    notes = field_notes(f"{label}: the field", text)
    if fact(f"full_{key}", bool(notes)):
        place.caption(notes[0])
    text = text[:MAX_TEXT_LENGTH]
    if not instead and not text.strip():
        return ""
    try:
        other_sentence(scenario, text, n_tokens)
    except TextError as error:
        fact(f"refused_in_{key}", error)
        used = f"“{instead}”" if instead else "no sentence"
        place.error(
            escape_markdown(f"{label}: {error}. Until then {used} is used."),
            icon=":material/error:",
        )
        return instead
    return text


def note_cut(name: str, n_real: int, n_left_out: int, scenario: Scenario) -> None:
    """Note that tokens of a sentence were left out, and how to make room for them.

    The user's own X decides the length instead of the control.
    """
    if not n_left_out:
        return
    n_whole = n_real + n_left_out
    fact(f"left_out_of_the_{name.replace(' ', '_')}", n_left_out)
    remedy = "A shorter sentence fits."
    if fact(
        "longer_sequence_helps", n_whole <= MAX_TOKENS and user_matrices_of(scenario).x is None
    ):
        remedy = f"Sequence length {n_whole} in the sidebar makes room for all."
    st.caption(
        f"Tokens of the {name} left out: **{n_left_out} of {n_whole}**; there is room for {n_real}."
        f" {remedy}"
    )


def limit_with_note(word: str, chosen: int, last: int) -> int:
    """The chosen place, or the last one with a note if there are fewer."""
    if chosen > last:
        fact(f"last_{word}_instead", last)
        st.caption(f"There is no {word} {chosen} here; the last one, {last}, is shown.")
    return min(chosen, last)
