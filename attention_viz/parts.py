"""The pieces that pictures are put together from: frames, words, strokes, places to click, axes and the layout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from attention_core.checks import Array

from .labels import longest

# A click needs one invisible marker per cell; above this many the page gets slow (2 ms per 100 markers).
MOST_CLICKABLE = 4096
AXIS = {"showgrid": False, "zeroline": False, "fixedrange": True, "ticks": "", "tickfont": {"size": 11}}
PLANE = ("x", "y")

Part = dict[str, Any]
# x, y, what a click reports (head, row and column, head -1 for none; or a name), what the hover says
Spot = tuple[float, float, tuple[int, int, int] | str, str]


def rectangle(
    x0: float, y0: float, x1: float, y1: float, color: str, line: float, axes: tuple[str, str] = PLANE
) -> Part:
    """A frame from one corner to the opposite one."""
    return {
        "type": "rect", "x0": x0, "x1": x1, "y0": y0, "y1": y1, "xref": axes[0], "yref": axes[1],
        "line": {"color": color, "width": line}, "layer": "above",
    }  # fmt: skip


def box(
    x: float, y: float, width: float, height: float, color: str, line: float, axes: tuple[str, str] = PLANE
) -> Part:
    """A frame around cells; x and y count cells from the top left."""
    return rectangle(x - 0.5, y - 0.5, x + width - 0.5, y + height - 0.5, color, line, axes)


def broken_line(x0: float, y0: float, x1: float, y1: float, color: str, line: float, dash: str) -> Part:
    """A dashed ("dash") or dotted ("dot") line."""
    return {
        "type": "line", "x0": x0, "y0": y0, "x1": x1, "y1": y1, "layer": "above",
        "line": {"color": color, "width": line, "dash": dash},
    }  # fmt: skip


def word(
    x: float, y: float, text: str, color: str = "@text", anchor: str = "center", size: float = 13, **more: Any
) -> Part:
    """A word or two at a place, which is their middle, or what anchor and yanchor name."""
    return {
        "x": x, "y": y, "text": text, "showarrow": False, "xanchor": anchor, "yanchor": "middle",
        "font": {"color": color, "size": size},
    } | more  # fmt: skip


def ground(hidden: Array, **place: Any) -> Part:
    """The plain ground of masked cells; place: where the matrix lies."""
    return {
        "type": "heatmap", "z": np.where(hidden, 1, np.nan).astype("f4"), "colorscale": "@mask", "showscale": False,
        "hoverinfo": "skip",
    } | place  # fmt: skip


def strokes(x: Array, y: Array, dx: float = 1, dy: float = 1) -> Part:
    """A diagonal stroke in each masked cell of a size, given the middles: never told by colour alone."""
    gap = np.full(len(x), np.nan)
    return {
        "type": "scatter", "mode": "lines", "hoverinfo": "skip", "showlegend": False,
        "x": np.stack([x - 0.3 * dx, x + 0.3 * dx, gap], axis=1).ravel().astype("f4"),
        "y": np.stack([y + 0.3 * dy, y - 0.3 * dy, gap], axis=1).ravel().astype("f4"),
        "line": {"color": "@hatch", "width": 1},
    }  # fmt: skip


def clicks(spots: Sequence[Spot], size: int = 14, axes: tuple[str, str] = PLANE) -> list[Part]:
    """Invisible markers that can be clicked and say what they are: a Plotly heatmap reports no click to Streamlit.

    There are none where there would be too many. Only one is drawn (maxdisplayed): hovering and clicking read the data,
    and drawing all of them made seven times as many changes to the page.
    """
    if not 0 < len(spots) <= MOST_CLICKABLE:
        return []
    x, y, where, texts = (list(part) for part in zip(*spots, strict=True))
    return [{
        "type": "scatter", "mode": "markers", "x": _typed(x), "y": _typed(y), "showlegend": False,
        "customdata": where if isinstance(where[0], str) else _typed(where), "text": texts,
        "hovertemplate": "%{text}<extra></extra>",
        "marker": {"opacity": 0, "size": size, "symbol": "square", "maxdisplayed": 1},
        "xaxis": axes[0], "yaxis": axes[1],
    }]  # fmt: skip


def _typed(numbers: Sequence[Any]) -> Array:
    """Numbers as they travel to the browser in the fewest bytes: whole ones in two, all others in four."""
    array = np.array(numbers)
    return array.astype("i2" if array.dtype.kind == "i" else "f4")


def margins(labels: Sequence[str], size: int = 11, **sides: float) -> dict[str, float]:
    """The margins l, r, t, b in px, the left one at least as wide as the labels that stand there.

    They are computed: Plotly's automargin draws every chart twice (a third of its time).
    """
    beside = longest(labels, size) + 6 if labels else 0
    return sides | {"l": max(sides["l"], beside)}


def below(labels: Sequence[str]) -> tuple[int, float]:
    """The angle of labels below a picture, aslant when they are long, and the height in px that they need."""
    slanted = max(map(len, labels)) > 3
    return (-45 if slanted else 0), longest(labels) * (0.75 if slanted else 0) + 18


def layout(height: int | float, description: str, **parts: Any) -> Part:
    """What all pictures share: no dragging, no legend, and the sentence that is their accessible name."""
    return {
        "height": height, "hovermode": "closest", "dragmode": False, "showlegend": False,
        "meta": {"description": description},
    } | parts  # fmt: skip
