"""The batch on a step of the story: small pictures of all sequences, which never mix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from attention_core import STEPS
from attention_core.projections import MATRICES
from attention_lab import notation
from attention_lab.compare import gap_alone
from attention_lab.presets import SENTENCE_KEY
from attention_viz.labels import format_agreement
from attention_viz.markdown import escape_markdown
from attention_viz.story.batch import SEQUENCE_LINK, BatchField, batch_board

from .acts import act
from .board import show_board
from .focus import move_focus
from .page_context import PageContext


def open_link(on_open: Callable[[str], None] | None) -> Callable[[str], None]:
    """The callback for links of a stage: links of sequences show one, others are the page's."""

    def follow(link: str) -> None:
        place = link.removeprefix(SEQUENCE_LINK)
        if link.startswith(SEQUENCE_LINK):
            act(SENTENCE_KEY, place)
        elif on_open:
            on_open(link)

    return follow


def show_batch(now: PageContext, batch: BatchField | None) -> None:
    """Show all sequences with all heads below the stage, and sentences about them."""
    if batch is None:
        return
    letters = STEPS[batch.field].letters[1:]
    axes = [(letter.split("·")[-1], _block(now, letter)) for letter in letters]
    st.markdown(_batch_text(now, batch.field))
    show_board(batch_board(batch), "batch", on_pin=partial(_go_to, axes))


def _block(now: PageContext, letter: str) -> int | None:
    """The width of a head if heads lie side by side."""
    if "·" not in letter:
        return None
    return now.trace.sizes[letter.split("·")[1]]


def _go_to(axes: Sequence[tuple[str, int | None]], array: str, index: list[int]) -> None:
    """In a callback: show the sentence of a clicked picture, with the clicked cell in focus."""
    act(SENTENCE_KEY, array.removeprefix("sentence "))
    move_focus(axes, index)


def _batch_text(now: PageContext, field: str) -> str:
    batch = now.batch
    named = ", ".join(notation.axes(batch, field, now.notation))
    sizes = " × ".join(map(str, notation.shape(batch, field, now.notation)))
    weights = [name for name in MATRICES if getattr(batch.projections, name) is not None]
    shared = ", ".join(map(now.symbol, weights))
    gap = gap_alone(now.scenario, now.sequence)
    equal = format_agreement(gap.largest, gap.rounding)
    return (
        f"**The batch:** {escape_markdown(STEPS[field].title)} ({named}) = **{sizes}**. Sentences"
        f" never mix: each has its own scores and shares; they share only {shared}. Click a picture"
        f" to see its sentence. Cells of [pad] are hatched.\n\nSentence {now.sequence} was also run"
        f" alone (real tokens: {gap.rows}). The numbers of its tokens {equal} in both runs, in all"
        " steps."
    )
