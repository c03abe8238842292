"""The sentence as tokens, and the tokens as vectors: word plus position gives what the layer reads."""

from __future__ import annotations

from html import escape

from attention_core.embeddings import Embedding
from attention_core.text import PAD, Tokens

from .board import Board, assembled, heat, outline, row_ticks, spots
from .labels import number, short
from .parts import MOST_CLICKABLE, Part, Spot, clicks, word
from .theme import Figure
from .tiles import largest

LEFTS = (0.0, 35.0, 70.0)
WIDTH = 30.0
TOP = 40.0
MOST_PARTED = 24  # with more rows or columns no gaps are left between cells
PARTS = ("words", "positions", "inputs")


def chips_html(tokens: Tokens, chosen: int) -> str:
    """The tokens as a row of chips, each with its number below; the chosen one is lit, padding is dashed.

    Tokens are escaped and kept apart from the direction of their neighbours, so that no script disturbs the order.

    >>> "&lt;b&gt;" in chips_html(Tokens(("<b>",), 1), 0)
    True
    """
    chips = []
    for place, token in enumerate(tokens.tokens):
        kinds = ["token"] + ["padding"] * (token == PAD and place >= tokens.n_real) + ["chosen"] * (place == chosen)
        inside = f"<bdi>{escape(token)}</bdi><small>{place}</small>"
        chips.append(f'<span role="listitem" class="{" ".join(kinds)}">{inside}</span>')
    return f'<div class="tokens" role="list">{"".join(chips)}</div>'


def embedding_sum(embedding: Embedding, tokens: Tokens, query: int, column: int) -> Figure:
    """Word vectors plus position codes gives the inputs: three matrices on one colour scale, one number in focus.

    Clicked points carry (-1, row, column).
    """
    n_tokens, d_model = embedding.inputs.shape
    height = float(min(420, max(70, 21 * n_tokens)))
    arrays = [getattr(embedding, name) for name in PARTS]
    limit = max(largest(array) for array in arrays)
    boards = [Board(array, left, TOP, WIDTH, height, limit=limit) for array, left in zip(arrays, LEFTS, strict=True)]
    gap = 1 if max(n_tokens, d_model) <= MOST_PARTED else 0
    data: list[Part] = []
    shapes: list[Part] = []
    words: list[Part] = []
    names = ("word vectors", "positions", "inputs X")
    for board, name in zip(boards, names, strict=True):
        data += heat(board, xgap=gap, ygap=gap)
        shapes += [outline(board, "@line"), outline(board, "@muted", 1.5, rows=(query, query + 1))]
        shapes.append(outline(board, "@focus", 3, rows=(query, query + 1), columns=(column, column + 1)))
        words.append(word(board.centre[0], 12, f"<b>{name}</b>"))
        words.append(word(board.centre[0], 30, f"{n_tokens}×{d_model}", "@muted", size=11))
    for x, sign in ((32.5, "+"), (67.5, "=")):
        words.append(word(x, TOP + height / 2, f"<b>{sign}</b>", size=22))
    labels = [short(token) for token in tokens.tokens]
    if 3 * n_tokens * d_model <= MOST_CLICKABLE:
        named = zip(boards, names, strict=True)
        data += clicks([spot for board, name in named for spot in _spots(board, name, labels)])
    description = (
        f"Three heatmaps of {n_tokens} tokens by {d_model} numbers: word vectors plus position codes gives the inputs. "
        f"In focus is number {column} of token {query}: {number(float(embedding.inputs[query, column]))}."
    )
    return assembled(data, shapes, words, TOP + height + 6, description, row_ticks(boards[0], labels))


def _spots(board: Board, name: str, labels: list[str]) -> list[Spot]:
    def tell(row: int, column: int) -> tuple[tuple[int, int, int], str]:
        value = number(float(board.matrix[row, column]), 4)
        return (-1, row, column), f"{name}<br>{labels[row]}, number {column}<br><b>{value}</b>"

    return spots(board, tell)
