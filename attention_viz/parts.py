"""Parts of Plotly figures: lines, words, margins and the layout."""

from collections.abc import Sequence
from typing import Any

from .labels import label_width

MAX_BAR_NAMES = 32  # of more names only some are written below the bars

Part = dict[str, Any]


def dashed_line(
    x0: float, y0: float, x1: float, y1: float, color: str, line: float, dash: str
) -> Part:
    """A dashed ("dash") or dotted ("dot") line."""
    return {
        "type": "line",
        "x0": x0,
        "y0": y0,
        "x1": x1,
        "y1": y1,
        "layer": "above",
        "line": {"color": color, "width": line, "dash": dash},
    }


def annotation(
    x: float,
    y: float,
    text: str,
    color: str = "@text",
    anchor: str = "center",
    size: float = 13,
    **more: Any,
) -> Part:
    """Words centred at a place, or placed as anchor and yanchor say."""
    return {
        "x": x,
        "y": y,
        "text": text,
        "showarrow": False,
        "xanchor": anchor,
        "yanchor": "middle",
        "font": {"color": color, "size": size},
    } | more


def figure_margins(labels: Sequence[str], size: int = 11, **sides: float) -> dict[str, float]:
    """The margins l, r, t, b in px; the left one is at least as wide as the labels there.

    They are computed because Plotly's automargin draws every chart twice (a third of its time).
    """
    if labels:
        sides["l"] = max(sides["l"], label_width(labels, size) + 6)
    return sides


def label_layout(labels: Sequence[str]) -> tuple[int, float]:
    """The angle in degrees of the labels below a picture, and the height in px that they need. Long
    labels are slanted.
    """
    if max(map(len, labels)) <= 3:
        return 0, 18
    return -45, label_width(labels) * 0.75 + 18


def named_axis(labels: Sequence[str]) -> tuple[Part, float]:
    """The axis below bars with names, and the height in px that it needs.

    The angle is set, so that Plotly need not try which one leaves room for all names.
    """
    angle, room = label_layout(labels)
    axis = {
        "type": "category",
        "fixedrange": True,
        "showgrid": False,
        "tickfont": {"size": 11},
        "tickangle": angle,
    }
    if len(labels) <= MAX_BAR_NAMES:
        return axis | {"dtick": 1}, room
    return axis | {"nticks": MAX_BAR_NAMES // 2}, room


def layout(height: int | float, description: str, **parts: Any) -> Part:
    """The layout that all figures share: no dragging, no legend, and a sentence that describes the
    figure to screen readers.
    """
    return {
        "height": height,
        "hovermode": "closest",
        "dragmode": False,
        "showlegend": False,
        "meta": {"description": description},
    } | parts
