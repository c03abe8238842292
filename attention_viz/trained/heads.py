"""The boards of the pages that look into trained heads: one head and its weights, the heads found,
and a head before and after a word is changed.
"""

from collections.abc import Callable, Sequence
from functools import partial

from attention_core.checks import Array
from attention_lab.trained.attention_maps import AttentionMaps
from attention_lab.trained.change_a_word import ChangedWord
from attention_lab.words.numbers import format_percent

from ..matrices import Matrix, Side, difference_matrix, matrix_board
from ..payload import JSON, Stage, board_json, panel_json
from ..scene import Panel, scene
from ..sentence import with_arcs
from ..story.per_head import mixing_board, scores_board
from ..story.products import output_board, projection_board
from ..thumbnails import (
    HEAD_NUMBER_CAPTIONS,
    head_axes,
    heads_json,
    max_tokens_sent,
    windows_around,
)

# What a page can look into, and the step whose numbers it shows.
STEP_FIELDS = {
    "scores": "scores",
    "W_Q": "queries",
    "W_K": "keys",
    "W_V": "values",
    "mixing": "head_outputs",
    "W_O": "output",
}


def layer_heads(one: JSON, captions: Sequence[str] = ()) -> JSON:
    """All heads of the layer, taken from the board of one head. captions: what each head does."""
    small = [panel for panel in one["panels"] if panel["size"] == "small"]
    alone = [panel | {"place": [0, 0], "captions": list(captions)} for panel in small]
    return one | {"panels": alone, "player": False, "arithmetic": False, "sentence": None}


def one_head(stage: Stage, head: int, query: int, key: int) -> JSON:
    """The attention weights of a head beside its scores, and all heads of its layer."""
    # Transposed or not, the other heads are one line below: a column of them would be higher than
    # the window.
    below, line = ((0, 1), "across") if stage.notation.convention == "row" else ((2, 0), "down")
    tiles = partial(Panel, tiles=1, small=True, arrange=line)
    panels = [
        Panel("probabilities", 2, 3, (0, 0), "result", title="what each query reads"),
        Panel("masked_scores", 2, 3, (1, 0), title="scores, before the softmax"),
        tiles("probabilities", 2, 3, below, "tiles", title="the layer's heads"),
    ]
    what = f"What each query of head {head} reads, beside its scores, and all heads of the layer."
    board = scene(stage, panels, ("probabilities", (0, head, query, key)), what)
    words = (stage.trace.labels("T"), stage.trace.labels("S"))
    return with_arcs(board, words, "probabilities", query, "head {head}", pieces=stage.pieces)


def step_board(stage: Stage, step: str, head: int, query: int, key: int, feature: int) -> JSON:
    """One step of a head as the story shows it. step: a key of `STEP_FIELDS`."""
    if step == "scores":
        return scores_board(stage, (head, query, key))
    if step == "mixing":
        return mixing_board(stage, (head, query, feature))
    if step == "W_O":
        return output_board(stage, query, feature)
    row = query if step == "W_Q" else key
    return projection_board(stage, STEP_FIELDS[step], (head, row, feature))


def attention_alone(
    shares_TS: Array,
    labels: tuple[Sequence[str], Sequence[str]],
    query: int,
    key: int,
    pieces: bool = False,
) -> JSON:
    """The attention weights of a head of which nothing else is known. Of a long sequence only the
    part around the cell is sent. pieces: whether pieces of a word stand alone.
    """
    title, cell = "what each query reads", (query, key)
    panel = panel_json("attention", title, " × ".join(map(str, shares_TS.shape)), (0, 0))
    arrays = {"attention": heads_json(title, shares_TS, cell)}
    what = "What each query of the head reads."
    board = board_json(what, arrays, head_axes(labels), [panel], ("attention", cell))
    return with_arcs(board, labels, "attention", query, pieces=pieces)


def best_heads(
    maps: AttentionMaps,
    best: Sequence[tuple[int, int, float]],
    cell: tuple[int, int],
    written: Callable[[float], str] = format_percent,
) -> JSON:
    """The matrices of some heads side by side, each with the number that it was chosen for.

    best: layer, head and number, at least one of them. cell: the query and key that are pinned in
    the first head. written: how a number is written.
    """
    side = max_tokens_sent(len(best) * 8)
    rows, columns = windows_around((maps.sizes["T"], maps.sizes["S"]), cell, side)
    asking = Side("query position", maps.tokens[rows])
    read = Side("key position", maps.memory_tokens[columns])
    drawn = partial(Matrix, rows=asking, columns=read, kind="probability", small=True)
    matrices = [
        drawn(
            f"head {layer} {head}",
            maps.layers[layer][head][rows, columns],
            place=(column, 0),
            title=f"layer {layer}, head {head}",
            badge=written(number),
            says=HEAD_NUMBER_CAPTIONS["probability"],
        )
        for column, (layer, head, number) in enumerate(best)
    ]
    first = (matrices[0].name, cell[0] - rows.start, cell[1] - columns.start)
    return matrix_board(matrices, first, f"The heads that do it most, in order: {len(matrices)}.")


def changed_word_board(change: ChangedWord, layer: int, head: int, query: int, key: int) -> JSON:
    """One head before and after the change, and the difference, which the board computes."""

    def drawn(column: int, name: str, shares_LHNN: Array, tokens: tuple[str, ...]) -> Matrix:
        sides = Side("query position", tokens), Side("key position", tokens)
        shares = shares_LHNN[layer, head]
        return Matrix(name, shares, *sides, (column, 0), name, kind="probability")

    before = drawn(0, "before", change.before, change.tokens_before)
    after = drawn(1, "after", change.after, change.tokens_after)
    gap = difference_matrix(after, before, (2, 0), "after − before")
    what = f"Head {head} of layer {layer} on both sentences, and the difference."
    return matrix_board([before, after, gap], (gap.name, query, key), what)
