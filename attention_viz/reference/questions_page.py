"""The page *What learners ask*: questions and ideas, with links to the pages that show them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attention_lab.diagonal.claims.catalogue import TEXTS
from attention_lab.page_list import page_of
from attention_lab.questions import ASKED, Entry, concepts, find_entries, learner_questions
from attention_lab.search import MAX_LETTERS, NOTHING, PARTIAL, Texts, finds, respelled

from ..blocks import Block, BlockPage, Heading, Several, Table, Text, Values, Words, row
from ..markdown import escape_markdown
from ..story.story_view import StoryView

WORDS = Words("concepts_words", "Search", "", most=MAX_LETTERS, help="Such as softmax.")


def _texts() -> dict[str, str]:
    titles = {one.text: f"{TEXTS[one.text]} ({one.text})" for one in concepts()}
    return {ASKED: "What learners ask"} | titles


def _text() -> Several:
    return Several("concepts_text", "Text", (), _texts())


def _blocks(_: StoryView, values: Values) -> Sequence[Block]:
    """What is found, text by text."""
    listed = (*learner_questions(), *concepts())
    typed = values[WORDS.key]
    words = respelled(typed, (one.searched for one in listed))
    shown = find_entries(words, list(values["concepts_text"]))
    n_asked = sum(one.text == ASKED for one in shown)
    blocks: list[Block] = [
        Text(
            f"Questions: **{n_asked}** of {len(learner_questions())}. Ideas of five texts:"
            f" **{len(shown) - n_asked}** of {len(concepts())}. Each has a link to a page, set up"
            " so that you see the answer."
        ),
        row(values, WORDS, _text()),
        *search_notes(typed, words, [one.searched for one in shown]),
    ]
    for text, heading in _texts().items():
        if mine := [one for one in shown if one.text == text]:
            blocks += [Heading(heading), entry_table(mine)]
    return [
        *blocks,
        Text(
            "The ideas are what the texts say, true or not, in our words. The page"
            " [Claims](claims) shows which of them are false and which hold only under a"
            " condition.",
            small=True,
        ),
    ]


def search_notes(typed: str, words: str, found: Sequence[Texts]) -> list[Block]:
    """What is said of a search: words that were mended, and that little or nothing was found.
    found: the texts of the rows that are shown, best first.
    """
    notes: list[Block] = []
    if words != typed:
        mended = f"Results for “{escape_markdown(words)}”:"
        notes.append(Text(f"Not found: “{escape_markdown(typed)}”. {mended}", small=True))
    if not found:
        notes.append(Text(NOTHING))
    elif not finds(words, *found[0]):
        notes.append(Text(PARTIAL, small=True))
    return notes


def entry_table(shown: Iterable[Entry]) -> Table:
    """Questions, or ideas of a text, with a link for each."""
    entries = list(shown)
    kind = {ASKED: "question"}.get(entries[0].text, "what the text says")
    rows = [
        [
            str(one.number),
            escape_markdown(one.sentence),
            f"**[{escape_markdown(page_of(one.page).title)}]({one.url}):**"
            f" {escape_markdown(one.look)}",
        ]
        for one in entries
    ]
    return Table(["no.", kind, "where to see it"], rows, words=True)


QUESTIONS = BlockPage("questions", lambda _: (WORDS, _text()), _blocks)
