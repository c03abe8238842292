"""The pieces that pictures are put together from: frames, lines, words, margins and the layout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .labels import label_width

PLANE = ("x", "y")
MAX_BAR_NAMES = 32  # names below bars that are all written

Part = dict[str, Any]


def frame(
    x: float,
    y: float,
    width: float,
    height: float,
    color: str,
    line: float,
    axes: tuple[str, str] = PLANE,
) -> Part:
    """A frame around cells; x and y count cells from the top left."""
    return {
        "type": "rect",
        "x0": x - 0.5,
        "x1": x + width - 0.5,
        "y0": y - 0.5,
        "y1": y + height - 0.5,
        "xref": axes[0],
        "yref": axes[1],
        "line": {"color": color, "width": line},
        "layer": "above",
    }


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
    """A word or two at a place, which is their middle, or what anchor and yanchor name."""
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
    """The margins l, r, t, b in px, the left one at least as wide as the labels that stand there.

    They are computed: Plotly's automargin draws every chart twice (a third of its time).
    """
    beside = label_width(labels, size) + 6 if labels else 0
    return sides | {"l": max(sides["l"], beside)}


def label_layout(labels: Sequence[str]) -> tuple[int, float]:
    """The angle of labels below a picture, aslant when they are long, and the height in px that
    they need.
    """
    slanted = max(map(len, labels)) > 3
    return (-45 if slanted else 0), label_width(labels) * (0.75 if slanted else 0) + 18


def named_axis(labels: Sequence[str]) -> tuple[Part, float]:
    """The axis below bars that have names, of which many are not all written, and the height in px
    that it needs.

    Told how to write them, Plotly need not try which angle leaves room for all.
    """
    angle, room = label_layout(labels)
    which = {"dtick": 1} if len(labels) <= MAX_BAR_NAMES else {"nticks": MAX_BAR_NAMES // 2}
    look = {
        "type": "category",
        "fixedrange": True,
        "showgrid": False,
        "tickfont": {"size": 11},
        "tickangle": angle,
    }
    return look | which, room


def layout(height: int | float, description: str, **parts: Any) -> Part:
    """What all pictures share: no dragging, no legend, and the sentence that is their
    accessible name.
    """
    return {
        "height": height,
        "hovermode": "closest",
        "dragmode": False,
        "showlegend": False,
        "meta": {"description": description},
    } | parts
