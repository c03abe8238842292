"""The order of a matrix's numbers in the computer's memory: token by token, and head by head."""

from __future__ import annotations

from attention_core.rules import Position, Read, Rule

from ..payload import JSON, Stage, rule_json

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
    return {
        "id": f"{name} ribbon",
        "array": name,
        "rows": None,
        "columns": 2,
        "tiles": 1,
        "arrange": "across",
        "place": [0, 0],
        "role": "ribbon",
        "title": name,
        "badge": "",
        "size": "small",
        "brief": heads,
    }
