"""The boards of cutting a wide matrix into heads and of laying heads side by side again, with the
order of their numbers in the computer's memory.
"""

from attention_core.rules import Position, Read, Rule
from attention_core.trace import head_columns, head_of
from attention_lab.story.cuts import HEAD_FIELDS as HEAD_FIELDS

from ..payload import JSON, Stage, panel_json, rule_json
from ..scene import Panel, scene
from .per_head import HeadCell

MAX_PIECES = 128  # more would be too narrow to be seen


def with_ribbons(board: JSON, stage: Stage, heads: str, *, split: bool) -> JSON:
    """A board with two lines below it: the numbers of the heads as they lie in memory before and
    after the swap, one piece for each token and head. A reshape without the swap mistakes a piece
    of one line for the piece at the same place of the other.

    heads: the field with one matrix per head. split: whether the numbers lie token by token before
    the swap. With one head or one token there is nothing to swap, and with more than `MAX_PIECES`
    pieces nothing could be seen: then the board stays as it is.
    """
    _, n_heads, n_tokens, width = stage.shape(heads)
    if min(n_heads, n_tokens) == 1 or n_heads * n_tokens > MAX_PIECES:
        return board
    words = stage.trace.labels(stage.letters(heads)[2])
    orders = _orders(n_heads, n_tokens)
    board = board | {name: {**board[name]} for name in ("arrays", "rules", "axes")}
    panels = list(board["panels"])
    if not split:
        orders.reverse()
    for name, (order, head_at, token_at) in orders:
        rule = Rule("copy", (Read(heads, (_own(0), head_at, token_at, _own(2))),))
        board["rules"][name] = rule_json(rule)
        labels = [f"{words[token]} · {head}" for token, head in order]
        board["axes"][name] = {"word": "piece", "labels": labels, "block": None}
        board["arrays"][name] = _array(board["arrays"][heads], name, (len(order), width))
        panels.append(_panel(name, [str(head) for _, head in order]))
    return board | {"panels": panels}


def _orders(
    n_heads: int, n_tokens: int
) -> list[tuple[str, tuple[list[tuple[int, int]], Position, Position]]]:
    """Token and head of every piece in both orders, and the rules that compute them from the
    place of the piece.
    """
    by_token = [(token, head) for token in range(n_tokens) for head in range(n_heads)]
    by_head = [(token, head) for head in range(n_heads) for token in range(n_tokens)]
    piece = ((1, 1),)
    return [
        (
            "token by token",
            (by_token, Position(piece, modulo=n_heads), Position(piece, over=n_heads)),
        ),
        (
            "head by head",
            (by_head, Position(piece, over=n_tokens), Position(piece, modulo=n_tokens)),
        ),
    ]


def _array(heads: JSON, name: str, shape: tuple[int, int]) -> JSON:
    """A line of pieces that the browser computes, in the colours of the heads."""
    limit = heads["limit"]
    if isinstance(limit, dict):
        limit = max(limit["values"])
    return {
        "shape": [1, *shape],
        "axes": ["B", name, heads["axes"][3]],
        "title": name,
        "role": heads["role"],
        "kind": heads["kind"],
        "limit": limit,
    }


def _own(axis: int) -> Position:
    return Position(((axis, 1),))


def _panel(name: str, heads: list[str]) -> JSON:
    about = {"rows": None, "columns": 2, "tiles": 1, "arrange": "across", "size": "small"}
    return panel_json(name, name, "", (0, 0), "ribbon", id=f"{name} ribbon", brief=heads, **about)


def split_board(stage: Stage, field: str, cell: HeadCell, focused: bool = False) -> JSON:
    """One wide matrix cut into heads: reshape, swap, and the mistake of leaving out the swap.

    focused: show only the head in focus of the result.
    """
    (head, token, feature), row = cell, stage.notation.layout.row
    heads = HEAD_FIELDS[field]
    group = head_of(stage.trace, heads, head)
    result = _side_by_side(heads, (0, 2), "result", "3 swap: one matrix per head")
    if focused:
        result = Panel(heads, 2, 3, (1, 0), "result", "of one head")
    panels = [
        Panel(field, 1, 2, (0, 0)),
        _side_by_side(f"reshaped_{field}", (0, 1), "aside", f"2 reshape: cut every {row}", rows=1),
        result,
        _side_by_side(f"unswapped_{field}", (0, 3), "aside", "wrong: no swap"),
    ]
    description = f"The split of the {field} into heads."
    board = scene(stage, panels, (heads, (0, group, token, feature)), description)
    return with_ribbons(board, stage, heads, split=True)


def merge_board(stage: Stage, cell: HeadCell, focused: bool = False) -> JSON:
    """The heads laid side by side, right and wrong. focused: show only the head in focus."""
    head, query, feature = cell
    column = head_columns(stage.trace, "merged", head).start + feature
    heads, place = Panel("head_outputs", 2, 3, (0, 0), title="of one head"), (1, 0)
    if not focused:
        place = (0, 1)
        heads = _side_by_side("head_outputs", (0, 0), "operand", "one matrix per head")
    panels = [
        heads,
        Panel("merged", 1, 2, place, "result", "merged: swap, then reshape"),
        Panel("merged_unswapped", 1, 2, (0, 2), "aside"),
    ]
    description = f"The heads {stage.notation.layout.side_by_side} make the merged matrix."
    board = scene(stage, panels, ("merged", (0, query, column)), description)
    return with_ribbons(board, stage, "head_outputs", split=False)


def _side_by_side(
    array: str, place: tuple[int, int], part: str, title: str, rows: int = 2
) -> Panel:
    """The heads of an array side by side. rows: the axis of its tokens, 2 or, unswapped, 1."""
    return Panel(array, rows, 3, place, part, title, tiles=3 - rows, arrange="across")
