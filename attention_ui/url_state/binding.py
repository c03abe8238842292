"""Choices that no bound widget holds: kept in the session, mirrored to the address; a changed
address wins.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import streamlit as st

from attention_core import AttentionError

from ..markdown import plain
from .session import begin_run, visit

MOST_QUOTED = 40
CHOICE = re.compile(r"[a-z]\w*", re.ASCII)
# What a widget is given whose value stays while another page is shown.
KEPT: dict[str, Any] = {"persist_state": "session"}
ON_OFF = ("off", "on")  # what a switch shows
UNSET = "unset"  # what a step back in the browser takes back, see history.js


@dataclass(frozen=True)
class Refusal:
    """That the address asks for what there cannot be.

    label: what the page calls the choice. asked: as it is quoted. shown: what is chosen instead.
    elsewhere: whether only other pages show it. sentence: all of it in words, as Markdown.
    """

    label: str
    asked: str
    shown: object
    elsewhere: bool
    sentence: str


def bound(draw: Callable[..., Any], label: str, *given: Any, key: str, **about: Any) -> Any:
    """Draw a widget whose value the address holds under its key, and give the value. draw: such
    as `st.slider`.
    """
    visit().labels[key] = label
    return draw(label, *given, key=key, bind="query-params", **about)


def adopt(name: str, label: str, default: Any, read: Callable[[str], Any]) -> str | None:
    """Take over what came by the address, or keep what is known and say why; gives what the address
    newly asks for.

    label: what the page calls it. read: makes the choice of the text in the address, and raises an
    AttentionError for a text that says nothing.
    """
    now = visit()
    if name in now.taken_back and now.mirrored.get(name) is not None:
        st.session_state[name] = default
    known, given = st.session_state.setdefault(name, default), wish(name)
    if given is None:
        return None
    if len(texts := st.query_params.get_all(name)) > 1:
        refuse(label, ", ".join(texts), "; the last of them counts", texts[-1])
    try:
        st.session_state[name] = read(given)
    except AttentionError as error:
        st.session_state[name] = known
        refuse(label, given, f": {error}", known)
    return given


def wish(name: str) -> str | None:
    """What the address newly asks for; None where it says nothing, or what was written there by
    `mirror`.
    """
    given = st.query_params.get(name)
    return None if given == visit().mirrored.get(name) else given


def refuse(label: str, asked: str, answer: str, shown: object, elsewhere: bool = False) -> None:
    """Keep for `say_refused` that the address asks for what there cannot be, see `Refusal`.

    answer: what is said of what is shown instead, or why.
    """
    quoted = asked[:MOST_QUOTED]
    said = quoted if quoted.isprintable() else repr(quoted)[1:-1]  # what shows nothing, by its code
    sentence = f"The address asks for “{plain(said)}” under “{plain(label)}”{plain(answer)}."
    visit().refused.append(Refusal(label, said, shown, elsewhere, sentence))


def listen() -> None:
    """Note at the start of a run what the address asks for; in a run that starts anew, what it
    asked at first.

    Only names that a choice can have count: of others some belong to this module, and some
    Streamlit does not bear.
    """
    taken_back = st.query_params.pop(UNSET, "").split(".")
    asked = {
        name: st.query_params.get_all(name) for name in st.query_params if CHOICE.fullmatch(name)
    }
    now = begin_run()
    if now.asked_at_first is None:
        now.taken_back, now.labels = taken_back, {}
    now.asked, now.asked_at_first = (
        (asked if now.asked_at_first is None else now.asked_at_first),
        None,
    )


def start_anew(without: str) -> NoReturn:
    """Take a wish out of the address that its widget could not bear, and start the run anew."""
    now = visit()
    now.asked_at_first = {name: texts for name, texts in now.asked.items() if name != without}
    del st.query_params[without]
    st.rerun()


def refuse_unheard(page: str, elsewhere: Collection[str]) -> None:
    """In the first run of a visit of a page, refuse what its widgets could not follow: they
    silently take the default.

    Later an address may for one run hold what was shown before. elsewhere: the names of widgets
    that only other pages have a use for.
    """
    now = visit()
    if now.url_path == page:
        return
    now.url_path = page
    for name, label in now.labels.items():
        texts, shown = now.asked.get(name, []), st.session_state.get(name)
        if shown == [] and not any(texts):
            continue  # Streamlit writes an empty text where every choice of a group is taken back
        chosen = shown if isinstance(shown, list) else [] if shown is None else [shown]
        if not all(any(_says(text, one) for one in chosen) for text in texts):
            said = ", ".join(ON_OFF[one] if isinstance(one, bool) else str(one) for one in chosen)
            answer = _answer(texts, said, name in elsewhere)
            refuse(label, ", ".join(texts), answer, said, name in elsewhere)


def _answer(texts: Sequence[str], said: str, elsewhere: bool) -> str:
    """What is said of what is chosen in place of what the address asks for, and the reason where
    a text field has cut its text off.
    """
    if not said:
        return "; nothing is chosen"
    if len(said) >= MOST_QUOTED and any(text.startswith(said) for text in texts):
        return f": {len(said):,} characters are the most"
    return f"; {said[:MOST_QUOTED]} {'stays set for other pages' if elsewhere else 'is shown'}"


def _says(asked: str, shown: object) -> bool:
    """Whether the text of an address means a value."""
    if asked.casefold() == str(shown).casefold():
        return True
    try:
        return not isinstance(shown, str) and float(asked) == float(str(shown))
    except ValueError:
        return False


def say_refused() -> None:
    """Say what was refused, at the end of a run: what is said in a run that starts anew
    half-way is lost.
    """
    now = visit()
    for refusal in now.refused:
        # A broken link brings several: four seconds are too few to read them.
        st.toast(refusal.sentence, duration="long")
    now.refused = []


def mirror(name: str, default: Any) -> None:
    """Write a choice into the address; the default is left out."""
    shown = str(st.session_state[name])
    if visit().opening.get(name) == shown:
        pass  # a script writes it
    elif shown == str(default):
        if name in st.query_params:
            del st.query_params[name]
    elif st.query_params.get_all(name) != [shown]:
        st.query_params[name] = shown
    visit().mirrored[name] = shown if shown != str(default) else None
