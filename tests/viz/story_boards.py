"""The boards of the story by name, for the tests that go through all of them."""

from __future__ import annotations

from collections.abc import Callable

from attention_viz.overview import overview
from attention_viz.payload import JSON, Stage
from attention_viz.story.cutting import merge_board, split_board
from attention_viz.story.per_head import (
    mask_board,
    mixing_board,
    pair_board,
    scale_board,
    scores_board,
    softmax_board,
    value_pair_board,
)
from attention_viz.story.products import PROJECTION_FACTORS, output_board, projection_board

RIBBONS = ["token by token", "head by head"]  # the orders of the memory
FOCUS = (1, 2, 1)  # head, row and column
Scene = Callable[[Stage], JSON]
STORY: dict[str, Scene] = {
    **{
        f"projection of {field}": lambda s, f=field: projection_board(s, f, FOCUS)
        for field in PROJECTION_FACTORS
    },
    **{
        f"split of {field}": lambda s, f=field: split_board(s, f, FOCUS)
        for field in PROJECTION_FACTORS
    },
    "scores": lambda s: scores_board(s, FOCUS),
    "scale": lambda s: scale_board(s, FOCUS),
    "mask": lambda s: mask_board(s, FOCUS),
    "softmax": lambda s: softmax_board(s, FOCUS),
    "mixing": lambda s: mixing_board(s, FOCUS),
    "merge": lambda s: merge_board(s, FOCUS),
    "pair": lambda s: pair_board(s, FOCUS),
    "value pair": lambda s: value_pair_board(s, FOCUS, 1),
    "output": lambda s: output_board(s, 2, 1),
    "overview": lambda s: overview(s, 1, 2, 1),
}
