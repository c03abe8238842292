"""The search field of a long list, and what it finds."""

from __future__ import annotations

from unicodedata import normalize

import streamlit as st

from .address import bound

MOST_LETTERS = 60


def search_field(key: str, example: str) -> str:
    """Draw a search field, bound to the address; give what is searched for."""
    typed = bound(
        st.text_input, "Search", max_chars=MOST_LETTERS, key=key, placeholder=f"such as {example}", width=230,
        icon=":material/search:",
    )  # fmt: skip
    return typed or ""


def finds(words: str, *texts: str) -> bool:
    """Whether each word that is searched for stands in the texts; raised and lowered signs count as plain ones.

    >>> finds("dk softMAX", "The softmax of", "a width dₖ"), finds("softmax mask", "The softmax")
    (True, False)
    """
    whole = _folded(" ".join(texts))
    return all(word in whole for word in _folded(words).split())


def _folded(text: str) -> str:
    return normalize("NFKC", text).casefold()
