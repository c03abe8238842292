"""Heatmaps of trace fields: one matrix with its numbers, or one matrix per head side by side."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import unescape

import numpy as np

from attention_core import STEPS, Trace
from attention_core.heads import head_columns, head_of

from .labels import number
from .parts import box, layout, word
from .theme import Figure, role
from .tiles import Tile, axis_name, column_labels, largest, row_labels, tiled

NUMBERS_UP_TO = 16


@dataclass(frozen=True)
class Cell:
    """A cell of a matrix: the head it belongs to, its row and its column."""

    head: int
    row: int
    column: int


def heatmap(
    trace: Trace,
    field: str,
    *,
    head: int | None = None,
    cell: Cell | None = None,
    like: str | None = None,
    own_scale: bool = True,
) -> Figure:
    """One matrix of a field: of one head where the field has heads, else of all of them with one head's block framed.

    cell gets a frame; like names the field whose colour scale is used (default: its own). own_scale: of a head, use
    its own colours and show their scale; else it has the colours of `heads_grid`, where the scale stands.
    """
    array = getattr(trace, field)[0]
    per_head = STEPS[field].per_head
    matrix = array[head_of(trace, field, head or 0)] if per_head else array
    n_rows, n_columns = matrix.shape
    limit = largest(matrix) if own_scale and per_head and like is None else limit_of(trace, like or field)
    figure = tiled(trace, field, [Tile(matrix, head=head if per_head else None)], limit)
    around = figure["layout"]
    if not own_scale:
        figure["data"][0]["showscale"] = False
        around["margin"]["r"] = 8
    if max(n_rows, n_columns) <= NUMBERS_UP_TO:
        short = ".0%" if STEPS[field].kind == "probability" else ".1f"
        figure["data"][0] |= {"texttemplate": f"%{{z:{'.2f' if n_columns <= 8 else short}}}", "textfont": {"size": 11}}
    if not per_head and head is not None and "·" in trace.axes(field)[-1]:
        block = head_columns(trace, field, head)
        around["shapes"].append(box(block.start, 0, block.stop - block.start, n_rows, role(field), 3))
    if cell is not None:
        around["shapes"].append(box(cell.column, cell.row, 1, 1, "@focus", 3))
    around["xaxis"]["title"] = {"text": axis_name(trace, field, -1), "font": {"size": 11}}
    around["yaxis"]["title"] = {"text": axis_name(trace, field, -2), "font": {"size": 11}}
    around["margin"]["l"] += 24
    around["margin"]["b"] += 22
    height = min(600, 120 + 28 * max(n_rows, 4))
    return figure | {"layout": layout(height, describe(trace, field, head if per_head else None), **around)}


def heads_grid(
    trace: Trace, field: str, *, cell: Cell | None = None, shared_scale: bool = True, like: str | None = None
) -> Figure:
    """The matrices of all heads in one picture, on one colour scale or each on its own.

    On its own scale each head is divided by its largest absolute value; the hover names the true number.
    """
    array = getattr(trace, field)[0]
    n_heads, n_rows, n_columns = array.shape
    across = columns_of_tiles(n_heads)
    gap_x, gap_y = max(1, round(0.08 * n_columns)), max(1, math.ceil(0.16 * n_rows))
    tiles = [
        Tile(array[h], (h % across) * (n_columns + gap_x), (h // across) * (n_rows + gap_y), h) for h in range(n_heads)
    ]
    figure = tiled(trace, field, tiles, limit_of(trace, like or field), own_scale=not shared_scale)
    shapes, words = [], []
    for tile in tiles:
        lit = cell is not None and tile.head == cell.head
        shapes.append(box(tile.x, tile.y, n_columns, n_rows, "@primary" if lit else "@line", 3 if lit else 1))
        name = f"<b>head {tile.head}</b>" if lit else f"head {tile.head}"
        words.append(word(tile.x - 0.5, tile.y - 0.5, name, anchor="left", size=12, yanchor="bottom"))
        if cell is not None:
            shapes.append(box(tile.x + cell.column, tile.y + cell.row, 1, 1, "@focus", 2))
    around = figure["layout"] | {"shapes": shapes, "annotations": words}
    height = 60 + math.ceil(n_heads / across) * {1: 420, 2: 270, 3: 210}.get(across, 170)
    return figure | {"layout": layout(height, describe(trace, field), **around)}


def limit_of(trace: Trace, field: str) -> float:
    """The value that gets the strongest colour: the largest absolute value of the whole field."""
    return largest(getattr(trace, field))


def describe(trace: Trace, field: str, head: int | None = None) -> str:
    """One sentence that says what a heatmap of the field shows; its accessible name."""
    array = getattr(trace, field)[0]
    matrix = array if head is None else array[head_of(trace, field, head)]
    *_, row, column = (int(i) for i in np.unravel_index(int(np.argmax(matrix)), matrix.shape))
    scope = f" of head {head}" if head is not None else " of all heads" if STEPS[field].per_head else ""
    rows, columns = row_labels(trace, field), column_labels(trace, field)
    return unescape(
        f"Heatmap: {STEPS[field].title}{scope}, {len(rows)} rows ({axis_name(trace, field, -2)}) by {len(columns)} "
        f"columns ({axis_name(trace, field, -1)}); the largest value, {number(float(matrix.max()))}, is in row "
        f"{rows[row]}, column {columns[column]}."
    )


def columns_of_tiles(n_tiles: int) -> int:
    """How many tiles stand side by side: at most 4, without a gap at the end where the number allows it.

    >>> [columns_of_tiles(n) for n in (1, 2, 4, 6, 8, 16)]
    [1, 2, 2, 3, 4, 4]
    """
    root = math.ceil(math.sqrt(n_tiles))
    return next((n for n in range(root, 5) if n_tiles % n == 0), min(4, root))
