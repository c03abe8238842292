"""Parts of line charts: a line, points with error bars, axes with grid lines, a legend above."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from attention_core.checks import Array

from .parts import Part

LEGEND_ABOVE = {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "font": {"size": 12}}
PLAIN_AXIS: Part = {
    "gridcolor": "@line",
    "zeroline": False,
    "fixedrange": True,
    "tickfont": {"size": 12},
}
CHART_MARGINS = {"l": 56, "r": 12, "t": 48, "b": 48}
WITH_LEGEND: Part = {"showlegend": True, "legend": LEGEND_ABOVE, "margin": CHART_MARGINS}


def line_series(
    x: Sequence[float] | Array,
    y: Sequence[float | None] | Array,
    name: str,
    color: str,
    dash: str = "solid",
    **more: object,
) -> Part:
    """A line through numbers, with a gap where y is None."""
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": np.array(x, "f4"),
        "y": np.array(y, "f4"),  # None becomes NaN
        "line": {"color": color, "width": 2, "dash": dash},
        "hovertemplate": "%{x}: <b>%{y:.3g}</b><extra>" + name + "</extra>",
    } | more


def bar_series(x: Sequence[Any], y: Array, name: str, color: str, **more: object) -> Part:
    """Bars of numbers, in a group for each place if there are several series."""
    return {
        "type": "bar",
        "name": name,
        "x": list(x),
        "y": np.asarray(y, "f4"),
        "marker": {"color": color},
    } | more


def marks(x: Sequence[Any] | Array, y: Sequence[Any] | Array, marker: Part, **more: object) -> Part:
    """Points; their numbers are drawn as they are given."""
    return {"type": "scatter", "mode": "markers", "x": x, "y": y, "marker": marker} | more


def path(points_N2: Array, line: Part, **more: object) -> Part:
    """A line without numbers to read, from point to point. Shapes: (N, 2)."""
    x, y = points_N2.astype("f4").reshape(-1, 2).T
    return {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "y": y,
        "line": line,
        "hoverinfo": "skip",
        "showlegend": False,
    } | more


def area(points_N2: Array, color: str, opacity: float, **more: object) -> Part:
    """The area inside an outline. Shapes: (N, 2)."""
    fill = {"fill": "toself", "fillcolor": color, "opacity": opacity}
    return path(points_N2, {"width": 0}, **(fill | more))


def error_bar_series(
    x: Sequence[float],
    y: Sequence[float],
    errors: Sequence[float],
    name: str,
    color: str,
    **more: object,
) -> Part:
    """Points with their standard errors as bars."""
    bars = {"type": "data", "color": color, "thickness": 1.5, "width": 4}
    about = {
        "name": name,
        "error_y": bars | {"array": np.array(errors, "f4")},
        "hovertemplate": "%{x}: <b>%{y:.3f}</b> ± %{error_y.array:.3f}<extra>" + name + "</extra>",
    }
    return marks(np.array(x, "f4"), np.array(y, "f4"), {"color": color, "size": 8}, **about | more)


def chart_axis(title: str, **more: object) -> Part:
    """An axis with a title and grid lines, which cannot be dragged."""
    about: Part = {"title": {"text": title, "font": {"size": 13}, "standoff": 8}}
    return about | PLAIN_AXIS | more


def doubling_axis(title: str, ticks: Sequence[int]) -> Part:
    """A logarithmic axis for numbers that double from tick to tick."""
    ends = [float(np.log10(ticks[0])) - 0.03, float(np.log10(ticks[-1])) + 0.03]
    return chart_axis(
        title, type="log", tickvals=list(ticks), ticktext=[str(tick) for tick in ticks], range=ends
    )
