"""The stage of a story page: its board with all words, which fits one window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from attention_lab.guesses import as_data, guess_beside
from attention_lab.notation.formulas import formula
from attention_lab.notation.notation import Notation, symbol
from attention_lab.page_list import Page, strip_pages
from attention_lab.sentences import embedding_of, tokens_of
from attention_viz import story
from attention_viz.payload import JSON
from attention_viz.sentence import with_sentence
from attention_viz.step_scene import Choice, Note, StepWords, stage_board, strip_board
from attention_viz.story.batch import BatchField

from .batch import batch_field, open_link, show_batch, with_batch
from .board import keep_board, show_board
from .controls import layer_notes, left_out_notes
from .lesson import lesson_place
from .page_context import PageContext
from .random_weights import by_hand_notes
from .url_state import session

# The names of boards in URLs with pinned cells, where they are not the URL path of the page.
BOARD_NAMES = {"projections": "projection", "overview": "layer"}
OVERVIEW_SENTENCE = "Point at a word; click an arc or a matrix."


def show_step(
    now: PageContext,
    field: str,
    board: JSON,
    more: str = "",
    also: str = "",
    choices: Sequence[Choice] = (),
    notes: Sequence[Note] = (),
    on_open: Callable[[str], None] | None = None,
) -> JSON:
    """Show the step that computes a field at the top of its page; gives the scene, for hand-outs.

    field: "" for the whole layer. more: LaTeX that is added to the formula. also: a sentence that
    is added to that of the step. notes: on the numbers; before them stands what of the sentence is
    left out, and what the last choice changed, which a hand-out leaves out. on_open: called with
    the link of a clicked matrix.
    """
    words = replace(_words(now, field, board, more, also), choices=choices, notes=notes)
    head = now.focus.head if "head" in session().page.looks_into else None
    board = with_sentence(board, now.stage, head, now.focus.query)
    left_out = left_out_notes(now.scenario, tokens_of(now.shown))
    changes = tuple(map(Note, (*left_out, *layer_notes(now.scenario))))
    notes = (*changes, *by_hand_notes(now), *notes)
    shown = stage_board(board, replace(words, notes=notes, **_in_lesson()))
    _show(now, shown, batch_field(now, field, board), on_open)
    return stage_board(board, words)


def _words(now: PageContext, field: str, board: JSON, more: str, also: str) -> StepWords:
    """The words of a step, without choices and notes."""
    page = session().page
    heads: dict[str, Any] = {}
    says, latex = _sentence_and_formula(now, field, more)
    if "head" in page.looks_into:
        heads = {"heads": now.trace.sizes["H"], "head": now.focus.head}
    return StepWords(
        title=page.title,
        question=page.question.replace("W_O", symbol("w_o", now.notation).plain),
        says=f"{says} {also}".strip(),
        formula=latex,
        steps=[(step.title, step.url_path) for step in strip_pages()],
        place=strip_pages().index(page),
        hide=bool(st.session_state.get("hide")),
        lecture=bool(st.session_state.get("present")),
        guess=_guess(now, field, board),
        **heads,
    )


def _in_lesson() -> dict[str, Any]:
    """What a lesson changes: its words take the place of the step's own sentence, which may hold
    the answer to its question.
    """
    lesson = lesson_place()
    return {"lesson": lesson, "says": ""} if lesson else {}


def _sentence_and_formula(now: PageContext, field: str, more: str) -> tuple[str, str]:
    """The sentence of a step, and its formula as LaTeX with what is added to it."""
    if not field:
        return OVERVIEW_SENTENCE, ""
    return now.trace.sentence(field), formula(now.trace, field, now.notation) + more


def _guess(now: PageContext, field: str, board: JSON) -> JSON | None:
    """The question beside the cell in focus, or None: a lesson has its own questions."""
    cell = board.get("cell")
    if session().lesson or not cell or cell["array"] != field:
        return None
    words, array = None, board["arrays"][field]
    if field == "inputs":
        embedding = embedding_of(now.shown)
        if story.is_sum_of_words(now.trace, embedding):
            words = embedding.words
    starts = array.get("start", [0] * len(array["shape"]))
    spans = [(start, start + n) for start, n in zip(starts, array["shape"], strict=True)][1:]
    names = _column_names(array, cell["index"])
    guess = guess_beside(now.trace, field, cell["index"], spans, words, names)
    return as_data(guess) | {"first": bool(st.session_state.get("guess"))} if guess else None


def _column_names(array: JSON, index: Sequence[int]) -> tuple[str, ...]:
    """The names of the columns of the matrix with a cell, if they have names."""
    names = array.get("names", {}).get(str(len(index) - 1), {"labels": [], "by": None})
    labels = names["labels"] if names["by"] is None else names["labels"][index[names["by"]]]
    return tuple(labels)


def _show(
    now: PageContext, stage: JSON, batch: BatchField | None, on_open: Callable[[str], None] | None
) -> None:
    """Show a stage, with the pictures of a batch, in the container at the top of the page."""
    name = _board_name(session().page)
    with session().stage_place:
        show_board(with_batch(now, stage, batch), name, open_link(on_open))
        show_batch(now, batch)
    session().is_headed = True


def keep_picture(page: Page) -> None:
    """Keep the last picture of a step that cannot be computed, greyed, below the message why."""
    with session().message_place:
        st.caption("In grey below: the last picture of this step, from before this choice.")
    with session().stage_place:
        keep_board(_board_name(page))
    session().is_headed = True


def _board_name(page: Page) -> str:
    return BOARD_NAMES.get(page.url_path, page.url_path)


def show_strip(text: Notation) -> None:
    """Show the strip of steps above a page of the story that has no stage."""
    place = strip_pages().index(session().page)
    steps = [(step.title, step.url_path) for step in strip_pages()]
    summary = session().page.url_path == "seen"
    is_column, lecture = text.convention == "column", bool(st.session_state.get("present"))
    strip = strip_board(steps, place, is_column, summary, lecture, lesson_place())
    show_board(strip, "strip")


def projection_choice(chosen: str) -> tuple[Choice]:
    """The choice between queries, keys and values on a stage."""
    return (Choice("which", "Which of the three", tuple(story.PROJECTION_FACTORS), chosen),)
