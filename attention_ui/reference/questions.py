"""The ideas of the five texts, and what learners ask, each with the page and the state in which
it can be seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import streamlit as st

from ..facts import fact
from ..markdown import plain
from ..registry import page_of
from ..search import finds, search_field
from .lists import rows_of

ASKED = "asked"  # stands where a concept has the key of its text


@dataclass(frozen=True)
class Concept:
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
def concepts() -> tuple[Concept, ...]:
    """Every concept, text by text, as the file has them."""
    return tuple(
        Concept(
            row["text"], int(row["number"]), row["concept"], row["page"], row["query"], row["look"]
        )
        for row in rows_of("concepts")
    )


@lru_cache(maxsize=1)
def questions() -> tuple[Concept, ...]:
    """What learners ask, in forums and of the authors of code and tools, along the way through
    the layer.
    """
    return tuple(
        Concept(ASKED, number, row["question"], row["page"], row["query"], row["look"])
        for number, row in enumerate(rows_of("questions"), 1)
    )


@st.fragment
def ask() -> None:
    """Draw what learners ask, with a search, which alone runs again when one searches."""
    st.header("What learners ask", anchor=False)
    shown = found(search_field("asked_words", "parameters"), [ASKED])
    fact("questions_found", [one.number for one in shown])
    st.markdown(concept_table(shown) if shown else "Nothing fits: search for less.")


def found(words: str, texts: list[str]) -> tuple[Concept, ...]:
    """The concepts and questions that hold every word, of the chosen texts or, where none is
    chosen, all of them.
    """
    return tuple(
        one
        for one in (*questions(), *concepts())
        if (one.text in texts or not texts)
        and finds(words, one.says, one.look, page_of(one.page).title)
    )


def concept_table(shown: tuple[Concept, ...]) -> str:
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
