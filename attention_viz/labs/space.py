"""Lines and points in three dimensions, without axes, seen by a camera that can be turned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attention_core.checks import Array

from ..curves import LEGEND_ABOVE
from ..parts import Part, layout
from ..theme import Figure


def space_scene(data: list[Part], camera: Part, height: int, says: str) -> Figure:
    """A figure of lines and points in space. camera: its position, as Plotly takes it."""
    parts = {
        "scene": {
            **{f"{letter}axis": {"visible": False} for letter in "xyz"},
            "aspectmode": "data",
            "dragmode": "orbit",
            "camera": camera,
        },
        "showlegend": True,
        "legend": LEGEND_ABOVE,
        "margin": {"l": 0, "r": 0, "t": 32, "b": 0},
        "dragmode": "orbit",
    }
    return {"data": data, "layout": layout(height, says, **parts)}


def space_line(points_N3: Array, name: str, color: str, width: float = 5, **more: Any) -> Part:
    """A line through points. NaN leaves a gap."""
    return {
        "type": "scatter3d",
        "mode": "lines",
        "name": name,
        **_coordinates(points_N3),
        "line": {"color": color, "width": width},
        **more,
    }


def space_points(
    points_N3: Array, texts: Sequence[str], name: str, color: str, **more: Any
) -> Part:
    """Points, each with a text beside it."""
    return {
        "type": "scatter3d",
        "mode": "markers+text",
        "name": name,
        "text": list(texts),
        "textposition": "top center",
        "textfont": {"color": color, "size": 13},
        "marker": {"color": color, "size": 5},
        **_coordinates(points_N3),
        "hovertemplate": "%{text} (%{x:.3f}, %{y:.3f}, %{z:.3f})<extra></extra>",
        **more,
    }


def _coordinates(points_N3: Array) -> Part:
    return {letter: points_N3[:, place].astype("f4") for place, letter in enumerate("xyz")}
