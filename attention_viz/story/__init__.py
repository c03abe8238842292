"""The board of every step of the story: which matrices it shows, where they stand, and which
cell is pinned.
"""

from .cutting import HEAD_FIELDS, merge_board, split_board
from .per_head import (
    HeadCell,
    mask_board,
    mixing_board,
    pair_board,
    scale_board,
    scores_board,
    softmax_board,
    value_pair_board,
)
from .products import (
    MAX_COLUMNS_SENT,
    PROJECTION_FACTORS,
    head_window,
    inputs_board,
    is_sum_of_words,
    output_board,
    output_window,
    projection_board,
    shows_sum_of_words,
    token_board,
)

__all__ = [
    "HEAD_FIELDS",
    "MAX_COLUMNS_SENT",
    "PROJECTION_FACTORS",
    "HeadCell",
    "head_window",
    "inputs_board",
    "is_sum_of_words",
    "mask_board",
    "merge_board",
    "mixing_board",
    "output_board",
    "output_window",
    "pair_board",
    "projection_board",
    "scale_board",
    "scores_board",
    "shows_sum_of_words",
    "softmax_board",
    "split_board",
    "token_board",
    "value_pair_board",
]
