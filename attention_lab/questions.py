"""What learners ask, the ideas of the five texts, each with a link to the page that shows it, and
claims, each with a check: one list, one search.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache

from .diagonal.claims.catalogue import CLAIMS, Claim
from .page_list import PAGES, Page, page_of, read_table
from .search import best_matches

ASKED = "asked"  # the `text` of a question
N_RELATED = 3  # questions below a page


@dataclass(frozen=True)
class Entry:
    """A question that learners ask, or an idea of a text in our words, and where to see it.

    An idea need not be true: that is what the claims are about. text: its key in `TEXTS`, or
    `ASKED`. number: its place in the list of that text. page, query: the URL, without "?". look:
    what to look at there. asked_on: the URL paths of the pages below which the question stands.
    """

    text: str
    number: int
    sentence: str
    page: str
    query: str
    look: str
    asked_on: tuple[str, ...] = ()

    @property
    def url(self) -> str:
        """The URL, relative to that of any page of the app."""
        return f"{self.page}?{self.query}".removesuffix("?")

    @property
    def searched(self) -> tuple[str, ...]:
        """The texts that a search reads."""
        return self.sentence, self.look, page_of(self.page).title


def _entry(
    text: str, number: int, sentence: str, row: dict[str, str], asked_on: tuple[str, ...] = ()
) -> Entry:
    return Entry(text, number, sentence, row["page"], row["query"], row["look"], asked_on)


@cache
def concepts() -> tuple[Entry, ...]:
    """Every idea, text by text, in the order of the file."""
    return tuple(
        _entry(row["text"], int(row["number"]), row["concept"], row)
        for row in read_table("concepts")
    )


@cache
def learner_questions() -> tuple[Entry, ...]:
    """What learners ask in forums and the authors of code and tools, from the layer's first step
    to its last.
    """
    return tuple(
        _entry(ASKED, number, row["question"], row, tuple((row["asked_on"] or "").split()))
        for number, row in enumerate(read_table("questions"), 1)
    )


def every_entry() -> tuple[Entry | Claim, ...]:
    """The whole list: questions, then ideas, then claims."""
    return (*learner_questions(), *concepts(), *CLAIMS)


def related_questions(page: Page) -> tuple[Entry, ...]:
    """Questions that concern a page, at least two and at most `N_RELATED`.

    First those that name the page, then those that it answers, then those of its section.
    """
    section = {other.url_path for other in PAGES if other.section == page.section}
    wanted = (
        *(one for one in learner_questions() if page.url_path in one.asked_on),
        *(one for one in learner_questions() if page.url_path == one.page),
        *(one for one in learner_questions() if one.page in section),
        *learner_questions(),
    )
    named = sum(page.url_path in one.asked_on for one in learner_questions())
    return tuple(dict.fromkeys(wanted))[: min(max(named, 2), N_RELATED)]


def find_entries(
    words: str, texts: Collection[str] = (), verdicts: Collection[str] = ()
) -> tuple[Entry | Claim, ...]:
    """The questions, ideas and claims that hold every word, or most of them, of some texts or, with
    none named, of all. verdicts: if any are named, only claims that have one of them.
    """
    chosen = [one for one in every_entry() if one.text in texts or not texts]
    if verdicts:
        chosen = [one for one in chosen if isinstance(one, Claim) and one.status in verdicts]
    return best_matches(words, chosen, lambda one: one.searched)
