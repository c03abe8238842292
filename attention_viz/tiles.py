"""Matrices in one picture, in lines and columns that share axes and zoom together: the ground
of every heatmap.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attention_core import Trace
from attention_core.checks import Array

from .labels import short
from .parts import Part, below, box, layout, margins, word
from .theme import Figure

WIDTH = 1000  # px, about what a page leaves for a picture beside the sidebar
TITLE, GAP = 20, 14  # px above each tile for its title, and between tiles
MOST_TICKS = 24  # labels along one side of a tile that are all written
NUMBERED = 22  # px that a cell needs to hold its number; the browser has the last word
TYPE = 12  # px, the largest number in a cell
TICK = 36  # px of the colour bar for each of its numbers, of which there are at most 5
MOST_HATCHED = 4096  # masked cells that get a glyph each, which takes the browser some time


@dataclass(frozen=True, eq=False)
class Tile:
    """A matrix and what stands above it. head: what a click on it reports, -1 for no head; lit:
    framed.
    """

    matrix: Array
    title: str = ""
    head: int = -1
    lit: bool = False


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


def tiled(
    sheet: Sheet,
    tiles: Sequence[Tile],
    description: str,
    *,
    across: int,
    cell: tuple[int, int] | None = None,
) -> Figure:
    """The tiles in lines of so many, with hover, and labels at the left and at the bottom.

    cell: a row and a column that are framed in each tile. A click reports the tile's meta: its head
    and first column.
    """
    lines, room = math.ceil(len(tiles) / across), sheet.width / across - GAP
    tall = _height(sheet, room)
    whole = lines * tall + (lines - 1) * (TITLE + GAP)
    hatched = sum(tile.matrix.size for tile in tiles) <= MOST_HATCHED
    angle, foot = below(sheet.columns)
    sides = margins(sheet.rows, l=4, r=64 if sheet.limit else 8, t=TITLE + 4, b=foot)
    around: Part = {"shapes": [], "annotations": [], "margin": sides}
    data: list[Part] = []
    for column in range(min(across, len(tiles))):
        last = (
            len(tiles) - 1 - column
        ) // across  # the line whose tile has the column's labels below it
        labels = {"anchor": f"y{_suffix(last)}", "tickangle": angle}
        around[f"xaxis{_suffix(column)}"] = _across(sheet, column, across) | labels
    for line in range(lines):
        around[f"yaxis{_suffix(line)}"] = _down(sheet, line, tall, whole)
    for place, tile in enumerate(tiles):
        line, column = divmod(place, across)
        axes = {"xaxis": f"x{_suffix(column)}", "yaxis": f"y{_suffix(line)}"}
        data += _pictures(
            sheet, tile, axes, hatched, numbered=room / len(sheet.columns) >= NUMBERED
        )
        around["annotations"].append(_title(tile, axes))
        around["shapes"] += _frames(tile, axes, cell)
    if sheet.limit:
        around["coloraxis"] = _colours(sheet.kind, sheet.limit, min(180.0, whole))
    return {"data": data, "layout": layout(whole + sides["t"] + sides["b"], description, **around)}


def across_for(n_tiles: int) -> int:
    """How many tiles stand side by side: at most 4, without a gap at the end where the number
    allows it.

    >>> [across_for(n) for n in (1, 2, 4, 6, 8, 16)]
    [1, 2, 2, 3, 4, 4]
    """
    root = math.ceil(math.sqrt(n_tiles))
    return next((n for n in range(root, 5) if n_tiles % n == 0), min(4, root))


def numbered(labels: Sequence[str]) -> tuple[str, ...]:
    """Tokens with their places, so that repeated ones stay apart; shortened, and markup stays text.

    >>> numbered(["the", "the"])
    ('0 the', '1 the')
    """
    return tuple(f"{place} {short(label)}" for place, label in enumerate(labels))


def largest(matrix: Array) -> float:
    """The largest absolute value that is not masked; 1 where all is 0."""
    return float(np.abs(matrix, where=np.isfinite(matrix), out=np.zeros(matrix.shape)).max()) or 1.0


def column_labels(trace: Trace, field: str) -> list[str]:
    """The names of a field's columns: tokens, or feature numbers ("head·feature" where heads
    lie side by side).
    """
    axis = trace.axes(field)[-1]
    if "·" not in axis:
        return [short(token) for token in trace.labels(axis)]
    width = trace.sizes[axis.split("·")[1]]
    return [f"{i // width}·{i % width}" for i in range(getattr(trace, field).shape[-1])]


def _height(sheet: Sheet, room: float) -> float:
    """The height of a tile in px: cells about square, flat enough for a screen and high enough
    for their labels.
    """
    n_rows, n_columns = len(sheet.rows), len(sheet.columns)
    lowest = 15.0 if n_rows <= MOST_TICKS else 1.2
    return n_rows * max(lowest, min(room / n_columns, sheet.tallest))


def _suffix(place: int) -> str:
    """What an axis has behind its letter: nothing for the first one."""
    return str(place + 1) if place else ""


def _across(sheet: Sheet, column: int, across: int) -> Part:
    """The axis that all tiles of a column share. All columns are zoomed together."""
    width = (1 - (across - 1) * GAP / sheet.width) / across
    left = column * (width + GAP / sheet.width)
    return _axis(sheet.columns, left, left + width, sheet.width * width / 12) | (
        {"matches": "x"} if column else {}
    )


def _down(sheet: Sheet, line: int, tall: float, whole: float) -> Part:
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


def _pictures(sheet: Sheet, tile: Tile, axes: Part, hatched: bool, numbered: bool) -> list[Part]:
    """The colours of a tile, and the ground of its cells without a number."""
    finite = np.isfinite(tile.matrix)
    shown = np.where(finite, tile.matrix, np.nan).astype("f4")
    # The names of rows and columns are those of the axes.
    place = axes | {"xgap": _gap(sheet), "ygap": _gap(sheet), "meta": [tile.head, sheet.start]}
    data: list[Part] = [
        place
        | _scale(sheet, tile)
        | {
            "type": "heatmap",
            "z": shown,
            "hoverongaps": False,
            "name": tile.title,
            "hovertemplate": "%{y} → %{x}<br><b>%{z:.4g}</b><extra>%{fullData.name}</extra>",
            "textfont": {
                "size": TYPE
            },  # by which assets/chart/cells.js knows where to write numbers as soon as they fit
            **({"texttemplate": "%{z:.2f}"} if numbered else {}),
        }
    ]
    if not finite.all():
        data.append(
            place
            | {
                "type": "heatmap",
                "z": np.where(finite, np.nan, 1).astype("f4"),
                "colorscale": "@mask",
                "showscale": False,
                "name": tile.title,
                "hoverongaps": False,
                "hovertemplate": (
                    f"%{{y}} → %{{x}}<br>{sheet.missing}<extra>%{{fullData.name}}</extra>"
                ),
                **(_glyphs(finite) if hatched else {}),
            }
        )
    return data


def _glyphs(finite: Array) -> Part:
    """A stroke in each cell without a number, so that it is never told by its colour alone."""
    strokes = np.where(finite, "", "╱").tolist()
    return {"text": strokes, "texttemplate": "%{text}", "textfont": {"color": "@hatch", "size": 12}}


def _scale(sheet: Sheet, tile: Tile) -> Part:
    if sheet.limit:
        return {"coloraxis": "coloraxis"}
    limit = largest(tile.matrix)
    low = 0.0 if sheet.kind == "probability" else -limit
    return {"zmin": low, "zmax": limit, "colorscale": f"@{sheet.kind}", "showscale": False}


def _colours(kind: str, limit: float, length: float) -> Part:
    numbers = min(5, max(2, int(length / TICK)))
    return {
        "cmin": 0.0 if kind == "probability" else -limit,
        "cmax": limit,
        "colorscale": f"@{kind}",
        "colorbar": {
            "thickness": 10,
            "outlinewidth": 0,
            "tickfont": {"size": 11},
            "nticks": numbers,
            "xpad": 4,
            "ypad": 0,
            "x": 1.0,
            "lenmode": "pixels",
            "len": length,
            "y": 1,
            "yanchor": "top",
        },
    }


def _gap(sheet: Sheet) -> int:
    """The line between cells in px; between tiny cells it would wash the colours out."""
    return 1 if max(len(sheet.rows), len(sheet.columns)) <= MOST_TICKS else 0


def _title(tile: Tile, axes: Part) -> Part:
    name = f"<b>{tile.title}</b>" if tile.lit else tile.title
    return word(
        0,
        1,
        name,
        anchor="left",
        size=12,
        yanchor="bottom",
        xref=f"{axes['xaxis']} domain",
        yref=f"{axes['yaxis']} domain",
    )


def _frames(tile: Tile, axes: Part, cell: tuple[int, int] | None) -> list[Part]:
    """A frame around the tile, and one around the cell in focus."""
    n_rows, n_columns = tile.matrix.shape
    plane = (axes["xaxis"], axes["yaxis"])
    frame = box(
        0, 0, n_columns, n_rows, "@primary" if tile.lit else "@line", 3 if tile.lit else 1, plane
    )
    return [frame] + ([box(cell[1], cell[0], 1, 1, "@focus", 2, plane)] if cell else [])
