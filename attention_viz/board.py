"""Matrices laid freely on one plane: the ground of pictures that show several of them and how they belong together.

The plane is 100 units wide, whatever the width of the screen, and as high as its pixels; y counts down from the top.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from attention_core.checks import Array

from .parts import AXIS, Part, Spot, ground, layout, margins, rectangle, strokes
from .theme import Figure
from .tiles import MOST_TICKS, largest

WIDTH = 100.0
MOST_STROKES = 600


@dataclass(frozen=True, eq=False)
class Board:
    """A matrix and the box it fills. limit: the value of the strongest colour, its largest absolute value when None."""

    matrix: Array
    left: float
    top: float
    width: float
    height: float
    kind: str = "feature"
    limit: float | None = None

    @property
    def step(self) -> tuple[float, float]:
        """Width and height of a cell."""
        n_rows, n_columns = self.matrix.shape
        return self.width / n_columns, self.height / n_rows

    @property
    def right(self) -> float:
        """The right edge."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.top + self.height

    @property
    def centre(self) -> tuple[float, float]:
        """The middle of the box."""
        return self.left + self.width / 2, self.top + self.height / 2

    def middle(self, row: float, column: float) -> tuple[float, float]:
        """The middle of a cell."""
        dx, dy = self.step
        return self.left + (column + 0.5) * dx, self.top + (row + 0.5) * dy


def heat(board: Board, numbers: bool = False, **more: Any) -> list[Part]:
    """The matrix as colours; masked cells (-inf) get a plain ground and strokes. numbers: write them into the cells."""
    dx, dy = board.step
    hidden = np.isneginf(board.matrix)
    limit = board.limit or largest(board.matrix)
    place = {
        "type": "heatmap", "x0": board.left + dx / 2, "dx": dx, "y0": board.top + dy / 2, "dy": dy,
        "showscale": False, "hoverinfo": "skip",
    }  # fmt: skip
    colours = {
        "z": np.where(hidden, np.nan, board.matrix).astype("f4"), "zmax": limit,
        "zmin": 0 if board.kind in ("probability", "mask", "heads") else -limit, "colorscale": f"@{board.kind}",
    }  # fmt: skip
    written = {"texttemplate": "%{z:.1f}"} if numbers else {}
    masked = [ground(hidden, **place), _strokes(board, hidden)] if hidden.any() else []
    return [place | colours | written | more, *masked]


def outline(
    board: Board, color: str, line: float = 1, *, rows: tuple[int, int] | None = None,
    columns: tuple[int, int] | None = None,
) -> Part:  # fmt: skip
    """A frame around the matrix, or around rows and columns from the first up to, not including, the second."""
    dx, dy = board.step
    n_rows, n_columns = board.matrix.shape
    (first_row, last_row), (first, last) = rows or (0, n_rows), columns or (0, n_columns)
    upper, lower = board.top + first_row * dy, board.top + last_row * dy
    return rectangle(board.left + first * dx, upper, board.left + last * dx, lower, color, line)


def arrow(x0: float, y0: float, x1: float, y1: float, color: str = "@muted") -> Part:
    """A straight arrow from one place to another."""
    return {
        "x": x1, "y": y1, "ax": x0, "ay": y0, "xref": "x", "yref": "y", "axref": "x", "ayref": "y", "text": "",
        "showarrow": True, "arrowhead": 2, "arrowsize": 1.1, "arrowwidth": 1.5, "arrowcolor": color,
    }  # fmt: skip


def path(*points: tuple[float, float], color: str = "@muted") -> Part:
    """A line around corners, to be finished by an arrow."""
    line = " L".join(f"{x:g},{y:g}" for x, y in points)
    return {"type": "path", "path": f"M{line}", "line": {"color": color, "width": 1.5}, "layer": "below"}


def spots(board: Board, tell: Callable[[int, int], tuple[tuple[int, int, int], str]]) -> list[Spot]:
    """The cells of a matrix as places to click; tell: what a click on a row and column reports, and its words."""
    return [(*board.middle(row, column), *tell(row, column)) for row, column in np.ndindex(*board.matrix.shape)]


def assembled(
    data: list[Part], shapes: list[Part], words: list[Part], height: float, description: str,
    ticks: Part | None = None, reach: tuple[float, float] = (-0.2, WIDTH + 0.2),
) -> Figure:  # fmt: skip
    """The finished picture; ticks: what stands at the left margin, reach: from where to where the plane is shown."""
    bare = AXIS | {"showticklabels": False}
    picture = layout(
        height, description, shapes=shapes, annotations=words, xaxis=bare | {"range": list(reach)},
        yaxis=(AXIS | ticks if ticks else bare) | {"range": [height, 0]},
        margin=margins(ticks["ticktext"] if ticks else [], l=0, r=0, t=0, b=0),
    )  # fmt: skip
    return {"data": data, "layout": picture}


def row_ticks(board: Board, labels: Sequence[str], most: int = MOST_TICKS) -> Part | None:
    """The names of a matrix's rows for the left margin; none where they would not be readable."""
    if len(labels) > most:
        return None
    return {"tickvals": [board.middle(i, 0)[1] for i in range(len(labels))], "ticktext": list(labels)}


def _strokes(board: Board, hidden: Array) -> Part:
    """A stroke in each masked cell, or in every n-th where there are many."""
    rows, columns = (found[:: 1 + hidden.sum() // MOST_STROKES] for found in np.nonzero(hidden))
    dx, dy = board.step
    return strokes(board.left + (columns + 0.5) * dx, board.top + (rows + 0.5) * dy, dx, dy)
