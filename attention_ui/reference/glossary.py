"""Words that have no symbol, in plain words, each with the page on which it can be seen."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from ..markdown import plain
from ..registry import page_of
from ..search import finds
from .lists import rows_of


@dataclass(frozen=True)
class Word:
    """A word and, in brackets, its other names; what it means; the URL path of the page that
    shows it.
    """

    word: str
    meaning: str
    page: str


@lru_cache(maxsize=1)
def words() -> tuple[Word, ...]:
    """All of them, by the alphabet."""
    return tuple(Word(**row) for row in rows_of("words"))


def words_with(typed: str) -> tuple[Word, ...]:
    """Those that hold every word that is searched for."""
    return tuple(one for one in words() if finds(typed, one.word, one.meaning))


def word_table(shown: tuple[Word, ...]) -> str:
    """Words as a Markdown table."""
    lines = ["| word | what it is | where to see it |", "|---|---|---|"]
    lines += [
        f"| {plain(one.word)} | {plain(one.meaning)} |"
        f" [{plain(page_of(one.page).title)}]({one.page}) |"
        for one in shown
    ]
    return "\n".join(lines)
