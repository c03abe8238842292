"""Matrices in one picture, in lines and columns that share axes and zoom together: the ground
of every heatmap.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array

from .parts import Part, below, box, layout, margins, word
from .sheet import GAP, MOST_TICKS, TITLE, Sheet, column_axis, line_axis, suffix, tile_height
from .theme import Figure

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
    tall = tile_height(sheet, room)
    whole = lines * tall + (lines - 1) * (TITLE + GAP)
    hatched = sum(tile.matrix.size for tile in tiles) <= MOST_HATCHED
    has_numbers = room / len(sheet.columns) >= NUMBERED
    angle, foot = below(sheet.columns)
    sides = margins(sheet.rows, l=4, r=64 if sheet.limit else 8, t=TITLE + 4, b=foot)
    around: Part = {"shapes": [], "annotations": [], "margin": sides}
    data: list[Part] = []
    for column in range(min(across, len(tiles))):
        # The last line with a tile in this column, below which its labels stand.
        last = (len(tiles) - 1 - column) // across
        labels = {"anchor": f"y{suffix(last)}", "tickangle": angle}
        around[f"xaxis{suffix(column)}"] = column_axis(sheet, column, across) | labels
    for line in range(lines):
        around[f"yaxis{suffix(line)}"] = line_axis(sheet, line, tall, whole)
    for place, tile in enumerate(tiles):
        line, column = divmod(place, across)
        axes = {"xaxis": f"x{suffix(column)}", "yaxis": f"y{suffix(line)}"}
        data += _pictures(sheet, tile, axes, hatched, has_numbers)
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


def largest(matrix: Array) -> float:
    """The largest absolute value that is not masked; 1 where all is 0."""
    return float(np.abs(matrix, where=np.isfinite(matrix), out=np.zeros(matrix.shape)).max()) or 1.0


def _pictures(sheet: Sheet, tile: Tile, axes: Part, hatched: bool, has_numbers: bool) -> list[Part]:
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
            # By its type assets/chart/cells.js knows where to write numbers as soon as they fit.
            "textfont": {"size": TYPE},
            **({"texttemplate": "%{z:.2f}"} if has_numbers else {}),
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
