"""The batch on a step of the story: small pictures of all sequences, and that they never mix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from attention_core import STEPS
from attention_lab import notation
from attention_lab.batch_check import gap_alone
from attention_viz.labels import format_agreement
from attention_viz.payload import JSON
from attention_viz.story.batch import SEQUENCE_LINK, BatchField, batch_board, with_sequence_pictures

from .board import show_board
from .facts import fact
from .focus import move_focus
from .markdown import plain
from .page_context import PageContext
from .sequence import choose_sequence

WEIGHTS = ("w_q", "w_k", "w_v", "w_o")
OVERVIEW_FIELD = "probabilities"  # what the overview shows of each sequence


def batch_field(now: PageContext, field: str, board: JSON) -> BatchField | None:
    """What is shown of the batch at a step, where there is one. board: of the step, whose cell is
    marked in the sequence that is shown.
    """
    if fact("batch", len(now.sentences)) == 1:
        return None
    field, cell = field or OVERVIEW_FIELD, board["cell"]
    place = [now.focus.head] if STEPS[field].per_head else []
    index = cell["index"][1:] if cell["array"] == field else [*place, now.focus.query, 0]
    return BatchField(now.batch, field, now.sequences, now.sequence, index)


def with_batch(now: PageContext, stage: JSON, batch: BatchField | None) -> JSON:
    """A stage with the choice of the sentence and a picture of each; the overview has no room for
    pictures.
    """
    if batch is None:
        return stage
    chooses = {"texts": list(now.sentences), "chosen": now.sequence}
    # Edits of X belong to the first sentence.
    panels = [_fixed(panel) if now.sequence else panel for panel in stage["panels"]]
    stage = stage | {"panels": panels, "stage": stage["stage"] | {"sentences": chooses}}
    return stage if "flow" in stage else with_sequence_pictures(stage, batch, now.focus.head)


def _fixed(panel: JSON) -> JSON:
    """A panel whose X cannot be edited."""
    if panel["array"] not in ("inputs", "memory"):
        return panel
    return {name: value for name, value in panel.items() if name != "editable"}


def open_link(on_open: Callable[[str], None] | None) -> Callable[[str], None]:
    """What the links of a stage do: those of sequences show one, others are the page's."""

    def follow(link: str) -> None:
        place = link.removeprefix(SEQUENCE_LINK)
        if link.startswith(SEQUENCE_LINK) and place.isascii() and place.isdigit():
            choose_sequence(int(place[:5]))
        elif on_open:
            on_open(link)

    return follow


def show_batch(now: PageContext, batch: BatchField | None) -> None:
    """All sequences with all heads, and what is to be said of them, below the stage."""
    if batch is None:
        return
    letters = STEPS[batch.field].letters[1:]
    axes = [(letter.split("·")[-1], _block(now, letter)) for letter in letters]
    st.markdown(_says(now, batch.field))
    show_board(batch_board(batch, now.notation), "batch", on_pin=partial(_go_to, axes))


def _block(now: PageContext, letter: str) -> int | None:
    """The width of a head where heads lie side by side."""
    return now.trace.sizes[letter.split("·")[1]] if "·" in letter else None


def _go_to(axes: Sequence[tuple[str, int | None]], array: str, index: list[int]) -> None:
    """In a callback: show the sentence of a clicked picture, at the clicked cell."""
    choose_sequence(int(array.removeprefix("sentence ")))
    move_focus(axes, index)


def _says(now: PageContext, field: str) -> str:
    batch = now.batch
    named = ", ".join(notation.axes(batch, field, now.notation))
    sizes = " × ".join(map(str, fact("shape_of_batch", notation.shape(batch, field, now.notation))))
    has = [name for name in WEIGHTS if getattr(batch.projections, name) is not None]
    shared = ", ".join(now.symbol(name) for name in has)
    gap = fact("gap_alone", gap_alone(now.scenario, now.sequence))
    equal = format_agreement(gap.largest, gap.rounding)
    return (
        f"**The batch:** {plain(STEPS[field].title)} ({named}) = **{sizes}**. Sentences never mix:"
        f" each has its own scores and shares; they share only {shared}. Click a picture to see its"
        f" sentence. Cells of [pad] are hatched.\n\nSentence {now.sequence} was also run alone"
        f" (real tokens: {gap.rows}). The numbers of its tokens {equal} in both runs, in all steps."
    )
