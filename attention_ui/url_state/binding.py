"""The URL on its way in and out: widgets bound to it, choices that we bind, what it asks for in
vain, and going to another page from a callback.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import streamlit as st

from attention_core import AttentionError
from attention_lab.page_list import OLD_URLS, page_now
from attention_lab.url_choices import PARAMETERS
from attention_lab.url_values import MAX_QUOTED, REFUSAL, SWITCH_LABELS, quoted
from attention_viz.markdown import escape_markdown

from ..streamlit_private import asked_of_widget, forget_parameter
from .session import begin_run, session

PARAMETER_NAME = re.compile(r"[a-z]\w*", re.ASCII)
# The option of widgets that keep their value while another page is shown.
PERSISTENCE: dict[str, Any] = {"persist_state": "session"}
# Streamlit ends the page if the URL sets one of these to infinity, and cuts a number off.
NUMBER_WIDGETS = ("number_input", "slider")
UNSET_PARAMETER = "unset"  # history.js writes here the names of choices that a step back removes


def refuse(label: str, asked: str, answer: str) -> None:
    """Queue a message for the end of the run: the URL asks for a value that does not exist.

    label: the name of the choice on the page. answer: the end of the sentence, which names the
    value that is shown instead, or the reason.
    """
    request, name, rest = map(escape_markdown, (quoted(asked), label, answer))
    session().refused.append(REFUSAL.format(asked=request, label=name, answer=rest))


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
    # A link of the book carries the choices of the page before; its own stay in the session alone.
    for name in now.written.keys() - now.restored - PARAMETERS.keys():
        st.query_params.pop(name, None)
    for name, label in now.labels.items():
        texts, shown = now.asked.get(name, []), st.session_state.get(name)
        if shown == [] and not any(texts):
            continue  # Streamlit writes an empty text if no choice of a group is left
        chosen = shown if isinstance(shown, list) else [shown]
        if shown is None:
            chosen = []
        if not all(any(_means(text, value) for value in chosen) for text in texts):
            said = ", ".join(map(_label, chosen))
            refuse(label, ", ".join(texts), _answer(texts, said, name in elsewhere))


def show_refusals() -> None:
    """At the end of a run: show the refusals. In a run that starts anew half-way a message would be
    lost.
    """
    now = session()
    for sentence in now.refused:
        # A broken link causes several: four seconds are too short to read them.
        st.toast(sentence, duration="long")
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
    return SWITCH_LABELS[value] if isinstance(value, bool) else str(value)


def _means(asked: str, shown: object) -> bool:
    """Whether the text in a URL means a value."""
    if asked.casefold() == str(shown).casefold():
        return True
    try:
        return not isinstance(shown, str) and float(asked) == float(str(shown))
    except ValueError:
        return False


def read_url() -> None:
    """At the start of a run: note what the URL asks for.

    Parameters that cannot belong to a widget are ignored: some are ours, and some would make
    Streamlit fail.
    """
    taken_back = st.query_params.pop(UNSET_PARAMETER, "").split(".")
    asked = {
        name: st.query_params.get_all(name)
        for name in st.query_params
        if PARAMETER_NAME.fullmatch(name)
    }
    now = begin_run()
    now.asked, now.taken_back, now.labels, now.restored = asked, taken_back, {}, set()


def draw_bound(draw: Callable[..., Any], label: str, *given: Any, key: str, **about: Any) -> Any:
    """Draw a widget, such as `st.slider`, that Streamlit binds to the URL; gives its value."""
    now = session()
    now.labels[key] = label
    unusable: list[str] = []
    if draw.__name__ in NUMBER_WIDGETS:
        is_whole = isinstance(given[0], int)
        unusable = [text for text in asked_of_widget(key) if _is_no_choice(text, is_whole)]
    if not unusable:
        return draw(label, *given, key=key, bind="query-params", **about)
    forget_parameter(key)
    now.asked.pop(key, None)
    value = draw(label, *given, key=key, bind="query-params", **about)
    refuse(label, unusable[-1], f"; {value} is shown")
    return value


def _is_no_choice(text: str, is_whole: bool) -> bool:
    """Whether a text means a number that Streamlit would not refuse: more than every number, as
    "1e400" does, or "2.5" where it takes 2, which the site of the same URL does not.
    """
    try:
        number = float(text)
    except ValueError:
        return False
    return math.isinf(number) or (is_whole and not number.is_integer())


def restore(name: str, label: str, default: Any, read: Callable[[str], Any]) -> str | None:
    """Take a choice from the URL if the URL asks for a new one; gives the text in the URL.

    label: the name of the choice on the page. read: turns the text into the choice, or raises an
    AttentionError; then the choice stays, and the page says why.
    """
    now = session()
    now.restored.add(name)
    if name in now.taken_back and now.written.get(name) is not None:
        st.session_state[name] = default
    known, text = st.session_state.setdefault(name, default), requested(name)
    if text is None:
        return None
    if len(texts := st.query_params.get_all(name)) > 1:
        refuse(label, ", ".join(texts), "; the last of them counts")
    try:
        st.session_state[name] = read(text)
    except AttentionError as error:
        st.session_state[name] = known
        refuse(label, text, f": {error}")
    return text


def requested(name: str) -> str | None:
    """The text of a parameter; None if the URL lacks it, or holds what `write_to_url` wrote."""
    now = session()
    if name not in now.asked:  # Streamlit takes long to say so
        return None
    text = st.query_params.get(name)
    return None if text == now.written.get(name) else text


def write_to_url(name: str, default: Any) -> None:
    """Write a choice into the URL; the default is left out."""
    now, text = session(), str(st.session_state[name])
    is_written_by_script, before = now.opening.get(name) == text, now.written.get(name)
    now.written[name] = None if text == str(default) else text
    if is_written_by_script:
        return
    if now.written[name] is None:
        if before is not None or name in now.asked:
            st.query_params.pop(name, None)
    elif st.query_params.get_all(name) != [text]:
        st.query_params[name] = text


def request_page(path: str, **places: object) -> None:
    """In a callback: ask for a page. places: the parameters of its URL that no bound widget has.

    Streamlit writes the parameters of bound widgets itself and refuses them here. At least one
    parameter is needed: without any, Streamlit would clear the URL, which it refuses as well.
    """
    session().requested_page = (path, {name: str(place) for name, place in places.items()})


def open_requested_page(bound: Iterable[str]) -> None:
    """Open the page that a callback asked for.

    bound: the names of bound widgets. The values that the callback set are set again on the new
    page: Streamlit sends them to the browser in the next run, and that run ends here.
    """
    now = session()
    if now.requested_page:
        path, places = now.requested_page
        now.requested_page, now.arrived = None, True
        st.switch_page(path, query_params=places)
    if now.arrived:
        now.arrived = False
        st.session_state.update(
            {name: st.session_state[name] for name in bound if name in st.session_state}
        )


def leave_old_url(url_path: str) -> None:
    """At a URL of an earlier version, open the present URL of the page with the same choices."""
    if url_path in OLD_URLS:
        page, asked = page_now(url_path, session().asked)
        st.switch_page(page.path, query_params=asked)
