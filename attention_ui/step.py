"""The stage of a story page: its board with all words, which fits one window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import streamlit as st

from attention_lab.guesses import as_data, first_guess
from attention_lab.notation.formulas import formula
from attention_lab.notation.notation import Notation, symbol
from attention_lab.sentences import embedding_of, tokens_of
from attention_viz import story
from attention_viz.payload import JSON
from attention_viz.step_scene import Choice, Note, StepWords, stage_board, strip_board
from attention_viz.story.batch import BatchField

from .batch import batch_field, open_link, show_batch, with_batch
from .board import show_board
from .controls import layer_notes, sentence_notes
from .page_context import PageContext
from .registry import strip_pages
from .url_state import session

# The names of boards in URLs with pinned cells, where they are not the URL path of the page.
BOARD_NAMES = {"projections": "projection", "overview": "layer"}
OVERVIEW_SENTENCE = (
    "Every number is real and computed from your sentence: click a matrix to open its step."
)


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
    is added to that of the step. notes: on the numbers; before them stand notes on the sentence and
    on what the last choice changed, which a hand-out leaves out. on_open: called with the link of a
    clicked matrix.
    """
    page, heads = session().page, {}
    says, latex = _sentence_and_formula(now, field, more)
    if "head" in page.looks_into:
        heads = {"heads": now.trace.sizes["H"], "head": now.focus.head}
    words = StepWords(
        title=page.title,
        question=page.question.replace("W_O", symbol("w_o", now.notation).plain),
        says=f"{says} {also}".strip(),
        formula=latex,
        steps=[(step.title, step.url_path) for step in strip_pages()],
        place=strip_pages().index(page),
        choices=choices,
        notes=notes,
        hide=bool(st.session_state.get("hide")),
        lecture=bool(st.session_state.get("present")),
        guess=_guess(now, field, board),
        **heads,
    )
    said = (
        *layer_notes(now.scenario),
        *tokens_of(now.shown).notes,
        *sentence_notes(now.scenario),
    )
    shown = stage_board(board, replace(words, notes=(*map(Note, said), *notes)))
    _show(now, shown, batch_field(now, field, board), on_open)
    return stage_board(board, words)


def _sentence_and_formula(now: PageContext, field: str, more: str) -> tuple[str, str]:
    """The sentence of a step, and its formula as LaTeX with what is added to it."""
    if not field:
        return OVERVIEW_SENTENCE, ""
    return now.trace.sentence(field), formula(now.trace, field, now.notation) + more


def _guess(now: PageContext, field: str, board: JSON) -> JSON | None:
    """The question that the stage asks about the cell in focus, or None if there is none."""
    cell = board.get("cell")
    if not st.session_state.get("guess", True) or not cell or cell["array"] != field:
        return None
    words = None
    if field == "inputs":
        embedding = embedding_of(now.shown)
        if story.is_sum_of_words(now.trace, embedding):
            words = embedding.words
    guess = first_guess(now.trace, field, cell["index"], words)
    return as_data(guess) if guess else None


def _show(
    now: PageContext, stage: JSON, batch: BatchField | None, on_open: Callable[[str], None] | None
) -> None:
    """Show a stage, with the pictures of a batch, in the container at the top of the page."""
    path = session().page.url_path
    with session().stage_place:
        show_board(with_batch(now, stage, batch), BOARD_NAMES.get(path, path), open_link(on_open))
        show_batch(now, batch)
    session().is_headed = True


def show_strip(text: Notation) -> None:
    """Show the strip of steps above a page of the story that has no stage."""
    place = strip_pages().index(session().page)
    steps = [(step.title, step.url_path) for step in strip_pages()]
    summary = session().page.url_path == "seen"
    show_board(strip_board(steps, place, text.convention == "column", summary), "strip")


def projection_choice(chosen: str) -> tuple[Choice]:
    """The choice between queries, keys and values on a stage."""
    return (Choice("which", "Which of the three", tuple(story.PROJECTION_FACTORS), chosen),)
