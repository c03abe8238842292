"""Sentences besides that of the sidebar."""

from __future__ import annotations

from typing import Any

from attention_core import TextError
from attention_lab.choices import MAX_TEXT_LENGTH
from attention_lab.masks.encoder_decoder import other_sentence
from attention_lab.scenario import Scenario
from attention_viz.markdown import escape_markdown
from attention_viz.story.notes import field_notes

from ..controls import cut_text
from ..url_state import PERSISTENCE, draw_bound


def choose_sentence(
    place: Any, label: str, default: str, key: str, scenario: Scenario, n_tokens: int
) -> str:
    """Draw the field in a part of the page; return its text, cut to the largest allowed length.

    A text without a word is refused below the field; the field may be left empty. n_tokens: the
    length of the sentence, as for `other_sentence`.
    Raises: SettingsError, FileError.
    """
    about = {"on_change": cut_text, "args": (key,), **PERSISTENCE}
    text = draw_bound(place.text_input, label, default, key=key, **about) or ""
    notes = field_notes(f"{label}: the field", text)
    if notes:
        place.caption(notes[0])
    text = text[:MAX_TEXT_LENGTH]
    if not text.strip():
        return ""
    try:
        other_sentence(scenario, text, n_tokens)
    except TextError as error:
        says = f"{label}: {error}. Until then no sentence is used."
        place.error(escape_markdown(says), icon=":material/error:")
        return ""
    return text
