"""The page *What learners ask*: questions, ideas and claims in one list with one search. Questions
and ideas have links to the pages that show them, claims a verdict and a check.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import product

from attention_lab.diagonal.claims.catalogue import CLAIMS, TEXTS, Claim
from attention_lab.page_list import page_of
from attention_lab.questions import (
    ASKED,
    Entry,
    concepts,
    every_entry,
    find_entries,
    learner_questions,
)
from attention_lab.search import (
    MAX_LETTERS,
    NOTHING,
    PARTIAL,
    Texts,
    best_matches,
    finds,
    respelled,
)

from .. import blocks as b
from ..markdown import escape_markdown
from ..story.story_view import StoryView
from .claims import OURS_NOTE, TEXT_LABELS, VERDICTS, claim_table, verdict_bars

FEW = 12  # entries, which are all shown at once
WORDS = b.Words("concepts_words", "Search", "", most=MAX_LETTERS, help="Such as softmax.")
TEXT = b.Several(
    "concepts_text",
    "From",
    (),
    {ASKED: "Learners"} | {text: TEXT_LABELS[text] for text in TEXTS},
)
VERDICT = b.Several(
    "verdict", "Claims that are", (), {one: name for one, (name, _) in VERDICTS.items()}
)
TITLES = {ASKED: "What learners ask"} | TEXTS


def _blocks(_: StoryView, values: b.Values) -> Sequence[b.Block]:
    """The filters, the chart of all verdicts, and what is found, text by text."""
    typed = values[WORDS.key]
    words = respelled(typed, (one.searched for one in every_entry()))
    shown = find_entries(words, values[TEXT.key], values[VERDICT.key])
    asks_for_claims = bool(values[VERDICT.key]) and not (typed or values[TEXT.key])
    clicks = {
        f"{text} {verdict}": {TEXT.key: (text,), VERDICT.key: (verdict,), WORDS.key: ""}
        for text, verdict in product(TEXTS, VERDICTS)
    }
    chart: list[b.Block] = [
        b.Chart(verdict_bars(CLAIMS), "verdicts", clicks),
        b.caption("Click a part of a bar to list these claims."),
    ]
    return [
        b.Text(
            "Questions and ideas have a link to a page, set up so that you see the answer. Claims"
            " are :green[**always**] true, true :orange[**under a condition**] or :red[**false**];"
            " each has the correct statement and a computation that checks it now."
        ),
        b.row(values, WORDS, TEXT, VERDICT),
        *search_notes(typed, words, [one.searched for one in shown]),
        b.Text(_counts(shown)),
        b.Folded("The verdicts, text by text", chart, opened=asks_for_claims),
        *_of_texts(shown),
        b.caption(
            "Ideas are what the texts say, true or not, in our words. Claims that are often said"
            " are put in our words; those of papers and texts in theirs or in fewer."
            f" {OURS_NOTE} A difference that is only rounding is shown as 0."
        ),
    ]


def _counts(shown: Sequence[Entry | Claim]) -> str:
    claims = sum(isinstance(one, Claim) for one in shown)
    asked = sum(one.text == ASKED for one in shown)
    return (
        f"Questions: **{asked}** of {len(learner_questions())}. Ideas of five texts:"
        f" **{len(shown) - asked - claims}** of {len(concepts())}. Claims: **{claims}** of"
        f" {len(CLAIMS)}."
    )


def _of_texts(shown: Sequence[Entry | Claim]) -> list[b.Block]:
    """What is found of each text, the first one open; all of them if that is little."""
    parts: list[b.Block] = []
    for text, title in TITLES.items():
        if mine := [one for one in shown if one.text == text]:
            opened = not parts or len(shown) <= FEW
            parts.append(b.Folded(f"{title}: {len(mine)}", partial(_tables, mine), opened))
    return parts


def _tables(mine: Sequence[Entry | Claim]) -> list[b.Block]:
    """The questions or ideas of a text, and its claims, whose checks run now."""
    entries = [one for one in mine if isinstance(one, Entry)]
    claims = [one for one in mine if isinstance(one, Claim)]
    tables = [entry_table(entries)] if entries else []
    return [*tables, *([claim_table(claims)] if claims else [])]


def search_notes(typed: str, words: str, found: Sequence[Texts]) -> list[b.Block]:
    """What is said of a search: words that were mended, and that little or nothing was found.
    found: the texts of the rows that are shown, best first.
    """
    notes: list[b.Block] = []
    if words != typed:
        mended = f"Results for “{escape_markdown(words)}”:"
        notes.append(b.caption(f"Not found: “{escape_markdown(typed)}”. {mended}"))
    if not found:
        notes.append(b.Text(NOTHING))
    elif not finds(words, *found[0]):
        notes.append(b.caption(PARTIAL))
    return notes


def entry_table(shown: Iterable[Entry]) -> b.Table:
    """Questions, or ideas of a text, with a link for each."""
    entries = list(shown)
    kind = {ASKED: "question"}.get(entries[0].text, "what the text says")
    rows = [
        [
            str(one.number),
            escape_markdown(one.sentence),
            f"**[{_name_of(one)}]({one.url}):** {escape_markdown(one.look)}",
        ]
        for one in entries
    ]
    return b.Table(["no.", kind, "where to see it"], rows, words=True)


ASKED_WORDS = b.Words("asked_words", "Search", "", most=MAX_LETTERS, help="Such as parameters.")


def asked_blocks(values: b.Values) -> list[b.Block]:
    """What learners ask, with its search, as a part of another page."""
    typed, every = values[ASKED_WORDS.key], learner_questions()
    words = respelled(typed, (one.searched for one in every))
    shown = best_matches(words, every, lambda one: one.searched)
    return [
        b.Heading("What learners ask"),
        b.row(values, ASKED_WORDS),
        *search_notes(typed, words, [one.searched for one in shown]),
        *([entry_table(shown)] if shown else []),
    ]


def _name_of(entry: Entry) -> str:
    """What a link is called: the page; a claim, which stands in the list itself."""
    title = page_of(entry.page).title
    return "Claim" if entry.page == QUESTIONS.url_path else escape_markdown(title)


QUESTIONS = b.BlockPage("questions", lambda _: (WORDS, TEXT, VERDICT), _blocks)
