"""Tokens in three dimensions with the plane of a head, and the tokens as the head reads them.

Lines and points in space have no axes; they are seen by a camera that can be turned.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from attention_core.checks import Array
from attention_lab.labs.subspaces import HeadPlanes
from attention_lab.words.numbers import format_number

from ..curves import WITH_LEGEND, marks
from ..diagonal.geometry import plane_axes
from ..parts import Part, layout
from ..theme import Figure

CAMERA = {"eye": {"x": 1.5, "y": 1.25, "z": 0.8}}
N_GRID_LINES = 9  # of the grid of a plane, in each direction


def space_scene(data: list[Part], camera: Part, height: int, says: str) -> Figure:
    """A figure of lines and points in space. camera: its position, as Plotly takes it."""
    parts = WITH_LEGEND | {
        "scene": {
            **{f"{letter}axis": {"visible": False} for letter in "xyz"},
            "aspectmode": "data",
            "dragmode": "orbit",
            "camera": camera,
        },
        "margin": {"l": 0, "r": 0, "t": 32, "b": 0},
        "dragmode": "orbit",
    }
    return {"data": data, "layout": layout(height, says, **parts)}


def space_line(points_N3: Array, name: str, color: str, width: float = 5, **more: Any) -> Part:
    """A line through points. NaN leaves a gap."""
    line = {"mode": "lines", "line": {"color": color, "width": width}}
    return _in_space(points_N3, name) | line | more


def space_points(
    points_N3: Array, texts: Sequence[str], name: str, color: str, **more: Any
) -> Part:
    """Points, each with a text beside it."""
    dots = {
        "mode": "markers+text",
        "text": list(texts),
        "textposition": "top center",
        "textfont": {"color": color, "size": 13},
        "marker": {"color": color, "size": 5},
        "hovertemplate": "%{text} (%{x:.3f}, %{y:.3f}, %{z:.3f})<extra></extra>",
    }
    return _in_space(points_N3, name) | dots | more


def _in_space(points_N3: Array, name: str) -> Part:
    places = dict(zip("xyz", points_N3.T.astype("f4"), strict=True))
    return {"type": "scatter3d", "name": name} | places


def space_figure(planes: HeadPlanes, head: int) -> Figure:
    """The tokens as points, a head's plane as a grid, and the perpendiculars to it."""
    feet, points = planes.feet[head], planes.points
    drops = np.stack([points, feet, np.full_like(points, np.nan)], axis=1).reshape(-1, 3)
    color, grid = f"@head {head}", _grid(planes, head)
    data = [
        space_line(grid, f"plane of head {head}", color, width=1.5, hoverinfo="skip"),
        space_line(drops, "perpendicular", "@muted", width=3, hoverinfo="skip"),
        space_points(points, planes.tokens, "token", "@text"),
        space_points(feet, ("",) * len(feet), f"foot in head {head}", color),
        space_points(np.zeros((1, 3)), ("0",), "origin", "@muted"),
    ]
    shares = planes.length_shares[head]
    says = (
        f"Three dimensions: {len(feet)} tokens and the plane of head {head}. The smallest share of"
        f" its squared length lies in the plane for “{planes.tokens[int(shares.argmin())]}”:"
        f" {format_number(float(shares.min()), 2)}."
    )
    return space_scene(data, CAMERA, 400, says)


def plane_figure(planes: HeadPlanes, head: int) -> Figure:
    """The tokens as a head reads them: two numbers for each."""
    places, reach = planes.coordinates[head], 1.3 * float(np.abs(planes.coordinates).max())
    parts = {
        "margin": {"l": 36, "r": 8, "t": 32, "b": 28},
        "title": {"text": f"head {head}", "font": {"size": 13}},
    }
    x, y = places.T.astype("f4")
    dots = marks(
        x,
        y,
        {"color": f"@head {head}", "size": 9},
        mode="markers+text",
        text=list(planes.tokens),
        textposition="top center",
        textfont={"size": 12, "color": "@text"},
        customdata=[format_number(float(share), 2) for share in planes.length_shares[head]],
        hovertemplate="%{text}: (%{x:.3f}, %{y:.3f})<br>in the plane: %{customdata} of its"
        " squared length<extra></extra>",
    )
    says = f"Plane of head {head}: {len(places)} tokens, two numbers each."
    return {"data": [dots], "layout": layout(300, says, **parts, **plane_axes(reach))}


def _grid(planes: HeadPlanes, head: int) -> Array:
    """Lines of a head's plane around the origin, as one line with gaps."""
    across, _ = np.linalg.qr(planes.bases[head])
    reach = 1.1 * float(np.abs(planes.feet @ across).max())
    places, ends = np.linspace(-reach, reach, N_GRID_LINES), np.array([-reach, reach, np.nan])
    one_way = np.stack([np.repeat(places, 3), np.tile(ends, N_GRID_LINES)], axis=1)
    both: Array = np.concatenate([one_way, one_way[:, ::-1]]) @ across.T
    return both
