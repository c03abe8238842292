"""Messages about a URL that asks for something that does not exist."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import streamlit as st

from ..markdown import escape_markdown
from .session import session

MAX_QUOTED = 40
SWITCH_LABELS = ("off", "on")


@dataclass(frozen=True)
class Refusal:
    """A refused request: the URL asks for a value that does not exist.

    label: the name of the choice on the page. asked: the text as it is quoted. shown: the value
    that is chosen instead. elsewhere: whether only other pages show the choice. sentence: Markdown.
    """

    label: str
    asked: str
    shown: object
    elsewhere: bool
    sentence: str


def refuse(label: str, asked: str, answer: str, shown: object, elsewhere: bool = False) -> None:
    """Queue a `Refusal` for the end of the run. answer: the end of the sentence, which names the
    value that is shown instead, or the reason.
    """
    quoted = asked[:MAX_QUOTED]
    if not quoted.isprintable():
        quoted = repr(quoted)[1:-1]  # shows invisible characters by their codes
    request, name, rest = map(escape_markdown, (quoted, label, answer))
    sentence = f"The URL asks for “{request}” under “{name}”{rest}."
    session().refused.append(Refusal(label, quoted, shown, elsewhere, sentence))


def refuse_unusable(page: str, elsewhere: Collection[str]) -> None:
    """When a page is opened: refuse values that its bound widgets cannot have. Streamlit sets these
    widgets to their defaults and says nothing.

    Only when it is opened: later the URL may hold the old value for one run. elsewhere: the names
    of widgets that only other pages use.
    """
    now = session()
    if now.url_path == page:
        return
    now.url_path = page
    for name, label in now.labels.items():
        texts, shown = now.asked.get(name, []), st.session_state.get(name)
        if shown == [] and not any(texts):
            continue  # Streamlit writes an empty text if no choice of a group is left
        chosen = [value for value in (shown,) if value is not None]
        if isinstance(shown, list):
            chosen = shown
        if not all(any(_means(text, value) for value in chosen) for text in texts):
            said = ", ".join(map(_label, chosen))
            answer = _answer(texts, said, name in elsewhere)
            refuse(label, ", ".join(texts), answer, said, name in elsewhere)


def show_refusals() -> None:
    """At the end of a run: show the refusals. In a run that starts anew half-way a message would be
    lost.
    """
    now = session()
    for refusal in now.refused:
        # A broken link causes several: four seconds are too short to read them.
        st.toast(refusal.sentence, duration="long")
    now.refused = []


def _answer(texts: Sequence[str], said: str, elsewhere: bool) -> str:
    """The value that is chosen instead, or the reason if a text field has cut its text."""
    if not said:
        return "; nothing is chosen"
    if len(said) >= MAX_QUOTED and any(text.startswith(said) for text in texts):
        return f": {len(said):,} characters are the most"
    if elsewhere:
        return f"; {said[:MAX_QUOTED]} stays set for other pages"
    return f"; {said[:MAX_QUOTED]} is shown"


def _label(value: object) -> str:
    """A value in words."""
    if isinstance(value, bool):
        return SWITCH_LABELS[value]
    return str(value)


def _means(asked: str, shown: object) -> bool:
    """Whether the text in a URL means a value."""
    if asked.casefold() == str(shown).casefold():
        return True
    try:
        return not isinstance(shown, str) and float(asked) == float(str(shown))
    except ValueError:
        return False
