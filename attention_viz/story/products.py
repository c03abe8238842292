"""The boards of the inputs and of the two products with weight matrices, into the heads and out of
them, and which columns of a wide matrix are sent: those around the pinned cell.
"""

from dataclasses import replace

import numpy as np

from attention_core import Trace
from attention_core.trace import head_columns
from attention_lab.story.cuts import PROJECTION_FACTORS as PROJECTION_FACTORS
from attention_lab.words.embeddings import Embedding, is_sum_of_words

from ..payload import JSON, Stage, Window
from ..scene import Panel, scene
from .per_head import HeadCell

FOCUS_COLUMNS = 8  # columns around the feature, so that three matrices have room


def shows_sum_of_words(stage: Stage, embedding: Embedding) -> bool:
    """Whether the board shows word vectors and position codes: the inputs are their sum, or were
    it before cells were edited.
    """
    return is_sum_of_words(stage.before or stage.trace, embedding)


def inputs_board(
    stage: Stage, embedding: Embedding, query: int, feature: int, focused: bool = False
) -> JSON:
    """Word vectors plus position codes; the inputs alone where they are not this sum.

    focused: show only the columns around the feature.

    After an edit some cells of the inputs differ from the sum, and the description says so.
    """
    if not shows_sum_of_words(stage, embedding):
        panels = [Panel("inputs", 1, 2, (0, 0), "result", editable=True)]
        description = "The inputs, with the user's own numbers."
        if np.array_equal(embedding.inputs, stage.trace.inputs[0]):
            description = "The inputs of the trained layer."
        return scene(stage, panels, ("inputs", (0, query, feature)), description)
    if focused:
        first = feature // FOCUS_COLUMNS * FOCUS_COLUMNS
        stage = stage.windowed("D", (first, min(first + FOCUS_COLUMNS, stage.trace.sizes["D"])))
    stage = replace(stage, extra={"words": embedding.words, "positions": embedding.positions})
    panels = [
        Panel("words", 0, 1, (0, 0)),
        Panel("positions", 0, 1, (1, 0)),
        Panel("inputs", 1, 2, (2, 0), "result", editable=True),
    ]
    description = "Word vectors plus position codes give the inputs."
    if not is_sum_of_words(stage.trace, embedding):
        description = "Word vectors plus position codes give the inputs, except in edited cells."
    return scene(stage, panels, ("inputs", (0, query, feature)), description)


MAX_COLUMNS_SENT = 64  # columns of a wide matrix that are sent; the others follow the pinned cell
UNCUT_COLUMNS = 8  # an output with at most so many columns is shown whole


def head_window(trace: Trace, field: str, head: int, most: int = MAX_COLUMNS_SENT) -> Window:
    """The columns of a fused matrix that are sent: those of whole heads, up to `most`, with the
    given head among them.
    """
    block = head_columns(trace, field, head)
    width = block.stop - block.start
    total = getattr(trace, field).shape[2]
    together = max(1, most // width) * width
    first = block.start // together * together
    return first, min(first + together, total)


def output_window(trace: Trace, column: int, most: int = MAX_COLUMNS_SENT) -> Window:
    """The columns of W_O and of the output that are sent, with the given column among them."""
    most = min(most, MAX_COLUMNS_SENT)
    first = column // most * most
    return first, min(first + most, trace.sizes["O"])


def projection_board(stage: Stage, field: str, cell: HeadCell, focused: bool = False) -> JSON:
    """The inputs times one of the weight matrices, for a window of columns around the head's.

    focused: show only the head's own columns.
    """
    source, weights = PROJECTION_FACTORS[field]
    head, row, feature = cell
    column = head_columns(stage.trace, field, head).start + feature
    window = head_window(stage.trace, field, head)
    if focused:
        window = head_window(stage.trace, field, head, most=1)
    stage = stage.windowed(stage.letters(field)[-1], window)
    panels = [
        Panel(source, 1, 2, (0, 1), editable=source == "inputs"),
        Panel(weights, 0, 1, (1, 0), editable=True),
        Panel(field, 1, 2, (1, 1), "result"),
    ]
    description = _description(stage, source, weights, field)
    return scene(stage, panels, (field, (0, row, column)), description)


def output_board(stage: Stage, query: int, column: int, focused: bool = False) -> JSON:
    """Merged times W_O, and the same output as a sum of one row per head.

    focused: show only as many columns of a wide W_O and output as a head has, with the cell's
    column among them.
    """
    added = [Panel("inputs", 1, 2, (2, 1), title="inputs, added")] if stage.trace.residual else []
    if stage.trace.projections.w_o is None:
        added = [replace(panel, place=(1, 0)) for panel in added]
        result = Panel("output", 1, 2, (1 + len(added), 0), "result")
        panels = [Panel("merged", 1, 2, (0, 0)), *added, result]
    else:
        sizes, most = stage.trace.sizes, MAX_COLUMNS_SENT
        row = stage.notation.layout.row
        if focused and sizes["O"] > UNCUT_COLUMNS:
            most = sizes["V"]
        stage = stage.windowed("O", output_window(stage.trace, column, most))
        panels = [
            Panel("merged", 1, 2, (0, 1)),
            Panel("w_o", 0, 1, (1, 0), editable=True),
            *added,
            Panel("output", 1, 2, (1, 1), "result"),
            Panel("head_contributions", 1, 3, (1, 2), "aside", title=f"this {row}, head by head"),
        ]
    description = _description(stage, "merged heads", "w_o", "output")
    return scene(stage, panels, ("output", (0, query, column)), description)


def _description(stage: Stage, factor: str, weights: str, field: str) -> str:
    """What a field is made of, in words: a product with a matrix, if there is one, and what is
    added to it.
    """
    has_weights = getattr(stage.trace.projections, weights) is not None
    times = f" multiplied by {stage.symbol(weights)}" * has_weights
    return f"The {field}: the {factor}{times}{stage.trace.addition(field)}."


def token_board(stage: Stage, query: int) -> JSON:
    """One token from top to bottom: its row of the inputs, what each head found, what each head
    adds, and its row of the output.
    """
    stage = stage.windowed("T", (query, query + 1))
    parts = [Panel("inputs", None, 2, (0, 0), title="the token before")]
    has_w_o = stage.trace.projections.w_o is not None
    if has_w_o:
        parts.append(Panel("head_outputs", 1, 3, (0, 1), "aside", title="what each head found"))
        parts.append(Panel("head_contributions", 1, 3, (0, 2), title="what each head adds"))
    parts.append(Panel("output", None, 2, (0, 3), "result", title="the token after"))
    description = "One token before and after the layer."
    board = scene(stage, parts, ("output", (0, query, 0)), description)
    if has_w_o:  # the browser computes it for this token alone
        whole = board["arrays"]["head_contributions"]["shape"]
        part = {"start": [0, 0, query, 0], "whole": whole, "shape": [*whole[:2], 1, whole[3]]}
        board["arrays"]["head_contributions"] |= part
    return board | {"player": False, "arithmetic": False}
