"""The fields for sentences beside that of the sidebar, which hold as much as that one does."""

from __future__ import annotations

from typing import Any

from attention_core import TextError
from attention_lab.masks.sentences import other_sentence
from attention_lab.scenario import MAX_TEXT, Scenario

from ..controls import cut_text, field_notes
from ..facts import fact
from ..markdown import plain
from ..url_state import KEPT, bound


def sentence_field(
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
    """Draw the field in a part of the page; give its text, cut to what it holds, or `instead` where
    no word is in it.

    A text without a word is refused under the field, which takes nothing else from the page. A
    field that has nothing to stand instead may be left empty. n_tokens: as long as the sentence
    will be, as for `other_sentence`.
    Raises: SettingsError, FileError.
    """
    about = {"help": help, "on_change": cut_text, "args": (key,), **KEPT}
    text = bound(place.text_input, label, default, key=key, **about) or ""
    notes = field_notes(f"{label}: the field", text)
    if fact(f"full_{key}", bool(notes)):
        place.caption(notes[0])
    text = text[:MAX_TEXT]
    if not instead and not text.strip():
        return ""
    try:
        other_sentence(scenario, text, n_tokens)
    except TextError as error:
        shown = f"“{instead}” is read" if instead else "it is left out"
        fact(f"refused_in_{key}", error)
        place.error(plain(f"{label}: {error}. Until then {shown}."), icon=":material/error:")
        return instead
    return text
