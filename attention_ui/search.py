"""The search field of a long list, and what it finds."""

from __future__ import annotations

import re
from functools import lru_cache
from unicodedata import normalize

import streamlit as st

from .synonyms import Synonyms, Words, readings, synonyms
from .url_state import bound

MOST_LETTERS = 60
SMALL_WORDS = (
    "a an and are at be by can do does for from how if in is it my of on or should that the then"
    " has have need there they this to was what when where which who why with you"
)
LONG_SYMBOL = 3  # letters; fewer are looked for as a whole word
# letters; fewer are found across the end of one word and the start of the next too often by chance
SHORT_COMPOUND = 6
# Ways to write the same, and what stands for all of them, in this order.
ALIKE = (
    (r"[_^]|[’']s?\b", ""),
    (r"sqrt\b", "√"),
    (r"[^\w√]+", " "),
    (r"√ ", "√"),
    (r"\bqkv\b", "q k v"),
    (r"\b(d|w) (k|v|q|o|model)\b", r"\1\2"),
    (r"(\w{3})our", r"\1or"),
    (r"centre", "center"),
    (r"i[sz](e|ing|ation)", r"is\1"),
)


def search_field(key: str, example: str) -> str:
    """Draw a search field, bound to the address; give what is searched for."""
    typed = bound(
        st.text_input,
        "Search",
        max_chars=MOST_LETTERS,
        key=key,
        placeholder=f"such as {example}",
        width=230,
        icon=":material/search:",
    )
    return typed or ""


def finds(words: str, *texts: str) -> bool:
    """Whether each word that is searched for stands in the texts, however it is spelt.

    Raised and lowered signs count as plain ones, British spelling as American; hyphens, underscores
    and endings do not count. One or two letters are a symbol, and no part of a word. Of a question
    the small words do not count. For what is typed may stand what the table of synonyms has for it.

    >>> finds("dk softMAX", "The softmax of", "a width dₖ"), finds("softmax mask", "The softmax")
    (True, False)
    >>> finds("What are multihead softmaxes?", "A multi-head softmax"), finds("Wo",
    ...     "W_O"), finds("Wo", "a word")
    (True, True, False)
    """
    whole = _folded(" ".join(texts))
    joined = whole.replace(" ", "")

    def holds(part: Words) -> bool:
        return all(_stands(word, whole, joined) for word in _large(part) or part)

    parts = readings(_words(words), _synonyms(), _stem)
    large = [part for part in parts if len(part) > 1 or _large(part[0])]
    return all(any(map(holds, part)) for part in large or parts)


def _words(text: str) -> Words:
    return tuple(_folded(text).split())


def _large(words: Words) -> Words:
    """Those that count in a question."""
    return tuple(word for word in words if word not in SMALL_WORDS.split())


@lru_cache(maxsize=1)
def _synonyms() -> Synonyms:
    return synonyms(_words, _stem)


def _stem(word: str) -> str:
    """What all forms of a word begin with."""
    return re.sub(r"(\w{3})(?:i?es|y|ix|ices|s|ings?|e?d|ations?|e)$", r"\1", word)


def _stands(word: str, whole: str, joined: str) -> bool:
    """Whether a word, or another form of it, stands in folded texts, which are also given
    without their spaces.
    """
    if len(word) < LONG_SYMBOL:
        return re.search(rf"(?<!\w){word}(?!\w)", whole) is not None
    stem = _stem(word)
    return stem in whole or (len(stem) >= SHORT_COMPOUND and stem in joined)


@lru_cache(maxsize=1024)
def _folded(text: str) -> str:
    folded = normalize("NFKC", text).casefold()
    for pattern, plainer in ALIKE:
        folded = re.sub(pattern, plainer, folded)
    return folded
