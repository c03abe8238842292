"""Choices that no bound widget holds: kept in the session, mirrored to the address; a changed address wins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from attention_core import AttentionError

from .markdown import plain

REFUSED = "refused wishes"


def adopt(name: str, default: Any, read: Callable[[str], Any]) -> None:
    """Take over what came by the address, or keep what is known and say why.

    read: makes the choice of the text in the address. Raises: AttentionError for a text that says nothing.
    """
    known, given = st.session_state.setdefault(name, default), wish(name)
    if given is None:
        return
    try:
        st.session_state[name] = read(given)
    except AttentionError as error:
        st.session_state[name] = known
        refuse(name, given, f": {error}")


def wish(name: str) -> str | None:
    """What the address newly asks for; None where it says nothing, or what was written there by `mirror`."""
    given = st.query_params.get(name)
    return None if given == st.session_state.get(f"url {name}") else given


def refuse(name: str, asked: str, answer: str) -> None:
    """Keep for `say_refused` that the address asks for what there cannot be; answer: what is shown instead, or why."""
    sentence = f"The address asks for {plain(name)} “{plain(asked[:40])}”{plain(answer)}."
    st.session_state.setdefault(REFUSED, []).append(sentence)


def say_refused() -> None:
    """Say what was refused, at the end of a run: what is said in a run that starts anew half-way is lost."""
    for sentence in st.session_state.pop(REFUSED, []):
        st.toast(sentence)


def mirror(name: str, default: Any) -> None:
    """Write a choice into the address; the default is left out."""
    shown = str(st.session_state[name])
    if shown == str(default):
        if name in st.query_params:
            del st.query_params[name]
    elif shown != st.query_params.get(name):
        st.query_params[name] = shown
    st.session_state[f"url {name}"] = shown if shown != str(default) else None
