"""The board of one head: its heatmap beside its scores, and all heads of the layer; of maps
alone the heatmap.
"""

from __future__ import annotations

from collections.abc import Sequence

from attention_core.checks import Array

from ..payload import JSON, Stage
from ..scene import Panel, scene
from ..thumbnails import heads_json, thumbnail_board


def layer_heads(one: JSON, captions: Sequence[str] = ()) -> JSON:
    """All heads of the layer from the board of one head, alone. captions: what each does."""
    small = [panel for panel in one["panels"] if panel["size"] == "small"]
    alone = [panel | {"place": [0, 0], "captions": list(captions)} for panel in small]
    return one | {"panels": alone, "player": False, "arithmetic": False}


def one_head(stage: Stage, head: int, query: int, key: int) -> JSON:
    """The probabilities of a head with everything that a share is worked out from, and all
    heads of its layer.
    """
    # Turned or not, the other heads are one line below: as many in a column would be higher than
    # the screen.
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
    says = f"What each query of head {head} reads, beside its scores, and all heads of the layer."
    return scene(stage, panels, ("probabilities", (0, head, query, key)), says)


def attention_alone(
    shares_TS: Array, labels: tuple[Sequence[str], Sequence[str]], query: int, key: int
) -> JSON:
    """The heatmap of a head of which nothing else is known; of a long sequence the part around
    the cell is sent.
    """
    title, says = "what each query reads", "What each query of the head reads."
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
    sent = {"attention": heads_json(title, shares_TS, (query, key))}
    return thumbnail_board(says, sent, labels, [panel], ("attention", (query, key)))
