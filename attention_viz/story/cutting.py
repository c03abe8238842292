"""The boards of cutting a wide matrix into heads, and of laying heads side by side again."""

from __future__ import annotations

from attention_core.trace import head_columns, head_of

from ..payload import JSON, Stage
from ..scene import Panel, scene
from .per_head import HeadCell
from .ribbons import with_ribbons

HEAD_FIELDS = {"queries": "query_heads", "keys": "key_heads", "values": "value_heads"}


def split_board(stage: Stage, field: str, cell: HeadCell, focused: bool = False) -> JSON:
    """One wide matrix cut into heads: reshape, swap, and the mistake of leaving out the swap.

    focused: show only the head in focus of the result.
    """
    head, row, feature = cell
    heads = HEAD_FIELDS[field]
    group = head_of(stage.trace, heads, head)
    result = _heads_side_by_side(heads, (0, 2), "result", "3 swap: one matrix per head")
    if focused:
        result = Panel(heads, 2, 3, (1, 0), "result", "of one head")
    panels = [
        Panel(field, 1, 2, (0, 0)),
        Panel(
            f"reshaped_{field}",
            1,
            3,
            (0, 1),
            "aside",
            "2 reshape: cut every row",
            tiles=2,
            arrange="across",
        ),
        result,
        _heads_side_by_side(f"unswapped_{field}", (0, 3), "aside", "wrong: no swap"),
    ]
    description = f"The split of the {field} into heads."
    board = scene(stage, panels, (heads, (0, group, row, feature)), description)
    return with_ribbons(board, stage, heads, split=True)


def merge_board(stage: Stage, cell: HeadCell, focused: bool = False) -> JSON:
    """The heads laid side by side, right and wrong. focused: show only the head in focus."""
    head, query, feature = cell
    column = head_columns(stage.trace, "merged", head).start + feature
    heads, place = Panel("head_outputs", 2, 3, (0, 0), title="of one head"), (1, 0)
    if not focused:
        place = (0, 1)
        heads = _heads_side_by_side("head_outputs", (0, 0), "operand", "one matrix per head")
    panels = [
        heads,
        Panel("merged", 1, 2, place, "result", "merged: swap, then reshape"),
        Panel("merged_unswapped", 1, 2, (0, 2), "aside"),
    ]
    description = "The heads side by side make the merged matrix."
    board = scene(stage, panels, ("merged", (0, query, column)), description)
    return with_ribbons(board, stage, "head_outputs", split=False)


def _heads_side_by_side(array: str, place: tuple[int, int], part: str, title: str) -> Panel:
    return Panel(array, 2, 3, place, part, title, tiles=1, arrange="across")
