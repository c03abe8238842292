"""The field of a search, and what is said of what it finds."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from attention_lab.search import MAX_LETTERS, PARTIAL, Texts, finds, respelled
from attention_viz.markdown import escape_markdown

from .url_state import draw_bound


def search_field(key: str, example: str, rows: Iterable[Texts]) -> str:
    """Draw a search field bound to the URL; give the words to look for in the texts of these rows.

    A word that no text holds counts as a typing error: the most similar word replaces it if more is
    found then, and the page says so.
    """
    typed = draw_bound(
        st.text_input,
        "Search",
        max_chars=MAX_LETTERS,
        key=key,
        placeholder=f"such as {example}",
        width=230,
        icon=":material/search:",
    )
    words = respelled(typed or "", rows)
    if words != (typed or ""):
        st.caption(
            f"Not found: “{escape_markdown(typed)}”. Results for “{escape_markdown(words)}”:",
            width=260,
        )
    return words


def note_partial(words: str, *shown: Texts) -> None:
    """Say of a search whose rows are shown, best first, that they do not hold every word."""
    if shown and not finds(words, *shown[0]):
        st.caption(PARTIAL)
