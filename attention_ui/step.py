"""The stage of a story page: its board with all words, in one window, and what is chosen on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import streamlit as st

from attention_lab.notation.formulas import formula
from attention_lab.notation.notation import Notation, symbol
from attention_viz.payload import JSON
from attention_viz.step_scene import Choice, Note, StepWords, stage_board, strip_board
from attention_viz.story.batch import BatchField

from .batch import batch_field, open_link, show_batch, with_batch
from .board import show_board
from .controls import layer_notes
from .guessing import guess_data
from .page_context import PageContext
from .registry import strip_pages
from .stage_choices import PROJECTED_FIELDS
from .url_state import session

# What URLs with pinned cells call the board of a page, where not by the name of the page.
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
    """Show the step that computes a field, at the top of its page, wherever the page calls it;
    gives the scene, for hand-outs.

    field: "" for the whole layer. more: LaTeX that is added to the formula. also: a sentence that
    is added to what is said. notes: what is said of the numbers, after what the last choice did to
    them, which is news and no part of a hand-out. on_open: called with the link of a clicked
    matrix.
    """
    page = session().page
    words = StepWords(
        title=page.title,
        question=page.question.replace("W_O", symbol("w_o", now.notation).plain),
        says=f"{now.trace.sentence(field) if field else OVERVIEW_SENTENCE} {also}".strip(),
        formula=formula(now.trace, field, now.notation) + more if field else "",
        steps=[(step.title, step.url_path) for step in strip_pages()],
        place=strip_pages().index(page),
        choices=choices,
        notes=notes,
        heads=now.trace.sizes["H"] if "head" in page.looks_into else 1,
        head=now.focus.head if "head" in page.looks_into else 0,
        hide=bool(st.session_state.get("hide")),
        lecture=bool(st.session_state.get("present")),
        guess=guess_data(now, field, board) if st.session_state.get("guess", True) else None,
    )
    news = tuple(map(Note, layer_notes(now.scenario)))
    shown = stage_board(board, replace(words, notes=(*news, *notes)))
    _show(now, shown, batch_field(now, field, board), on_open)
    return stage_board(board, words)


def _show(
    now: PageContext, stage: JSON, batch: BatchField | None, on_open: Callable[[str], None] | None
) -> None:
    """Show a stage with what belongs to a batch, in the place of the page."""
    path = session().page.url_path
    with session().stage_place:
        show_board(with_batch(now, stage, batch), BOARD_NAMES.get(path, path), open_link(on_open))
        show_batch(now, batch)
    session().is_headed = True


def show_strip(text: Notation) -> None:
    """Show the strip of steps alone, above a page of the story that has no stage."""
    place = strip_pages().index(session().page)
    steps = [(step.title, step.url_path) for step in strip_pages()]
    summary = session().page.url_path == "seen"
    show_board(strip_board(steps, place, text.convention == "column", summary), "strip")


def projection_choice(chosen: str) -> tuple[Choice]:
    """The choice between queries, keys and values on a stage."""
    return (Choice("which", "Which of the three", PROJECTED_FIELDS, chosen),)
