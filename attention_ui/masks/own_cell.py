"""A chosen query and key for a page whose sequences are not that of the sidebar; in the address
like the focus.
"""

from __future__ import annotations

import re

import streamlit as st

from attention_core import SettingsError

from ..facts import fact
from ..url_state import restore, write_to_url

FIRST = "0.0"
FORM = re.compile(r"[0-9]{1,2}\.[0-9]{1,2}")


def own_cell(name: str, n_queries: int, n_keys: int) -> tuple[int, int]:
    """The query and the key that were clicked on this page; where there are fewer, the last,
    which is said.
    """
    restore(name, "Cell", FIRST, _checked)
    write_to_url(name, FIRST)
    query, key = map(int, st.session_state[name].split("."))
    with st.container():  # one place for both, so that what stands below keeps its own
        return at_most("query", query, n_queries - 1), at_most("key", key, n_keys - 1)


def at_most(word: str, chosen: int, last: int) -> int:
    """The chosen one, or the last where there are fewer, which is said."""
    if chosen > last:
        fact(f"last_{word}_instead", last)
        st.caption(f"There is no {word} {chosen} here: the last one, {last}, is shown.")
    return min(chosen, last)


def choose_cell(name: str, query: int, key: int) -> None:
    """In a callback: make a query and a key the chosen ones."""
    st.session_state[name] = f"{min(query, 99)}.{min(key, 99)}"


def _checked(text: str) -> str:
    if not FORM.fullmatch(text):
        raise SettingsError(
            "A cell is two whole numbers with a dot between them, so the cell shown stays"
        )
    return text
