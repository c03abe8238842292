"""The ideas of the five texts, and what learners ask, each with the page and the state in which
it can be seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import streamlit as st

from ..facts import fact
from ..markdown import plain
from ..registry import page_of, rows_of
from ..search import finds, search_field

ASKED = "asked"  # stands where a concept has the key of its text


@dataclass(frozen=True)
class Entry:
    """What a text says, in our words, and where to see it. It need not be true: that is what the
    claims are about.

    Or a question, and where its answer is. text: its key in `TEXTS`, or `ASKED`. number: its place
    among the text's concepts. page, query: the address, without "?". look: what to look at there.
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
def concepts() -> tuple[Entry, ...]:
    """Every concept, text by text, as the file has them."""
    return tuple(
        Entry(
            row["text"], int(row["number"]), row["concept"], row["page"], row["query"], row["look"]
        )
        for row in rows_of("concepts")
    )


@lru_cache(maxsize=1)
def questions() -> tuple[Entry, ...]:
    """What learners ask, in forums and of the authors of code and tools, along the way through
    the layer.
    """
    return tuple(
        Entry(ASKED, number, row["question"], row["page"], row["query"], row["look"])
        for number, row in enumerate(rows_of("questions"), 1)
    )


@st.fragment
def ask() -> None:
    """Draw what learners ask, with a search, which alone runs again when one searches."""
    st.header("What learners ask", anchor=False)
    shown = found(search_field("asked_words", "parameters"), [ASKED])
    fact("questions_found", [one.number for one in shown])
    st.markdown(entry_table(shown) if shown else "Nothing fits: search for less.")


def found(words: str, texts: list[str]) -> tuple[Entry, ...]:
    """The concepts and questions that hold every word, of the chosen texts or, where none is
    chosen, all of them.
    """
    return tuple(
        one
        for one in (*questions(), *concepts())
        if (one.text in texts or not texts)
        and finds(words, one.says, one.look, page_of(one.page).title)
    )


def entry_table(shown: tuple[Entry, ...]) -> str:
    """Concepts of a text, at least one, as a Markdown table; each page's name is a link that opens
    in a new tab.

    `st.page_link` cannot hand on the parameters of bound widgets, which is what most of these
    states are made of.
    """
    said = "what is asked" if shown[0].text == ASKED else "what the text says"
    lines = [f"| | {said} | where to see it |", "|--:|---|---|"]
    for one in shown:
        link = f"[{plain(page_of(one.page).title)}]({one.address})"
        lines.append(f"| {one.number} | {plain(one.says)} | **{link}:** {plain(one.look)} |")
    return "\n".join(lines)
