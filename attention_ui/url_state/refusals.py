"""What the page says about a URL that asks for something that does not exist."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import streamlit as st

from ..markdown import plain
from .session import session

MAX_QUOTED = 40
SWITCH_LABELS = ("off", "on")  # what a switch shows


@dataclass(frozen=True)
class Refusal:
    """That the URL asks for a value that does not exist.

    label: what the page calls the choice. asked: as it is quoted. shown: what is chosen instead.
    elsewhere: whether only other pages show it. sentence: all of it in words, as Markdown.
    """

    label: str
    asked: str
    shown: object
    elsewhere: bool
    sentence: str


def refuse(label: str, asked: str, answer: str, shown: object, elsewhere: bool = False) -> None:
    """Queue a `Refusal` for the end of the run. answer: what is said of what is shown instead, or
    why.
    """
    quoted = asked[:MAX_QUOTED]
    said = quoted if quoted.isprintable() else repr(quoted)[1:-1]  # what shows nothing, by its code
    sentence = f"The URL asks for “{plain(said)}” under “{plain(label)}”{plain(answer)}."
    session().refused.append(Refusal(label, said, shown, elsewhere, sentence))


def refuse_unusable(page: str, elsewhere: Collection[str]) -> None:
    """When a page is opened: refuse what its bound widgets could not take. Streamlit gives them
    their default and says nothing.

    Only then: later the URL may for one run hold what was shown before. elsewhere: the names of
    widgets that only other pages use.
    """
    now = session()
    if now.url_path == page:
        return
    now.url_path = page
    for name, label in now.labels.items():
        texts, shown = now.asked.get(name, []), st.session_state.get(name)
        if shown == [] and not any(texts):
            continue  # Streamlit writes an empty text where every choice of a group is taken back
        chosen = shown if isinstance(shown, list) else [] if shown is None else [shown]
        if not all(any(_means(text, one) for one in chosen) for text in texts):
            said = ", ".join(
                SWITCH_LABELS[one] if isinstance(one, bool) else str(one) for one in chosen
            )
            answer = _answer(texts, said, name in elsewhere)
            refuse(label, ", ".join(texts), answer, said, name in elsewhere)


def show_refusals() -> None:
    """At the end of a run: show what was refused. A message that is shown in a run that starts
    anew half-way is lost.
    """
    now = session()
    for refusal in now.refused:
        # A broken link brings several: four seconds are too few to read them.
        st.toast(refusal.sentence, duration="long")
    now.refused = []


def _answer(texts: Sequence[str], said: str, elsewhere: bool) -> str:
    """What is chosen instead, or the reason where a text field has cut its text off."""
    if not said:
        return "; nothing is chosen"
    if len(said) >= MAX_QUOTED and any(text.startswith(said) for text in texts):
        return f": {len(said):,} characters are the most"
    return f"; {said[:MAX_QUOTED]} {'stays set for other pages' if elsewhere else 'is shown'}"


def _means(asked: str, shown: object) -> bool:
    """Whether the text in a URL means a value."""
    if asked.casefold() == str(shown).casefold():
        return True
    try:
        return not isinstance(shown, str) and float(asked) == float(str(shown))
    except ValueError:
        return False
