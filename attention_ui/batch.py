"""Below a step of the story: all sequences of the batch as small pictures, and that they never
mix.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from attention_core import STEPS
from attention_lab import notation
from attention_lab.batch_check import gap_alone
from attention_viz.labels import agreement, counted, number
from attention_viz.payload import JSON
from attention_viz.story.batch import batch_board

from .board import show_board
from .facts import fact
from .focus import follow_cell
from .here import Here
from .markdown import plain
from .sequence import choose_sequence

WEIGHTS = ("w_q", "w_k", "w_v", "w_o")
OVERVIEW = "probabilities"  # what the overview shows of each sequence


def show_batch(now: Here, field: str, board: JSON) -> None:
    """The picture of the batch and what it says, where there is one. board: of the step, whose cell
    is marked in every sequence.
    """
    if fact("batch", len(now.sentences)) == 1:
        return
    field = field or OVERVIEW
    cell = board["cell"]
    index = cell["index"][1:] if cell["array"] == field else _start(now, field)
    scene = batch_board(now.batch, field, now.sequences, (now.sequence, index), now.notation)
    letters = STEPS[field].letters[1:]
    axes = [(letter.split("·")[-1], _block(now, letter)) for letter in letters]
    st.markdown(_says(now, field))
    show_board(scene, "batch", on_pin=partial(_go_to, axes))


def _start(now: Here, field: str) -> list[int]:
    focus = now.focus
    return [focus.head, focus.query, 0] if STEPS[field].per_head else [focus.query, 0]


def _block(now: Here, letter: str) -> int | None:
    """The width of a head where heads lie side by side."""
    return now.trace.sizes[letter.split("·")[1]] if "·" in letter else None


def _go_to(axes: Sequence[tuple[str, int | None]], array: str, index: list[int]) -> None:
    """In a callback: show the sentence of a clicked picture, at the clicked cell."""
    choose_sequence(int(array.removeprefix("sentence ")))
    follow_cell(axes, index)


def _says(now: Here, field: str) -> str:
    batch = now.batch
    named = ", ".join(notation.axes(batch, field, now.notation))
    sizes = " × ".join(map(str, fact("shape_of_batch", notation.shape(batch, field, now.notation))))
    has = [name for name in WEIGHTS if getattr(batch.projections, name) is not None]
    shared = ", ".join(now.symbol(name) for name in has)
    gap = fact("gap_alone", gap_alone(now.scenario, now.sequence))
    equal = agreement(gap.largest, gap.rounding)
    by_rounding = 0 < gap.largest <= gap.rounding
    off = f" (largest difference: {number(gap.largest)}, by rounding)" if by_rounding else ""
    return (
        f"**The batch:** {plain(STEPS[field].title)} ({named}) = **{sizes}**. Sentences never mix:"
        f" each has its own scores and shares; they share only {shared}. Click a picture to look"
        " into its sentence; what belongs to [pad] is hatched.\n\nSentence"
        f" {now.sequence} was also run alone: in all steps, the numbers of its"
        f" {counted(gap.rows, 'real token')} {equal} in both runs{off}."
    )
