"""What learners ask, the ideas of the five texts, each with a link to the page that shows it, and
claims, each with a check: one list, one search, which also finds pages, words and papers.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache

from .diagonal.claims.catalogue import CLAIMS, Claim
from .home import read_table
from .page_list import PAGES, Page, page_of
from .search import Texts, best_matches
from .words.numbers import Count

ASKED = "asked"  # the `text` of a question
PAGE, WORD, PAPER = "page", "word", "paper"  # what only a search finds, as it has a page of its own
# A question or a page answers; an idea or a claim is about what a text says.
COUNTS = {ASKED: 1.0, PAGE: 1.0, PAPER: 0.5}
COUNTS_OTHERWISE = 0.6
N_FIRST, FIRST = 24, 1.15  # the first questions are those of a beginner
N_RELATED = 3  # questions below a page


@dataclass(frozen=True)
class Entry:
    """A question that learners ask, an idea of a text in our words, a page, a word of the glossary
    or a paper, and where to see it.

    An idea need not be true: that is what the claims are about. text: its key in `TEXTS`, or
    `ASKED`. number: its place in the list of that text. page, query: the URL, without "?". look:
    what to look at there. asked_on: the URL paths of the pages below which the question stands.
    also: other words with which it is asked.
    """

    text: str
    number: int
    sentence: str
    page: str
    query: str
    look: str
    asked_on: tuple[str, ...] = ()
    also: str = ""

    @property
    def url(self) -> str:
        """The URL, relative to that of any page of the app."""
        return f"{self.page}?{self.query}".removesuffix("?")

    @property
    def searched(self) -> tuple[str, ...]:
        """The texts that a search reads."""
        return self.sentence, self.also, self.look, _title(self.page)


@cache
def _title(url_path: str) -> str:
    return page_of(url_path).title


@cache
def concepts() -> tuple[Entry, ...]:
    """Every idea, text by text, in the order of the file."""
    return tuple(
        Entry(
            row["text"], int(row["number"]), row["concept"], row["page"], row["query"], row["look"]
        )
        for row in read_table("concepts")
    )


@cache
def learner_questions() -> tuple[Entry, ...]:
    """What learners ask in forums and the authors of code and tools, from the layer's first step
    to its last.
    """
    return tuple(
        Entry(
            ASKED,
            number,
            row["question"],
            row["page"],
            row["query"],
            row["look"],
            tuple(row["asked_on"].split()),
            row["also"],
        )
        for number, row in enumerate(read_table("questions"), 1)
    )


@cache
def _only_searched() -> tuple[Entry, ...]:
    """Pages, words of the glossary and papers, which have lists on pages of their own."""
    words = {row["page"]: row["words"] for row in read_table("page_words")}
    return (
        *(
            Entry(
                PAGE,
                n,
                f"{one.title}: {one.question}",
                one.url_path,
                "",
                "",
                (),
                words[one.url_path],
            )
            for n, one in enumerate(PAGES, 1)
        ),
        *(
            Entry(WORD, n, row["word"], row["page"], "", row["meaning"])
            for n, row in enumerate(read_table("words"), 1)
        ),
        *(
            Entry(
                PAPER,
                n,
                row["title"],
                "sources",
                "",
                f"{row['authors']} {row['year']}: {row['for']}",
            )
            for n, row in enumerate(read_table("papers"), 1)
        ),
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


def searched_texts() -> Iterator[Texts]:
    """The texts in which a search looks, row by row."""
    return (one.searched for one in (*every_entry(), *_only_searched()))


def find_entries(
    words: str, texts: Collection[str] = (), verdicts: Collection[str] = ()
) -> tuple[Entry | Claim, ...]:
    """The questions, ideas and claims of some texts or, with none named, of all, and then pages,
    words and papers too if words are searched: best first. verdicts: if any are named, only claims
    that have one of them.

    >>> [one.page for one in find_entries("why divide by sqrt(d)?")[:1]]
    ['scale']
    """
    listed = (*every_entry(), *(_only_searched() if words.strip() and not texts else ()))
    chosen = [one for one in listed if one.text in texts or not texts]
    if verdicts:
        chosen = [one for one in chosen if isinstance(one, Claim) and one.status in verdicts]
    return best_matches(words, chosen, lambda one: one.searched, _counts)


@dataclass(frozen=True)
class QuestionsFacts:
    """*What learners ask*: how many questions, ideas of the texts and claims are listed, each out
    of all; and how many of all claims stand in no text.
    """

    asked: tuple[Count, Count]
    ideas: tuple[Count, Count]
    claims: tuple[Count, Count]
    ours: Count


def questions_facts(shown: Collection[Entry | Claim]) -> QuestionsFacts:
    """What *What learners ask* says of what is listed."""
    entries = [one for one in shown if isinstance(one, Entry)]
    asked = sum(one.text == ASKED for one in entries)
    ideas = sum(one.text not in (ASKED, PAGE, WORD, PAPER) for one in entries)
    return QuestionsFacts(
        asked=(Count(asked), Count(len(learner_questions()))),
        ideas=(Count(ideas), Count(len(concepts()))),
        claims=(Count(len(shown) - len(entries)), Count(len(CLAIMS))),
        ours=Count(sum(one.is_ours for one in CLAIMS)),
    )


def _counts(one: Entry | Claim) -> float:
    first = isinstance(one, Entry) and one.text == ASKED and one.number <= N_FIRST
    return FIRST if first else COUNTS.get(one.text, COUNTS_OTHERWISE)
