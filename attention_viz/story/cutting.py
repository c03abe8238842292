"""The boards of cutting a wide matrix into heads, and of laying heads side by side again."""

from __future__ import annotations

from functools import partial

from attention_core.head_blocks import head_columns, head_of

from ..payload import JSON, Stage
from ..scene import Panel, scene
from .per_head import HeadCell
from .ribbons import with_ribbons

HEAD_FIELDS = {"queries": "query_heads", "keys": "key_heads", "values": "value_heads"}


def split_board(stage: Stage, field: str, cell: HeadCell, focused: bool = False) -> JSON:
    """One wide matrix cut into heads: reshape, swap, and the mistake of leaving out the swap.

    focused: of the result the head in focus alone.
    """
    head, row, feature = cell
    heads = HEAD_FIELDS[field]
    group = head_of(stage.trace, heads, head)
    side_by_side = partial(Panel, arrange="across")
    reshaped, unswapped = f"reshaped_{field}", f"unswapped_{field}"
    panels = [
        Panel(field, 1, 2, (0, 0)),
        side_by_side(reshaped, 1, 3, (0, 1), "aside", "2 reshape: cut every row", tiles=2),
        Panel(heads, 2, 3, (1, 0), "result", "of one head")
        if focused
        else side_by_side(heads, 2, 3, (0, 2), "result", "3 swap: one matrix per head", tiles=1),
        side_by_side(unswapped, 2, 3, (0, 3), "aside", "wrong: no swap", tiles=1),
    ]
    says = f"The split of the {field} into heads."
    board = scene(stage, panels, (heads, (0, group, row, feature)), says)
    return with_ribbons(board, stage, heads, split=True)


def merge_board(stage: Stage, cell: HeadCell, focused: bool = False) -> JSON:
    """The heads laid side by side, right and wrong. focused: show only the head in focus."""
    head, query, feature = cell
    column = head_columns(stage.trace, "merged", head).start + feature
    panels = [
        Panel("head_outputs", 2, 3, (0, 0), title="of one head")
        if focused
        else Panel(
            "head_outputs", 2, 3, (0, 0), tiles=1, arrange="across", title="one matrix per head"
        ),
        Panel(
            "merged", 1, 2, (1, 0) if focused else (0, 1), "result", "merged: swap, then reshape"
        ),
        Panel("merged_unswapped", 1, 2, (0, 2), "aside"),
    ]
    says = "The heads side by side make the merged matrix."
    board = scene(stage, panels, ("merged", (0, query, column)), says)
    return with_ribbons(board, stage, "head_outputs", split=False)
