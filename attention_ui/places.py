"""Places counted from 0 (heads, tokens, features, layers) as choices that the address mirrors."""

from __future__ import annotations

import streamlit as st

from attention_core import SettingsError

from .address import adopt, refuse, wish

LARGEST = 4096


def adopt_place(name: str, default: int, count: int) -> None:
    """Take over a place from 0 to count - 1; a later one becomes the last, which is said if the address asked for it.

    After a quick change the browser still sends a select box's old words, "3 · street".
    """
    asked = wish(name)
    adopt(name, default, place_in)
    number = str(st.session_state[name]).split()[0]
    place = int(number) if number.isdigit() else default
    st.session_state[name] = last = min(place, count - 1)
    if asked is not None and last < place:
        refuse(name, asked, f"; the last one, {last}, is shown")


def place_in(text: str) -> int:
    """The number in an address; larger ones than anything has are taken for the largest.

    Raises: SettingsError for what is no number from 0.
    """
    if text.isascii() and text.isdigit():
        return min(int(text.lstrip("0")[:5] or 0), LARGEST)  # five digits say enough, thousands take Python long
    raise SettingsError("A place is a whole number from 0, so the place shown stays")
