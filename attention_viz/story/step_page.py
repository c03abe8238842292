"""What the pages of the steps share below the stage: the batch, the arithmetic of the cell in
focus, and what can be looked at closer.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from attention_core import STEPS
from attention_core.derivation import Derivation, derive
from attention_core.projections import MATRICES
from attention_lab import notation
from attention_lab.compare import gap_alone
from attention_lab.focus import moved_places
from attention_lab.page_list import page_of
from attention_lab.presets import SENTENCE_KEY
from attention_lab.story.cuts import explained_field
from attention_lab.words.numbers import format_agreement

from .. import blocks as b
from ..arithmetic import format_derivation
from ..block_page import BlockPage
from ..markdown import escape_markdown, quote_token
from ..page_choices import Choice
from .batch import BatchField, batch_board
from .closer import Closer, closer_blocks, closer_choices
from .stages import batch_of, shown_view, step_scene
from .story_view import StoryView


def in_focus(view: StoryView, field: str) -> Derivation:
    """The arithmetic of the cell of a field in focus."""
    return derive(view.trace, field, view.focus.index(view.trace, field))


def step_page(
    path: str,
    below: Callable[..., Sequence[b.Block]],
    *own: Choice,
    beside: Sequence[str] = (),
    derived: Callable[[StoryView, str], Derivation] = in_focus,
) -> BlockPage:
    """The page of a step, whose stage its host shows. below: what stands below the stage, of the
    view that the step shows, the values of the choices and, where the step explains a cell, its
    arithmetic. own: choices of the page. beside: fields of other steps that can be looked at
    closer, too. derived: the arithmetic of a field's cell.
    """
    page = page_of(path)
    fields = (*page.fields, *beside)
    closer = closer_choices(path, fields) if fields and path != "overview" else ()

    def blocks(view: StoryView, values: b.Values) -> Sequence[b.Block]:
        shown = shown_view(view, path)
        if not closer:
            return [*_batch(view, path), *below(shown, values)]
        field = explained_field(page, shown.which)
        derivation = derived(shown, field)
        looked_at = closer_blocks(shown, values, Closer(path, field, derivation, fields))
        return [*_batch(view, path), *below(shown, values, derivation), *looked_at]

    return BlockPage(path, lambda _: (*own, *closer), blocks)


def token(view: StoryView, axis: str, place: int) -> str:
    """A token of the sequence in quotation marks, as Markdown."""
    return quote_token(view.trace.labels(axis), place)


def pair(view: StoryView) -> str:
    """The query and key in focus in their colours, as Markdown."""
    focus = view.focus
    query, key = token(view, "T", focus.query), token(view, "S", focus.key)
    return f"**Head {focus.head}:** :blue[query of {query}] and :red[key of {key}]"


def derivation_line(derivation: Derivation, title: str) -> b.Text:
    """The arithmetic of a cell as one line. title: which cell it is."""
    return b.Text(f"{title}: {escape_markdown(format_derivation(derivation))}")


def swap_note(view: StoryView) -> list[b.Block]:
    """If boards show tokens as columns: that only the code swaps heads and tokens."""
    if view.notation.convention != "column":
        return []
    return [
        b.caption(
            f"In this notation the heads lie {view.layout.side_by_side}, so a reshape alone splits"
            " and merges them. The code, whose matrices are not transposed, needs the swap."
        )
    ]


def _batch(view: StoryView, path: str) -> list[b.Block]:
    """All sequences of a batch with all heads, which never mix; nothing without a batch."""
    if len(view.sentences) == 1:
        return []
    batch = batch_of(view, path, step_scene(view, path))
    return [
        b.Text(_batch_text(shown_view(view, path), batch.field)),
        b.Board(batch_board(batch), "batch", press=partial(_picture_pressed, view, batch)),
    ]


def _picture_pressed(
    view: StoryView, batch: BatchField, array: str, index: Sequence[int]
) -> dict[str, Any]:
    """What a click on a cell of a picture sets: its sentence, and the cell in focus."""
    sizes = view.trace.sizes
    axes = [
        (letter.split("·")[-1], sizes[letter.split("·")[1]] if "·" in letter else None)
        for letter in batch.letters
    ]
    return {SENTENCE_KEY: int(array.removeprefix("sentence "))} | moved_places(axes, index)


def _batch_text(view: StoryView, field: str) -> str:
    batch = view.batch
    named = ", ".join(notation.axes(batch, field, view.notation))
    sizes = " × ".join(map(str, notation.shape(batch, field, view.notation)))
    weights = [name for name in MATRICES if getattr(batch.projections, name) is not None]
    shared = ", ".join(map(view.symbol, weights))
    gap = gap_alone(view.scenario, view.sequence)
    equal = format_agreement(gap.largest, gap.rounding)
    return (
        f"**The batch:** {escape_markdown(STEPS[field].title)} ({named}) = **{sizes}**. Sentences"
        f" never mix: each has its own scores and shares; they share only {shared}. Click a picture"
        f" to see its sentence. Cells of [pad] are hatched.\n\nSentence {view.sequence} was also"
        f" run alone (real tokens: {gap.rows}). The numbers of its tokens {equal} in both runs, in"
        " all steps."
    )
