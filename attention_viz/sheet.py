"""What the tiles of one picture share: rows, columns, colours, and the axes they stand on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .parts import Part

WIDTH = 1000  # px, about what a page leaves for a picture beside the sidebar
TITLE, GAP = 20, 14  # px above each tile for its title, and between tiles
MOST_TICKS = 24  # labels along one side of a tile that are all written


@dataclass(frozen=True, eq=False)
class Sheet:
    """What all tiles of a picture share. The labels along a side differ from each other.

    kind: feature, logit or probability; it chooses the colours. limit: the value of the strongest
    one; None: each tile has its own. missing: what a cell without a finite number is. width: what
    is left for the picture, and tallest: the height of a cell that has all the room it wants, in
    px. start: the number of the first column, for clicks.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    kind: str = "probability"
    limit: float | None = 1.0
    missing: str = "masked"
    width: float = WIDTH
    tallest: float = 24.0
    start: int = 0


def tile_height(sheet: Sheet, room: float) -> float:
    """The height of a tile in px: cells about square, flat enough for a screen and high enough
    for their labels.
    """
    n_rows, n_columns = len(sheet.rows), len(sheet.columns)
    lowest = 15.0 if n_rows <= MOST_TICKS else 1.2
    return n_rows * max(lowest, min(room / n_columns, sheet.tallest))


def suffix(place: int) -> str:
    """What an axis has behind its letter: nothing for the first one."""
    return str(place + 1) if place else ""


def column_axis(sheet: Sheet, column: int, across: int) -> Part:
    """The axis that all tiles of a column share. All columns are zoomed together."""
    width = (1 - (across - 1) * GAP / sheet.width) / across
    left = column * (width + GAP / sheet.width)
    return _axis(sheet.columns, left, left + width, sheet.width * width / 12) | (
        {"matches": "x"} if column else {}
    )


def line_axis(sheet: Sheet, line: int, tall: float, whole: float) -> Part:
    """The axis that all tiles of a line share. All lines are zoomed together."""
    top = 1 - line * (tall + TITLE + GAP) / whole
    axis = _axis(sheet.rows, max(0.0, top - tall / whole), top, tall / 12, reverse=True)
    return axis | {"anchor": "x"} | ({"matches": "y"} if line else {})


def _axis(
    labels: Sequence[str], start: float, end: float, most: float, reverse: bool = False
) -> Part:
    """An axis with a part of the picture and at most so many labels; on zooming in more of them
    are written.
    """
    edges = [-0.5, len(labels) - 0.5]
    few = len(labels) <= min(most, MOST_TICKS)
    return {
        "type": "category",
        "categoryorder": "array",
        "categoryarray": list(labels),
        "domain": [start, min(1.0, end)],
        "range": edges[::-1] if reverse else edges,
        "showgrid": False,
        "zeroline": False,
        "ticks": "",
        "tickfont": {"size": 11},
        **({"dtick": 1} if few else {"nticks": max(2, int(min(most, MOST_TICKS) / 2))}),
    }
