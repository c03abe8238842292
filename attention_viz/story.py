"""The board of every step of the story: which matrices it shows, where they stand, and which
cell is pinned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from attention_core import Trace
from attention_core.embeddings import Embedding
from attention_core.head_blocks import head_columns, head_of

from .payload import JSON, Stage, Window
from .scene import Panel, scene

MOST = 64  # columns of a wide matrix that are sent; the others follow the pinned cell
SOURCES = {"queries": ("inputs", "w_q"), "keys": ("memory", "w_k"), "values": ("memory", "w_v")}
HEADS = {"queries": "query_heads", "keys": "key_heads", "values": "value_heads"}
Cell = tuple[int, int, int]  # head, row, column


def made_of_words(trace: Trace, embedding: Embedding) -> bool:
    """Whether the inputs are word vectors plus position codes: those of a trained layer, or of
    the user, are not.
    """
    trained = embedding.words is embedding.inputs  # made of words and positions long before
    return not trained and np.array_equal(embedding.inputs, trace.inputs[0])


def beside_words(stage: Stage, embedding: Embedding) -> bool:
    """Whether the board shows what the inputs are made of: they are the sum, or were before
    cells were edited.
    """
    return made_of_words(stage.before or stage.trace, embedding)


def tokens(stage: Stage, embedding: Embedding, query: int, feature: int) -> JSON:
    """Word vectors plus position codes; the inputs alone where they were not made of these.

    Where cells of the inputs are edited, they are no longer the sum, and the board does not say so.
    """
    if not beside_words(stage, embedding):
        own = [Panel("inputs", 1, 2, (0, 0), "result", editable=True)]
        trained = np.array_equal(embedding.inputs, stage.trace.inputs[0])
        says = (
            "The inputs of the trained layer."
            if trained
            else "The inputs, with the user's own numbers."
        )
        return scene(stage, own, ("inputs", (0, query, feature)), says)
    stage = replace(stage, extra={"words": embedding.words, "positions": embedding.positions})
    panels = [
        Panel("words", 0, 1, (0, 0)),
        Panel("positions", 0, 1, (1, 0)),
        Panel("inputs", 1, 2, (2, 0), "result", editable=True),
    ]
    edited = "" if made_of_words(stage.trace, embedding) else ", but for edited cells"
    says = f"Word vectors plus position codes give the inputs{edited}."
    return scene(stage, panels, ("inputs", (0, query, feature)), says)


def projection(stage: Stage, field: str, cell: Cell) -> JSON:
    """The inputs times one of the weight matrices, for a window of columns around the head's."""
    source, weights = SOURCES[field]
    head, row, feature = cell
    column = head_columns(stage.trace, field, head).start + feature
    letter = stage.letters(field)[-1]
    stage = _windowed(stage, letter, around(stage.trace, field, head))
    panels = [
        Panel(source, 1, 2, (0, 1), editable=source == "inputs"),
        Panel(weights, 0, 1, (1, 0), editable=True),
        Panel(field, 1, 2, (1, 1), "result"),
    ]
    return scene(stage, panels, (field, (0, row, column)), _made(stage, source, weights, field))


def split(stage: Stage, field: str, cell: Cell) -> JSON:
    """One wide matrix cut into heads: reshape, swap, and the mistake of leaving out the swap."""
    head, row, feature = cell
    heads = HEADS[field]
    group = head_of(stage.trace, heads, head)
    panels = [
        Panel(field, 1, 2, (0, 0)),
        Panel(
            f"reshaped_{field}",
            1,
            3,
            (0, 1),
            "aside",
            tiles=2,
            arrange="across",
            title="2 reshape: cut every row",
        ),
        Panel(
            heads,
            2,
            3,
            (0, 2),
            "result",
            tiles=1,
            arrange="across",
            title="3 swap: one matrix per head",
        ),
        Panel(
            f"unswapped_{field}",
            2,
            3,
            (0, 3),
            "aside",
            tiles=1,
            arrange="across",
            title="wrong: no swap",
        ),
    ]
    return scene(
        stage, panels, (heads, (0, group, row, feature)), f"The split of the {field} into heads."
    )


def scores(stage: Stage, cell: Cell) -> JSON:
    """Queries times keys, and the scores of all heads."""
    panels = [
        Panel("query_heads", 2, 3, (0, 1), title="queries"),
        Panel("key_heads", 3, 2, (1, 0), title="keys, transposed"),
        Panel("scores", 2, 3, (1, 1), "result"),
        *_all_heads(stage, "scores", (2, 1)),
    ]
    return scene(
        stage, panels, _at("scores", cell), "Every query times every key gives the scores."
    )


def scale(stage: Stage, cell: Cell) -> JSON:
    """The scores times one number, and what the softmax would make of a row before and after."""
    panels = [
        Panel("scores", 2, 3, (0, 0)),
        Panel("scaled_scores", 2, 3, (1, 0), "result"),
        Panel("raw_shares", None, 3, (0, 1), "row", title="softmax of this row, raw"),
        Panel("scaled_shares", None, 3, (1, 1), "row", title="softmax of this row, scaled"),
        *_all_heads(stage, "scaled_scores", (2, 0)),
    ]
    return scene(
        stage,
        panels,
        _at("scaled_scores", cell),
        "The scores times the scale give the scaled scores.",
    )


def mask(stage: Stage, cell: Cell) -> JSON:
    """The scaled scores before and after the mask."""
    panels = [
        Panel("scaled_scores", 2, 3, (0, 0)),
        Panel("masked_scores", 2, 3, (1, 0), "result"),
        *_all_heads(stage, "masked_scores", (2, 0)),
    ]
    says = "The mask hides scores." if stage.trace.hidden.any() else "No score is hidden."
    return scene(stage, panels, _at("masked_scores", cell), says)


