"""Boards of the page *One head*: a head beside its scores, the steps that lead to its numbers, all
heads of its layer, and a head of which only the attention weights are known.
"""

from __future__ import annotations

from collections.abc import Sequence

from attention_core.checks import Array

from .. import story
from ..payload import JSON, Stage
from ..scene import Panel, scene
from ..sentence import with_arcs
from ..thumbnails import heads_json, thumbnail_board

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
    panels = [
        Panel("probabilities", 2, 3, (0, 0), "result", title="what each query reads"),
        Panel("masked_scores", 2, 3, (1, 0), title="scores, before the softmax"),
        Panel(
            "probabilities",
            2,
            3,
            below,
            "tiles",
            tiles=1,
            small=True,
            arrange=line,
            title="the layer's heads",
        ),
    ]
    description = (
        f"What each query of head {head} reads, beside its scores, and all heads of the layer."
    )
    board = scene(stage, panels, ("probabilities", (0, head, query, key)), description)
    words = (stage.trace.labels("T"), stage.trace.labels("S"))
    return with_arcs(board, words, "probabilities", query, "head {head}")


def step_board(stage: Stage, step: str, head: int, query: int, key: int, feature: int) -> JSON:
    """One step of a head as the story shows it. step: a key of `STEP_FIELDS`."""
    if step == "scores":
        return story.scores_board(stage, (head, query, key))
    if step == "mixing":
        return story.mixing_board(stage, (head, query, feature))
    if step == "W_O":
        return story.output_board(stage, query, feature)
    row = query if step == "W_Q" else key
    return story.projection_board(stage, STEP_FIELDS[step], (head, row, feature))


def attention_alone(
    shares_TS: Array, labels: tuple[Sequence[str], Sequence[str]], query: int, key: int
) -> JSON:
    """The attention weights of a head of which nothing else is known. Of a long sequence only the
    part around the cell is sent.
    """
    title = "what each query reads"
    panel = {
        "id": "attention",
        "array": "attention",
        "rows": 0,
        "columns": 1,
        "place": [0, 0],
        "role": "operand",
        "title": title,
        "badge": " × ".join(map(str, shares_TS.shape)),
        "size": "full",
    }
    arrays = {"attention": heads_json(title, shares_TS, (query, key))}
    board = thumbnail_board(
        "What each query of the head reads.", arrays, labels, [panel], ("attention", (query, key))
    )
    return with_arcs(board, labels, "attention", query)
