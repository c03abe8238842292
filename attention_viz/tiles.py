"""One or several matrices of a trace field in one picture, on one pair of axes: the ground of every heatmap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attention_core import AXES, STEPS, Trace
from attention_core.checks import Array

from .labels import number, short
from .parts import AXIS, MOST_CLICKABLE, Part, Spot, below, clicks, ground, margins, strokes
from .theme import Figure

MOST_HATCHED = 4000
MOST_TICKS = 40


@dataclass(frozen=True)
class Tile:
    """A matrix and where its top left cell lies, counted in cells; head is None for a matrix of all heads."""

    matrix: Array
    x: int = 0
    y: int = 0
    head: int | None = None


def tiled(trace: Trace, field: str, tiles: Sequence[Tile], limit: float, own_scale: bool = False) -> Figure:
    """The tiles as one heatmap trace with hover, places to click, hatching and token ticks; a height is not chosen yet.

    limit: the value of the strongest colour. own_scale: divide each tile by its own largest absolute value.
    Clicked points carry (head, row, column) as customdata, head -1 for a matrix of all heads.
    """
    height = max(tile.y + tile.matrix.shape[0] for tile in tiles)
    width = max(tile.x + tile.matrix.shape[1] for tile in tiles)
    true, shown = np.full((height, width), np.nan, "f4"), np.full((height, width), np.nan, "f4")
    for tile in tiles:
        n_rows, n_columns = tile.matrix.shape
        place = np.s_[tile.y : tile.y + n_rows, tile.x : tile.x + n_columns]
        true[place] = tile.matrix
        shown[place] = tile.matrix / (largest(tile.matrix) if own_scale else 1.0)
    hidden = np.isneginf(true)
    shown[hidden] = np.nan
    data = [_colours(field, shown, true, 1.0 if own_scale else limit, own_scale)]
    if hidden.any():
        data += _hatched(hidden)
    if true.size <= MOST_CLICKABLE:
        data += _clicks(trace, field, tiles)
        data[0] |= {"hoverinfo": "skip", "hovertemplate": None}
    return {"data": data, "layout": _layout(trace, field, tiles, height, width)}


def largest(matrix: Array) -> float:
    """The largest absolute value that is not masked; 1 where all is 0."""
    return float(np.abs(matrix, where=np.isfinite(matrix), out=np.zeros(matrix.shape)).max()) or 1.0


def row_labels(trace: Trace, field: str) -> list[str]:
    """The names of a field's rows: tokens, shortened."""
    return [short(token) for token in trace.labels(trace.axes(field)[-2])]


def column_labels(trace: Trace, field: str) -> list[str]:
    """The names of a field's columns: tokens, or feature numbers ("head·feature" where heads lie side by side)."""
    axis = trace.axes(field)[-1]
    if "·" not in axis:
        return [short(token) for token in trace.labels(axis)]
    width = trace.sizes[axis.split("·")[1]]
    return [f"{i // width}·{i % width}" for i in range(getattr(trace, field).shape[-1])]


def axis_name(trace: Trace, field: str, which: int) -> str:
    """What the rows (-2) or columns (-1) of a field are, in words."""
    return " · ".join(AXES[letter] for letter in trace.axes(field)[which].split("·"))


def _colours(field: str, shown: Array, true: Array, limit: float, own_scale: bool) -> Part:
    kind = STEPS[field].kind
    gap = _gap(shown)
    return {
        "type": "heatmap", "z": shown, "zmin": 0 if kind == "probability" else -limit, "zmax": limit,
        "colorscale": f"@{kind}", "xgap": gap, "ygap": gap, "showscale": not own_scale, "customdata": true,
        "hovertemplate": "%{customdata:.4g}<extra></extra>",
        "colorbar": {"thickness": 10, "outlinewidth": 0, "tickfont": {"size": 11}, "nticks": 5, "xpad": 4, "x": 1.01},
    }  # fmt: skip


def _gap(canvas: Array) -> int:
    """The line between cells in px; between tiny cells it would wash the colours out."""
    return 1 if max(canvas.shape) <= MOST_TICKS else 0


def _hatched(hidden: Array) -> list[Part]:
    """The ground of masked cells, and a stroke in each where the strokes can be told apart."""
    rows, columns = np.nonzero(hidden)
    marks = [strokes(columns, rows)] if rows.size <= MOST_HATCHED else []
    return [ground(hidden, xgap=_gap(hidden), ygap=_gap(hidden)), *marks]


def _clicks(trace: Trace, field: str, tiles: Sequence[Tile]) -> list[Part]:
    """Every cell can be clicked, and says its head, its row, its column and its number."""
    rows, columns = row_labels(trace, field), column_labels(trace, field)
    spots: list[Spot] = []
    for tile in tiles:
        title = "" if tile.head is None else f"head {tile.head}<br>"
        head = -1 if tile.head is None else tile.head
        for (r, c), value in np.ndenumerate(tile.matrix):
            text = f"{title}{rows[r]} → {columns[c]}<br><b>{number(float(value), 4)}</b>"
            spots.append((tile.x + c, tile.y + r, (head, r, c), text))
    return clicks(spots)


def _layout(trace: Trace, field: str, tiles: Sequence[Tile], height: int, width: int) -> Part:
    """Axes with their labels, and the margins that these need."""
    rows, columns = row_labels(trace, field), column_labels(trace, field)
    left = [tile for tile in tiles if tile.x == min(t.x for t in tiles)]
    bottom = [tile for tile in tiles if tile.y == max(t.y for t in tiles if t.x == tile.x)]
    angle, room = below(columns)
    return {
        "xaxis": AXIS | {"range": [-0.5, width - 0.5], "tickangle": angle}
        | _ticks(columns, [tile.x for tile in bottom], width, numbered=trace.axes(field)[-1] not in ("T", "S")),
        "yaxis": AXIS | {"range": [height - 0.5, -0.5]} | _ticks(rows, [tile.y for tile in left], height),
        "margin": margins(
            rows if height <= MOST_TICKS else [], l=4, r=64, t=24, b=room if width <= MOST_TICKS else 4
        ),
        "shapes": [], "annotations": [],
    }  # fmt: skip


def _ticks(labels: list[str], starts: list[int], length: int, numbered: bool = False) -> Part:
    """Labels at each tile's cells, or none where they would not be readable."""
    if length > MOST_TICKS:
        return {"showticklabels": False}
    step = 4 if numbered and len(labels) * len(starts) > 20 else 1
    return {
        "tickvals": [start + i for start in starts for i in range(0, len(labels), step)],
        "ticktext": labels[::step] * len(starts),
    }
