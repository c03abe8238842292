"""One projection as the matrix product it is: a row of X times a column of W gives a cell of Q, K or V."""

from __future__ import annotations

from dataclasses import dataclass

from attention_core import STEPS, Trace
from attention_core.checks import Array
from attention_core.heads import head_columns

from .board import Board, assembled, heat, outline, row_ticks, spots
from .heatmap import limit_of
from .labels import number
from .parts import MOST_CLICKABLE, Part, clicks, word
from .theme import Figure, role
from .tiles import row_labels

WEIGHTS = {"queries": ("inputs", "w_q"), "keys": ("memory", "w_k"), "values": ("memory", "w_v")}
MOST_COLUMNS = 64  # of a wider W and Q only the head's block is drawn
MOST_PARTED = 40
MOST_WRITTEN = 8
TOP, GAP = 24.0, 48.0


@dataclass(frozen=True)
class _Block:
    """The columns that belong to one head, and which columns are drawn."""

    first: int
    width: int
    start: int
    shown: int

    @property
    def drawn(self) -> slice:
        return slice(self.start, self.start + self.shown)

    @property
    def inside(self) -> tuple[int, int]:
        """The head's columns, counted from the first one drawn."""
        return self.first - self.start, self.first - self.start + self.width


def fused_product(trace: Trace, field: str, head: int, row: int, feature: int) -> Figure:
    """X times W as a board: X at the lower left, W above, the product where their rows and columns meet.

    field: queries, keys or values. The head's block of columns is framed in W and in the product; so are the row,
    the column and the cell in focus. Clicked points carry (head, row, feature).
    """
    source, weights = WEIGHTS[field]
    block = block_of(trace, field, head)
    x, w = getattr(trace, source)[0], getattr(trace.projections, weights)[:, block.drawn]
    product = getattr(trace, field)[0][:, block.drawn]
    boards = _placed(x, w, product, limit_of(trace, field))
    column = block.inside[0] + feature
    color = role(field)
    shapes = [outline(board, "@line") for board in boards]
    shapes += [outline(boards[0], color, 3)]
    shapes += [outline(board, color, 3, columns=block.inside) for board in boards[1:]]
    shapes += [outline(boards[0], "@focus", 2.5, rows=(row, row + 1))]
    shapes += [outline(boards[1], "@focus", 2.5, columns=(column, column + 1))]
    shapes += [outline(boards[2], "@focus", 3, rows=(row, row + 1), columns=(column, column + 1))]
    gaps = {"xgap": 1, "ygap": 1} if max(x.shape[1] + block.shown, len(x) + len(w)) <= MOST_PARTED else {}
    written = x.shape[1] + block.shown <= MOST_WRITTEN
    data = [part for board in boards for part in heat(board, written, **gaps)]
    data += _clicks(trace, field, boards, block, (head, row, feature))
    value = float(product[row, column])
    description = (
        f"Matrix product: {STEPS[source].title} {x.shape[0]} by {x.shape[1]} times W {x.shape[1]} by "
        f"{getattr(trace, field).shape[2]} gives {field}; framed are the columns of head {head}. "
        f"Row {row} times column {block.start + column} gives {number(value)}."
    )
    words = _words(trace, field, boards, head)
    words.append(_told(boards, weights[-1].upper(), (row, block.start + column), value))
    height = boards[2].bottom + 22
    return assembled(data, shapes, words, height, description, row_ticks(boards[0], row_labels(trace, field)))


def block_of(trace: Trace, field: str, head: int) -> _Block:
    """The head's columns of a fused matrix; all columns are drawn where they are few, else the head's alone."""
    total, columns = getattr(trace, field).shape[2], head_columns(trace, field, head)
    first, width = columns.start, columns.stop - columns.start
    return _Block(first, width, 0, total) if total <= MOST_COLUMNS else _Block(first, width, first, width)


def _placed(x: Array, w: Array, product: Array, limit: float) -> tuple[Board, Board, Board]:
    """The three boxes: as wide and as high as their sizes ask for, but none too small to be seen."""
    left = 96 * min(0.6, max(0.3, x.shape[1] / (x.shape[1] + w.shape[1])))
    below = min(420.0, max(44.0, 19.0 * len(x)))
    above = min(300.0, max(70.0, 15.0 * len(w)))
    right, middle = left + 4, TOP + above + GAP
    return (
        Board(x, 0, middle, left, below),
        Board(w, right, TOP, 100 - right, above),
        Board(product, right, middle, 100 - right, below, limit=limit),
    )


def _words(trace: Trace, field: str, boards: tuple[Board, Board, Board], head: int) -> list[Part]:
    """What each matrix is, its shape, and whose block is framed."""
    x, w, product = boards
    source, weights = WEIGHTS[field]
    color, letter = role(field), weights[-1].upper()
    n_rows, n_inner = getattr(trace, source).shape[1:]
    width = getattr(trace, field).shape[2]
    part = f", head {head}" if product.matrix.shape[1] < width else ""
    symbol = "M = X" if source == "memory" and trace.memory is trace.inputs else STEPS[source].symbol
    x_text = f"<b>{symbol}</b> {n_rows}×{n_inner}"
    w_text, y_text = f"<b>W<sub>{letter}</sub></b> {n_inner}×{width}{part}", f"<b>{letter}</b> {n_rows}×{width}{part}"
    return [
        word(x.left, x.top - 14, x_text, anchor="left"),
        word(w.left, w.top - 13, w_text, color, "left"),
        word(product.left, product.top - 14, y_text, color, "left"),
        word(x.right + 2, product.centre[1], "<b>=</b>", size=18),
    ]


def _told(boards: tuple[Board, Board, Board], letter: str, place: tuple[int, int], value: float) -> Part:
    """The cell in focus in words, in the corner that the product leaves free."""
    x, w, _ = boards
    text = f"row {place[0]} of X<br>times<br>column {place[1]} of W<sub>{letter}</sub><br><b>= {number(value)}</b>"
    return word(x.centre[0], w.centre[1], text, "@focus", size=15)


def _clicks(
    trace: Trace, field: str, boards: tuple[Board, Board, Board], block: _Block, focus: tuple[int, int, int]
) -> list[Part]:
    """Places to click on the product's cells, and on those of X and W where they are few enough."""
    labels = row_labels(trace, field)
    x, w, product = boards

    def tell_product(row: int, column: int) -> tuple[tuple[int, int, int], str]:
        head, feature = divmod(block.start + column, block.width)
        text = f"{labels[row]}, column {block.start + column}<br>head {head}, feature {feature}"
        return (head, row, feature), f"{text}<br><b>{number(float(product.matrix[row, column]), 4)}</b>"

    def tell_x(row: int, column: int) -> tuple[tuple[int, int, int], str]:
        text = f"{labels[row]}, feature {column}<br><b>{number(float(x.matrix[row, column]), 4)}</b>"
        return (focus[0], row, focus[2]), text

    def tell_w(row: int, column: int) -> tuple[tuple[int, int, int], str]:
        head, feature = divmod(block.start + column, block.width)
        text = f"reads feature {row}, writes column {block.start + column} (head {head})"
        return (head, focus[1], feature), f"{text}<br><b>{number(float(w.matrix[row, column]), 4)}</b>"

    if sum(board.matrix.size for board in boards) <= MOST_CLICKABLE:
        return clicks([*spots(product, tell_product), *spots(x, tell_x), *spots(w, tell_w)])
    return clicks(spots(product, tell_product)) if product.matrix.size <= MOST_CLICKABLE else []
