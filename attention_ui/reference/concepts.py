"""The ideas of the five texts, each with the page and the state of the app in which it can be seen."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from attention_core.diagonal.claims import TEXTS

from ..markdown import plain
from ..registry import page_of
from ..search import finds

FILE = Path(__file__).parent.parent.parent / "assets" / "concepts.csv"


@dataclass(frozen=True)
class Concept:
    """What a text says, in our words, and where to see it. It need not be true: that is what the claims are about.

    text: its key in `TEXTS`. number: its place among the text's concepts. page, query: the address, without "?".
    look: what to look at there.
    """

    text: str
    number: int
    says: str
    page: str
    query: str
    look: str

    @property
    def address(self) -> str:
        """The address beside that of any other page of the app."""
        return f"{self.page}?{self.query}" if self.query else self.page


@lru_cache(maxsize=1)
def concepts() -> tuple[Concept, ...]:
    """Every concept, text by text, as the file has them."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return tuple(
            Concept(row["text"], int(row["number"]), row["concept"], row["page"], row["query"], row["look"])
            for row in csv.DictReader(file)
        )


def found(words: str, texts: list[str]) -> tuple[Concept, ...]:
    """The concepts that hold every word, of the chosen texts or, where none is chosen, of all."""
    return tuple(
        one
        for one in concepts()
        if one.text in (texts or TEXTS) and finds(words, one.says, one.look, page_of(one.page).title)
    )


def concept_table(shown: tuple[Concept, ...]) -> str:
    """Concepts as a Markdown table; each page's name is a link, which the browser opens in a new tab.

    `st.page_link` cannot hand on the parameters of bound widgets, which is what most of these states are made of.
    """
    lines = ["| | what the text says | where to see it |", "|--:|---|---|"]
    for one in shown:
        link = f"[{plain(page_of(one.page).title)}]({one.address})"
        lines.append(f"| {one.number} | {plain(one.says)} | **{link}:** {plain(one.look)} |")
    return "\n".join(lines)