def softmax(stage: Stage, cell: Cell) -> JSON:
    """The masked scores, the probabilities, and one row in its stages."""
    panels = [
        Panel("masked_scores", 2, 3, (0, 0)),
        Panel("probabilities", 2, 3, (1, 0), "result"),
        Panel("shifted_scores", None, 3, (0, 1), "row", title="this row, minus its maximum"),
        Panel("row_maximum", None, None, (1, 1), "row"),
        Panel("exponentials", None, 3, (0, 2), "row", title="exponentials"),
        Panel("row_sum", None, None, (1, 2), "row"),
        *_all_heads(stage, "probabilities", (2, 0)),
    ]
    return scene(
        stage,
        panels,
        _at("probabilities", cell),
        "The softmax makes shares of every row of scores.",
    )


def mixing(stage: Stage, cell: Cell) -> JSON:
    """Probabilities times values, and the weighted values before they are added up."""
    panels = [
        Panel("probabilities", 2, 3, (0, 1)),
        Panel("value_heads", 2, 3, (1, 0), title="values"),
        Panel("head_outputs", 2, 3, (1, 1), "result"),
        Panel("weighted_values", 3, 4, (2, 0), "aside", title="weight × value, before the sum"),
        *_all_heads(stage, "head_outputs", (2, 1)),
    ]
    return scene(
        stage,
        panels,
        _at("head_outputs", cell),
        "The probabilities, multiplied with the values, give the head outputs.",
    )


def merge(stage: Stage, cell: Cell) -> JSON:
    """The heads laid side by side, right and wrong."""
    head, query, feature = cell
    column = head_columns(stage.trace, "merged", head).start + feature
    panels = [
        Panel("head_outputs", 2, 3, (0, 0), tiles=1, arrange="across", title="one matrix per head"),
        Panel("merged", 1, 2, (0, 1), "result", title="merged: swap, then reshape"),
        Panel("merged_unswapped", 1, 2, (0, 2), "aside"),
    ]
    return scene(
        stage,
        panels,
        ("merged", (0, query, column)),
        "The heads side by side are the merged matrix.",
    )


def output(stage: Stage, query: int, column: int) -> JSON:
    """Merged times W_O, and the same output as a sum of one row per head."""
    if stage.trace.projections.w_o is None:
        panels = [Panel("merged", 1, 2, (0, 0)), Panel("output", 1, 2, (1, 0), "result")]
    else:
        stage = _windowed(stage, "O", output_window(stage.trace, column))
        panels = [
            Panel("merged", 1, 2, (0, 1)),
            Panel("w_o", 0, 1, (1, 0), editable=True),
            Panel("output", 1, 2, (1, 1), "result"),
            Panel("head_contributions", 1, 3, (1, 2), "aside", title="this row, head by head"),
        ]
    if stage.trace.residual:
        panels.append(Panel("inputs", 1, 2, (2, 1), title="inputs, added"))
    return scene(
        stage, panels, ("output", (0, query, column)), _made(stage, "merged heads", "w_o", "output")
    )


def pair(stage: Stage, cell: Cell) -> JSON:
    """One query token and one key token in all heads: every head with every head, and number by
    number.
    """
    head, query, key = cell
    panels = [
        Panel("query_heads", 1, 3, (0, 1), title="the query in every head"),
        Panel("key_heads", 3, 1, (1, 0), title="the key in every head"),
        Panel("pair_products", 3, 4, (1, 1), "result", diagonal=True),
        Panel("pair_hadamard", 3, 4, (2, 1), "aside", title="query ⊙ key"),
        Panel("scores", 1, None, (3, 1), "aside", title="row sums = scores"),
        Panel("pair_total", None, None, (3, 2), "aside"),
    ]
    return scene(
        stage,
        panels,
        ("pair_products", (0, query, key, head, head)),
        "One pair of tokens in all heads.",
    )


def around(trace: Trace, field: str, head: int, most: int = MOST) -> Window:
    """The columns of a fused matrix that are sent: whole heads, as many as fit, the given one
    among them.
    """
    block = head_columns(trace, field, head)
    width = block.stop - block.start
    total = getattr(trace, field).shape[2]
    together = max(1, most // width) * width
    first = block.start // together * together
    return first, min(first + together, total)


def output_window(trace: Trace, column: int) -> Window:
    """The columns of W_O and of the output that are sent, the given one among them."""
    first = column // MOST * MOST
    return first, min(first + MOST, trace.sizes["O"])


def _made(stage: Stage, factor: str, weights: str, field: str) -> str:
    """What a field is made of, in words: a product with a matrix, if there is one, and what is
    added to it.
    """
    has_weights = getattr(stage.trace.projections, weights) is not None
    times = f" multiplied by {stage.symbol(weights)}" if has_weights else ""
    added = stage.trace.says_added(field)
    return (
        f"The {factor}{times}{added}{',' if added else ''} {'give' if times or added else 'are'}"
        f" the {field}."
    )


def _windowed(stage: Stage, letter: str, given: Window) -> Stage:
    return replace(stage, windows={**stage.windows, letter: given})


def _at(field: str, cell: Sequence[int]) -> tuple[str, tuple[int, ...]]:
    return field, (0, *cell)


def _all_heads(stage: Stage, field: str, place: tuple[int, int]) -> list[Panel]:
    """The matrices of all heads, small; nothing where there is only one."""
    if stage.trace.sizes["H"] == 1:
        return []
    return [Panel(field, 2, 3, place, "tiles", tiles=1, small=True, title="all heads")]
