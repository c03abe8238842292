"""The choice of some heads, kept in the URL."""

from __future__ import annotations

from functools import partial

import streamlit as st

from attention_core import SettingsError

from ..url_state import parse_place, refuse, restore, set_if_changed, write_to_url

MAX_HEADS_TEXT = 200  # of heads in the URL


def choose_heads(name: str, label: str, n_heads: int, help: str) -> tuple[int, ...]:
    """Draw one switch for each head; return the heads that are on. The URL holds them as "0.2.3".

    Heads that the layer does not have are left out, with a message if the URL named them.
    """
    asked = restore(name, label, "", _from_url)
    heads = _as_numbers(st.session_state[name])
    if asked is not None and any(head >= n_heads for head in heads):
        last = n_heads - 1
        refuse(label, asked, f"; the last head here is {last}")
    key = f"switches {name}"
    on = [head for head in heads if head < n_heads]
    set_if_changed(key, on)
    chosen = st.pills(
        label,
        range(n_heads),
        selection_mode="multi",
        default=on,
        key=key,
        help=help,
        on_change=partial(_keep, name, key),
    )
    write_to_url(name, "")
    return tuple(sorted(chosen))


def _keep(name: str, key: str) -> None:
    """In a callback: hold the chosen heads as text."""
    st.session_state[name] = ".".join(map(str, sorted(st.session_state[key])))


def _as_numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(".") if part]


def _from_url(given: str) -> str:
    """The heads in order, each once. Raises: SettingsError."""
    parts = [part for part in given.split(".") if given]
    is_readable = len(given) <= MAX_HEADS_TEXT
    if not is_readable or not all(part.isascii() and part.isdigit() for part in parts):
        raise SettingsError("Heads are numbers with dots between, such as 0.2; the choice stays")
    return ".".join(map(str, sorted({parse_place(part) for part in parts})))
