"""The stage of a story page, which fits one window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from attention_core.derivation import Derivation
from attention_lab.notation.notation import Notation
from attention_lab.page_list import Page
from attention_lab.scenario import Scenario
from attention_viz.story.stages import batch_of, compared_cell, shown_view, stage_of, strip_of
from attention_viz.story.story_view import StoryView

from .batch import open_link, show_batch
from .board import keep_board, show_board
from .lesson import lesson_parts
from .page_context import PageContext, page_context
from .panels import choose_projection, draw_arithmetic, token_markdown
from .url_state import session
from .view import view_switches

# The names of boards in URLs with pinned cells, where they are not the URL path of the page.
BOARD_NAMES = {"projections": "projection", "overview": "layer"}


def show_step(now: PageContext, on_open: Callable[[str], None] | None = None) -> None:
    """Show the step of the page, with the pictures of a batch, at the top of the page. on_open:
    called with the link of a clicked matrix.
    """
    page = session().page
    stage = stage_of(now, page.url_path)
    with session().stage_place:
        show_board(stage, _board_name(page), open_link(on_open))
        shown = shown_view(now, page.url_path)
        show_batch(shown, batch_of(shown, page.url_path, stage))
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


def show_strip(page: Page, text: Notation, scenario: Scenario) -> None:
    """Show the row of pages of the chapter above a page that has no stage."""
    view = StoryView(scenario, notation=text, **lesson_parts(), **view_switches())
    show_board(strip_of(view, page.url_path), "strip")


def show_option_step(kind: str) -> tuple[PageContext, str, Derivation]:
    """Show the step of an option, for queries or keys, with the arithmetic of the cell in focus;
    gives the view with the option on, the field, and the arithmetic. kind: see `compared_cell`.
    """
    now = replace(page_context(), which=choose_projection())
    show_step(now)
    now = session().page_context = shown_view(now, session().page.url_path)
    field, cell = compared_cell(now, kind)
    word = token_markdown(now.trace, now.trace.axes(field)[2], cell[2])
    title = f"**Head {cell[1]}:** number {cell[3]} of {word}"
    return now, field, draw_arithmetic(now.trace, field, cell, title)
