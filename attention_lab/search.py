"""The search in a long list: its spelling, and what it finds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache
from typing import TypeVar
from unicodedata import normalize

from .page_list import read_table

Row = TypeVar("Row")
Texts = tuple[str, ...]
MAX_LETTERS = 60  # of what is typed
PARTIAL = "Nothing holds every word. This holds most of them:"
NOTHING = "Nothing found. Try other or fewer words."
STOP_WORDS = (
    "a an and are at be by can do does for from how if in is it just mean my not of on only or"
    " should that the then has have need there they this to use used was we what when where which"
    " who why with work you"
)
SYMBOL_LETTERS = 2  # a word of at most two letters is a symbol and must match as a whole
# Fewer letters are found too often by chance across the end of one word and the start of the next.
MIN_COMPOUND_LETTERS = 6
MIN_RESPELLED_LETTERS = 4  # shorter words are similar to too many others
# As `difflib` counts: a word of four letters with two of them in the wrong order still fits.
MIN_SIMILARITY = 0.75
# Patterns of equivalent spellings, each with its common form; applied in this order.
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


def respelled(words: str, rows: Iterable[Texts]) -> str:
    """The words of a search; of those that no text holds, each is replaced by the most similar one
    if a row holds more of the search then.

    >>> respelled("sotfmax of quries", [("The softmax of a query", "queries")])
    'softmax of queries'
    >>> respelled("softmax banana", [("The softmax of a query",)])
    'softmax banana'
    >>> respelled("next word", [("a text",), ("a word",)])
    'next word'
    """
    if not words.strip():
        return words
    listed = list(rows)
    folded = [_folded(text) for texts in listed for text in texts]
    whole = " ".join([*folded, *(" ".join(key) for key in _synonyms())])
    vocabulary = sorted({word for word in whole.split() if len(word) >= MIN_RESPELLED_LETTERS})
    joined = whole.replace(" ", "")
    typed = spelt = _words(words)
    for place, word in enumerate(typed):
        if not _stands(word, whole, joined) and (near := _nearest(word, vocabulary)):
            tried = (*spelt[:place], near[0], *spelt[place + 1 :])
            if _most_held(tried, listed) > _most_held(spelt, listed):
                spelt = tried
    return words if spelt == typed else " ".join(spelt)


def _most_held(words: Words, rows: Iterable[Texts]) -> int:
    """How many parts of a search the row holds that holds most of them."""
    return max((count_held(" ".join(words), *texts)[0] for texts in rows), default=0)


def _nearest(word: str, vocabulary: list[str]) -> list[str]:
    """The word of a vocabulary that is most like one, or none."""
    is_long = len(word) >= MIN_RESPELLED_LETTERS
    return get_close_matches(word, vocabulary, 1, MIN_SIMILARITY) if is_long else []


def finds(words: str, *texts: str) -> bool:
    """Whether the texts hold every word that is searched for, in any spelling.

    Superscripts, subscripts, British or American spelling, hyphens, underscores and endings make no
    difference. One or two letters match whole symbols only. Stop words are ignored. A synonym of
    the table counts as the word itself.

    >>> finds("dk softMAX", "The softmax of", "a width dₖ"), finds("softmax mask", "The softmax")
    (True, False)
    >>> finds("What are multihead softmaxes?", "A multi-head softmax"), finds("Wo",
    ...     "W_O"), finds("Wo", "a word")
    (True, True, False)
    """
    held, n_parts = count_held(words, *texts)
    return held == n_parts


def count_held(words: str, *texts: str) -> tuple[int, int]:
    """How many parts of a search the texts hold, and how many it has: see `finds`.

    >>> count_held("the softmax mask", "The softmax")
    (1, 2)
    """
    whole = _folded(" ".join(texts))
    joined = whole.replace(" ", "")

    def holds(part: Words) -> bool:
        return all(_stands(word, whole, joined) for word in _large(part) or part)

    parts = readings(_words(words), _synonyms())
    large = [part for part in parts if len(part) > 1 or _large(part[0])] or parts
    return sum(any(map(holds, part)) for part in large), len(large)


def best_matches(words: str, rows: Iterable[Row], texts: Callable[[Row], Texts]) -> tuple[Row, ...]:
    """The rows whose texts hold every word of a search, or most of it if none holds all. The more
    of it stands in the first text, which is the title, the earlier comes the row.

    >>> best_matches("sum heads instead of joining", ["heads are summed", "heads"],
    ...     lambda row: (row,))
    ('heads are summed',)
    >>> best_matches("mask", [("softmax", "a mask"), ("mask",)], lambda row: row)
    (('mask',), ('softmax', 'a mask'))
    """
    counted = [(row, *count_held(words, *texts(row))) for row in rows]
    most = max((held for _, held, _ in counted), default=0)
    found = [row for row, held, n_parts in counted if held == most and (most or not n_parts)]
    return tuple(sorted(found, key=lambda row: -count_held(words, texts(row)[0])[0]))


def _words(text: str) -> Words:
    return tuple(_folded(text).split())


def _large(words: Words) -> Words:
    """The words that are not stop words."""
    return tuple(word for word in words if word not in STOP_WORDS.split())


@lru_cache(maxsize=1)
def _synonyms() -> Synonyms:
    """All synonyms by the stems of what is typed."""
    known: dict[Words, list[Words]] = {}
    for row in read_table("synonyms"):
        known.setdefault(tuple(map(_stem, _words(row["typed"]))), []).append(_words(row["means"]))
    return known


def _stem(word: str) -> str:
    """The beginning that all forms of a word share."""
    return re.sub(r"(\w{3})(?:i?es|y|ix|ices|s|ings?|e?d|ations?|e)$", r"\1", word)


def _stands(word: str, whole: str, joined: str) -> bool:
    """Whether folded texts hold a word or another form of it. joined: the texts without spaces."""
    if len(word) <= SYMBOL_LETTERS:
        return re.search(rf"(?<!\w){word}(?!\w)", whole) is not None
    stem = _stem(word)
    return stem in whole or (len(stem) >= MIN_COMPOUND_LETTERS and stem in joined)


@lru_cache(maxsize=1024)
def _folded(text: str) -> str:
    folded = normalize("NFKC", text).casefold()
    for pattern, plainer in ALIKE:
        folded = re.sub(pattern, plainer, folded)
    return folded


Words = tuple[str, ...]
Synonyms = Mapping[Words, Sequence[Words]]


def readings(typed: Words, known: Synonyms) -> list[list[Words]]:
    """The parts of what is typed, each with its synonyms. Where parts overlap, the longest counts.

    >>> readings(("one", "or", "eight", "keys"), {("one", "or", "eight"): [("many",)]})
    [[('one', 'or', 'eight'), ('many',)], [('keys',)]]
    """
    longest = max(map(len, known), default=1)
    parts: list[list[Words]] = []
    start = 0
    while start < len(typed):
        tried = [typed[start : start + length] for length in range(longest, 0, -1)]
        part = next((one for one in tried if tuple(map(_stem, one)) in known), tried[-1])
        parts.append([part, *known.get(tuple(map(_stem, part)), ())])
        start += len(part)
    return parts
