"""The whole layer as one picture: every matrix small, in the order of computation, with its name and shape."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attention_core import STEPS, Trace
from attention_core.heads import head_columns

from .board import Board, arrow, assembled, heat, outline, path
from .parts import Part, Spot, clicks, rectangle, word
from .theme import Figure, role
from .thumbnails import PLACES, WEIGHTS, matrix_of, shape, spread, symbol, thumbnail, title

CARDS = 3
HEIGHT = 780
EDGES = (-3.0, 101.0)


@dataclass(frozen=True)
class _Follow:
    """The head in front, and the token whose row is marked: the query's, or in keys and values the key's."""

    head: int
    query: int
    key: int

    def row(self, field: str) -> int:
        return self.key if field in ("keys", "values", "key_heads", "value_heads") else self.query


def overview(trace: Trace, head: int = 0, query: int = 0, key: int = 0) -> Figure:
    """Every matrix of the layer as a thumbnail of its real numbers, joined by arrows; of per-head fields one head.

    Clicked points carry the name of the field whose step they belong to.
    """
    follow = _Follow(head, query, key)
    boards = {name: thumbnail(trace, name, head) for name in PLACES if matrix_of(trace, name, head) is not None}
    data: list[Part] = []
    shapes: list[Part] = []
    words: list[Part] = []
    for name, board in boards.items():
        data += heat(board)
        shapes += _cards(trace, name, board) + _frames(trace, name, board, follow)
        words += _words(trace, name, board)
    lines, arrows = _connections(trace, boards)
    data += clicks(_spots(trace, boards), 24)
    tokens = len(trace.labels("T"))
    description = (
        f"The whole attention layer as one picture for {tokens} tokens and {trace.projections.n_heads} heads: "
        + ", ".join(title(name) for name in boards) + ". Each small matrix opens its step."
    )  # fmt: skip
    return assembled(data, lines + shapes, words + arrows, HEIGHT, description, reach=EDGES)


def _color(name: str) -> str:
    color = role(WEIGHTS.get(name, name))
    return "@muted" if color == "@text" else color


def _cards(trace: Trace, name: str, board: Board) -> list[Part]:
    """The edges of the cards that lie behind a per-head matrix, at most three: there is one for every head."""
    n_heads = getattr(trace, name).shape[1] if name in STEPS and STEPS[name].per_head else 1
    edges = ""
    for i in range(1, min(n_heads - 1, CARDS) + 1):
        x, y = 0.8 * i, 4 * i
        right = board.right + x
        edges += f"M{board.left + x:g},{board.top - y + 4}V{board.top - y}H{right:g}V{board.bottom - y}H{right - 0.8:g}"
    return [{"type": "path", "path": edges, "line": {"color": _color(name), "width": 1}}] if edges else []


def _frames(trace: Trace, name: str, board: Board, follow: _Follow) -> list[Part]:
    """The matrix in the colour of its role, the marked token's row, and the block of the head in front."""
    shapes = [outline(board, _color(name), 2)]
    if name in WEIGHTS:
        return shapes
    drawn = spread(_n_rows(trace, name))
    row = int(np.abs(drawn - follow.row(name)).argmin())
    shapes.append(outline(board, "@focus", 1.5 if len(drawn) <= 24 else 1, rows=(row, row + 1)))
    if "·" in STEPS[name].axes:
        block, width = head_columns(trace, name, follow.head), getattr(trace, name).shape[2]
        if block.stop - block.start < width:
            left, right = (board.left + board.width * place / width for place in (block.start, block.stop))
            shapes.append(rectangle(left, board.top, right, board.bottom, "@text", 1.5))
    return shapes


def _n_rows(trace: Trace, name: str) -> int:
    return int(getattr(trace, name).shape[-2])


def _words(trace: Trace, name: str, board: Board) -> list[Part]:
    """Name above and symbol with shape below; a weight has both at its right, W_O above and below."""
    x, y = board.centre
    if name == "w_o":
        return [
            word(x, board.top - 12, "<b>W<sub>O</sub></b>", "@output"),
            word(x, board.bottom + 11, shape(trace, name), "@muted", size=11),
        ]
    if name in WEIGHTS:
        letter = f"<b>W<sub>{name[-1].upper()}</sub></b>"
        return [
            word(board.right + 1, y - 8, letter, _color(name), "left"),
            word(board.right + 1, y + 9, shape(trace, name), "@muted", "left", 11),
        ]
    below = f"{symbol(STEPS[name].symbol)} {shape(trace, name)}"
    return [
        word(x, board.top - 10 - _lift(trace, name), f"<b>{title(name)}</b>", role(name)),
        word(x, board.bottom + 11, below, "@muted", size=11),
    ]


