"""Reading and writing the URL: widgets that Streamlit binds to it, and choices that we bind."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NoReturn

import streamlit as st

from attention_core import AttentionError

from .refusals import refuse
from .session import begin_run, session

PARAMETER_NAME = re.compile(r"[a-z]\w*", re.ASCII)
# The option of widgets that keep their value while another page is shown.
PERSISTENCE: dict[str, Any] = {"persist_state": "session"}
UNSET_PARAMETER = "unset"  # history.js writes here the names of choices that a step back removes


def read_url() -> None:
    """At the start of a run: note what the URL asks for. A run that was started anew keeps what the
    first one noted.

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
    if now.asked_at_first is None:
        now.taken_back, now.labels = taken_back, {}
    else:
        asked = now.asked_at_first
    now.asked, now.asked_at_first = asked, None


def rerun_without(name: str) -> NoReturn:
    """Remove a parameter from the URL that its widget could not take, and start the run anew."""
    now = session()
    now.asked_at_first = {one: texts for one, texts in now.asked.items() if one != name}
    del st.query_params[name]
    st.rerun()


def draw_bound(draw: Callable[..., Any], label: str, *given: Any, key: str, **about: Any) -> Any:
    """Draw a widget, such as `st.slider`, that Streamlit binds to the URL; gives its value."""
    session().labels[key] = label
    return draw(label, *given, key=key, bind="query-params", **about)


def restore(name: str, label: str, default: Any, read: Callable[[str], Any]) -> str | None:
    """Take a choice from the URL if the URL asks for a new one; gives the text in the URL.

    label: the name of the choice on the page. read: turns the text into the choice, or raises an
    AttentionError; then the choice stays, and the page says why.
    """
    now = session()
    if name in now.taken_back and now.written.get(name) is not None:
        st.session_state[name] = default
    known, text = st.session_state.setdefault(name, default), requested(name)
    if text is None:
        return None
    if len(texts := st.query_params.get_all(name)) > 1:
        refuse(label, ", ".join(texts), "; the last of them counts", texts[-1])
    try:
        st.session_state[name] = read(text)
    except AttentionError as error:
        st.session_state[name] = known
        refuse(label, text, f": {error}", known)
    return text


def requested(name: str) -> str | None:
    """The text of a parameter; None if the URL lacks it, or holds what `write_to_url` wrote."""
    text = st.query_params.get(name)
    if text == session().written.get(name):
        return None
    return text


def write_to_url(name: str, default: Any) -> None:
    """Write a choice into the URL; the default is left out."""
    text: str | None = str(st.session_state[name])
    is_written_by_script = session().opening.get(name) == text
    if text == str(default):
        text = None
    session().written[name] = text
    if is_written_by_script:
        return
    if text is None:
        st.query_params.pop(name, None)
    elif st.query_params.get_all(name) != [text]:
        st.query_params[name] = text
