"""A chosen query and key for a page whose sequences are not those of the sidebar; in the address like the focus."""

from __future__ import annotations

import re

import streamlit as st

from attention_core import SettingsError

from ..address import adopt, mirror
from ..focus import Focus

FORM = re.compile(r"[0-9]{1,2}\.[0-9]{1,2}")


def own_cell(name: str, focus: Focus, n_queries: int, n_keys: int) -> tuple[int, int]:
    """The query and the key that were clicked on this page, else those of the sidebar; the nearest that there are."""
    adopt(name, "", _checked)
    mirror(name, "")
    query, key = map(int, str(st.session_state[name] or f"{focus.query}.{focus.key}").split("."))
    return min(query, n_queries - 1), min(key, n_keys - 1)


def choose_cell(name: str, query: int, key: int) -> None:
    """In a callback: make a query and a key the chosen ones."""
    st.session_state[name] = f"{min(query, 99)}.{min(key, 99)}"


def _checked(text: str) -> str:
    if not FORM.fullmatch(text):
        raise SettingsError("A cell is two whole numbers with a dot between them, so the cell shown stays")
    return text
