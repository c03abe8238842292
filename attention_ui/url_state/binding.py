"""The URL on its way in and out: widgets that Streamlit binds to it, and choices that we do."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NoReturn

import streamlit as st

from attention_core import AttentionError

from .refusals import refuse
from .session import begin_run, session

PARAMETER_NAME = re.compile(r"[a-z]\w*", re.ASCII)
# What a widget is given whose value stays while another page is shown.
KEPT: dict[str, Any] = {"persist_state": "session"}
UNSET_PARAMETER = "unset"  # the parameter by which history.js says what a step back takes back


def read_url() -> None:
    """At the start of a run: note what the URL asks for. In a run that was started anew, what it
    asked for at first.

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


def bound(draw: Callable[..., Any], label: str, *given: Any, key: str, **about: Any) -> Any:
    """Draw a widget, such as `st.slider`, that Streamlit binds to the URL; gives its value."""
    session().labels[key] = label
    return draw(label, *given, key=key, bind="query-params", **about)


def restore(name: str, label: str, default: Any, read: Callable[[str], Any]) -> str | None:
    """Take a choice from the URL if it asks for a new one; gives what it asks for.

    label: what the page calls the choice. read: makes it of the text in the URL, and raises an
    AttentionError for a text that means nothing; then the choice stays, and the page says why.
    """
    now = session()
    if name in now.taken_back and now.written.get(name) is not None:
        st.session_state[name] = default
    known, given = st.session_state.setdefault(name, default), requested(name)
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


def requested(name: str) -> str | None:
    """What the URL newly asks for; None where it says nothing, or what `write_to_url` wrote."""
    given = st.query_params.get(name)
    return None if given == session().written.get(name) else given


def write_to_url(name: str, default: Any) -> None:
    """Write a choice into the URL; the default is left out."""
    shown = str(st.session_state[name])
    if session().opening.get(name) == shown:
        pass  # a script writes it
    elif shown == str(default):
        if name in st.query_params:
            del st.query_params[name]
    elif st.query_params.get_all(name) != [shown]:
        st.query_params[name] = shown
    session().written[name] = shown if shown != str(default) else None