def _lift(trace: Trace, name: str) -> float:
    """How far the cards behind a matrix reach above it."""
    return 4 * min(getattr(trace, name).shape[1] - 1, CARDS) if STEPS[name].per_head else 0


def _connections(trace: Trace, b: dict[str, Board]) -> tuple[list[Part], list[Part]]:
    """Lines around corners, and the arrows with their words: what is computed from what."""
    fork, turn, far = b["inputs"].bottom + 26, b["query_heads"].bottom + 32, 99.5
    middles = [b[name].centre[0] for name in ("queries", "keys", "values")]
    mixing = b["head_outputs"].centre[1]
    lines = [
        path((50, fork - 8), (50, fork)),
        path((middles[0], fork), (middles[2], fork)),
        path((middles[1], turn - 12), (middles[1], turn), (14, turn), color="@key"),
        path((middles[2], turn - 12), (middles[2], turn), (far, turn), (far, mixing), color="@value"),
    ]
    arrows = _projected(b, fork, middles)
    for x, start, color in ((9.0, turn - 12, "@query"), (14.0, turn, "@key")):
        arrows.append(arrow(x, start, x, b["scores"].top - 31, color))
    arrows.append(arrow(far, mixing, b["head_outputs"].right + 2.6, mixing, "@value"))
    arrows += _chained([b[name] for name in ("scores", "scaled_scores", "masked_scores", "probabilities")], 3.2)
    last = [b[name] for name in ("head_outputs", "merged", "w_o", "output") if name in b]
    arrows += _chained(last, 0.8)
    x = b["probabilities"].centre[0]
    arrows.append(arrow(x, b["probabilities"].bottom + 20, x, b["head_outputs"].top - 31))
    arrows.append(word(15.5, turn + 10, "Q K<sup>T</sup>", "@muted", "left", 11))
    arrows.append(word(x - 1, b["probabilities"].bottom + 27, "A V", "@muted", "right", 11))
    if trace.residual:
        start, end = b["inputs"].centre[1], b["output"].centre[1]
        lines.append(path((b["inputs"].left, start), (-2, start), (-2, end)))
        arrows.append(arrow(-2, end, b["output"].left - 0.3, end))
        arrows.append(word(0, start - 10, "residual: + X", "@muted", "left"))
    return lines, arrows


def _projected(b: dict[str, Board], fork: float, middles: Sequence[float]) -> list[Part]:
    """From the inputs through the weights to queries, keys and values, and on into the heads."""
    arrows = []
    for x, weights, field, heads in zip(
        middles, ("w_q", "w_k", "w_v"), ("queries", "keys", "values"), ("query_heads", "key_heads", "value_heads"),
        strict=True,
    ):  # fmt: skip
        arrows.append(arrow(x, fork, x, b[weights].top - 1, role(field)))
        arrows.append(arrow(x, b[weights].bottom, x, b[field].top - 19, role(field)))
        arrows.append(arrow(x, b[field].bottom + 21, x, b[heads].top - 31, role(field)))
        arrows.append(word(x + 1.5, b[field].bottom + 34, "split", "@muted", "left", 11))
    return arrows


def _chained(boards: Sequence[Board], cards: float) -> list[Part]:
    """Arrows from each matrix to the next, to the right or to the left; cards: room for what lies behind."""
    arrows = []
    for one, two in itertools.pairwise(boards):
        y = one.centre[1]
        forward = two.left > one.left
        x0, x1 = (one.right + cards, two.left - 0.5) if forward else (one.left - cards, two.right + cards)
        arrows.append(arrow(x0, y, x1, y))
    return arrows


def _spots(trace: Trace, boards: dict[str, Board]) -> list[Spot]:
    """Places to click all over each matrix; each reports the field whose step it opens."""
    found: list[Spot] = []
    for name, board in boards.items():
        field = WEIGHTS.get(name, name)
        says = "<br>".join(textwrap.wrap(STEPS[field].says, 44))
        text = f"<b>{title(name)}</b> {shape(trace, name)}<br>{says}<br><i>click to open this step</i>"
        found += [
            (board.left + board.width * (i + 0.5) / 4, board.top + board.height * (j + 0.5) / 3, field, text)
            for j in range(3)
            for i in range(4)
        ]
    return found
