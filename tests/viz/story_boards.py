"""The boards of the story by name, for the tests that go through all of them."""

from __future__ import annotations

from collections.abc import Callable

from attention_viz.overview import overview
from attention_viz.payload import JSON, Stage
from attention_viz.story.cutting import merge_board, split_board
from attention_viz.story.per_head import (
    HeadCell,
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
# The boards that a head, a row and a column choose.
OF_A_CELL: dict[str, Callable[[Stage, HeadCell], JSON]] = {
    "scores": scores_board,
    "scale": scale_board,
    "mask": mask_board,
    "softmax": softmax_board,
    "mixing": mixing_board,
    "merge": merge_board,
    "pair": pair_board,
}
STORY: dict[str, Scene] = {
    **{
        f"projection of {field}": lambda s, f=field: projection_board(s, f, FOCUS)
        for field in PROJECTION_FACTORS
    },
    **{
        f"split of {field}": lambda s, f=field: split_board(s, f, FOCUS)
        for field in PROJECTION_FACTORS
    },
    **{name: lambda s, n=name: OF_A_CELL[n](s, FOCUS) for name in OF_A_CELL},
    "value pair": lambda s: value_pair_board(s, FOCUS, 1),
    "output": lambda s: output_board(s, 2, 1),
    "overview": lambda s: overview(s, 1, 2, 1),
}
