"""The page *What learners ask*: questions, ideas and claims in one list with one search. Questions
and ideas have links to the pages that show them, claims a verdict and a check.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import product

from attention_lab.diagonal.claims.catalogue import CLAIMS, TEXTS, Claim
from attention_lab.page_list import page_of
from attention_lab.questions import (
    ASKED,
    PAGE,
    PAPER,
    WORD,
    Entry,
    QuestionsFacts,
    find_entries,
    learner_questions,
    questions_facts,
    searched_texts,
)
from attention_lab.search import (
    MAX_LETTERS,
    NOTHING,
    PARTIAL,
    Texts,
    finds,
    respelled,
)

from .. import blocks as b
from ..block_page import page_of_facts
from ..markdown import escape_markdown
from ..page_choices import Several, Words
from ..story.story_view import StoryView
from .claims import BADGES, TEXT_LABELS, VERDICTS, claim_table, verdict_bars

FEW = 12  # entries, which are all shown at once
WORDS = Words("concepts_words", "Search", "", most=MAX_LETTERS, help="Such as softmax.")
TEXT = Several(
    "concepts_text",
    "From",
    (),
    {ASKED: "Learners"} | {text: TEXT_LABELS[text] for text in TEXTS},
)
VERDICT = Several(
    "verdict", "Claims that are", (), {one: name for one, (name, _) in VERDICTS.items()}
)
KINDS = {ASKED: "question", PAGE: "page", WORD: "word", PAPER: "paper"}
TITLES = {ASKED: "What learners ask"} | TEXTS


def _found(values: b.Values) -> tuple[str, tuple[Entry | Claim, ...]]:
    """The words as they are spelled here, and what is found."""
    words = respelled(values[WORDS.key], searched_texts())
    return words, find_entries(words, values[TEXT.key], values[VERDICT.key])


def _facts(_: StoryView, values: b.Values) -> QuestionsFacts:
    return questions_facts(_found(values)[1])


def _blocks(_: StoryView, values: b.Values, facts: QuestionsFacts) -> Sequence[b.Block]:
    """The search with the best of what it finds; the filters; the chart of all verdicts, and what
    is found, text by text.
    """
    typed, (words, shown) = values[WORDS.key], _found(values)
    asks_for_claims = bool(values[VERDICT.key]) and not (typed or values[TEXT.key])
    clicks = {
        f"{text} {verdict}": {TEXT.key: (text,), VERDICT.key: (verdict,), WORDS.key: ""}
        for text, verdict in product(TEXTS, VERDICTS)
    }
    chart: list[b.Block] = [
        b.Chart(verdict_bars(CLAIMS), "verdicts", clicks),
        b.caption("Click a part of a bar to list these claims."),
    ]
    best = [ranked_table(shown[:FEW])] if typed and shown else []
    return [
        b.row(values, WORDS),
        *search_notes(typed, words, [one.searched for one in shown]),
        *best,
        b.Text(
            "Questions and ideas have a link to a page, set up so that you see the answer. Claims"
            " are :green[**always**] true, true :orange[**under a condition**] or :red[**false**];"
            " each has the correct statement and a computation that checks it now."
        ),
        b.row(values, TEXT, VERDICT),
        b.Text(
            "Questions: **{}** of {}. Ideas of five texts: **{}** of {}. Claims: **{}** of"
            " {}.".format(*facts.asked, *facts.ideas, *facts.claims)
        ),
        b.Folded("The verdicts, text by text", chart, opened=asks_for_claims),
        *_of_texts(shown, opened=not best or isinstance(shown[0], Claim)),
        b.caption(
            "Ideas are what the texts say, true or not, in our words. Claims that are often said"
            " are put in our words; those of papers and texts in theirs or in fewer."
            f" Sentences marked *ours*: {facts.ours}. They stand in no text: they say what a text"
            " does with its letters and formulas, or what a reader may conclude. A difference that"
            " is only rounding is shown as 0."
        ),
    ]


def ranked_table(shown: Iterable[Entry | Claim]) -> b.Table:
    """What a search finds, best first, whatever it is, with where to see it."""
    rows = []
    for one in shown:
        kind = KINDS.get(one.text, TEXT_LABELS.get(one.text, ""))
        if isinstance(one, Claim):
            check = f"[checked](questions?{WORDS.key}={one.id})"
            said = f"“{escape_markdown(one.statement)}” {BADGES[one.status]}"
            rows.append([said, f"{escape_markdown(one.correction)} ({check})", kind])
        else:
            link = f"**[{_name_of(one)}]({one.url})**"
            seen = f"{link}: {escape_markdown(one.look)}" if one.look else link
            rows.append([escape_markdown(one.sentence), seen, kind])
    return b.Table(["found", "the answer, or where to see it", "what it is"], rows, words=True)


def _of_texts(shown: Sequence[Entry | Claim], opened: bool) -> list[b.Block]:
    """What is found of each text. opened: the first one, and all if they are few."""
    parts: list[b.Block] = []
    for text, title in TITLES.items():
        if mine := [one for one in shown if one.text == text]:
            is_open = opened and (not parts or len(shown) <= FEW)
            parts.append(b.Folded(f"{title}: {len(mine)}", partial(_tables, mine), is_open))
    return parts


def _tables(mine: Sequence[Entry | Claim]) -> list[b.Block]:
    """The questions or ideas of a text, and its claims, whose checks run now."""
    entries = [one for one in mine if isinstance(one, Entry)]
    claims = [one for one in mine if isinstance(one, Claim)]
    tables = [entry_table(entries)] if entries else []
    return [*tables, *([claim_table(claims)] if claims else [])]


def search_notes(typed: str, words: str, rows: Sequence[Texts]) -> list[b.Block]:
    """What is said of a search: words that were mended, and that little or nothing was found.
    rows: the texts of those that are shown, best first.
    """
    notes: list[b.Block] = []
    if words != typed:
        mended = f"Results for “{escape_markdown(words)}”:"
        notes.append(b.caption(f"Not found: “{escape_markdown(typed)}”. {mended}"))
    if not rows:
        notes.append(b.Text(NOTHING))
    elif not finds(words, *rows[0]):
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


ASKED_WORDS = Words("asked_words", "Search", "", most=MAX_LETTERS, help="Such as parameters.")


def asked_blocks(values: b.Values) -> list[b.Block]:
    """What learners ask, with its search, as a part of another page."""
    typed = values[ASKED_WORDS.key]
    words = respelled(typed, searched_texts())
    shown = find_entries(words)[:FEW] if typed else learner_questions()
    table = ranked_table(shown) if typed else entry_table(learner_questions())
    return [
        b.Heading("What learners ask"),
        b.row(values, ASKED_WORDS),
        *search_notes(typed, words, [one.searched for one in shown]),
        *([table] if shown else []),
    ]


def _name_of(entry: Entry) -> str:
    """What a link is called: the page; a claim, which stands in the list itself."""
    title = page_of(entry.page).title
    return "Claim" if entry.page == QUESTIONS.url_path else escape_markdown(title)


QUESTIONS = page_of_facts("questions", lambda _: (WORDS, TEXT, VERDICT), _facts, _blocks)
