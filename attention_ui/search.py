"""The search field of a long list, and what it finds."""

from __future__ import annotations

from unicodedata import normalize

import streamlit as st

from .address import bound

MOST_LETTERS = 60
SMALL_WORDS = (
    "a an and are at be by can do does for from how if in is it my of on or should that the then there they this to "
    "was what when where which who why with you"
)


def search_field(key: str, example: str) -> str:
    """Draw a search field, bound to the address; give what is searched for."""
    typed = bound(
        st.text_input, "Search", max_chars=MOST_LETTERS, key=key, placeholder=f"such as {example}", width=230,
        icon=":material/search:",
    )  # fmt: skip
    return typed or ""


def finds(words: str, *texts: str) -> bool:
    """Whether each word that is searched for stands in the texts; raised and lowered signs count as plain ones.

    Of a question the small words and the punctuation do not count.

    >>> finds("dk softMAX", "The softmax of", "a width dₖ"), finds("softmax mask", "The softmax")
    (True, False)
    >>> finds("What is the softmax?", "A softmax makes shares")
    True
    """
    whole = _folded(" ".join(texts))
    asked = [stripped for word in _folded(words).split() if (stripped := word.strip("?!.,;:()“”\"'’"))]
    large = [word for word in asked if word not in SMALL_WORDS.split()]
    return all(word in whole for word in large or asked)


def _folded(text: str) -> str:
    return normalize("NFKC", text).casefold()
