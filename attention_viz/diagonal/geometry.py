"""Tokens as arrows in the plane: which keys beat a token in its row, and where outputs lie."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attention_core import Trace
from attention_core.checks import Array
from attention_lab.diagonal.geometry import HalfPlane, half_plane_of, hull_corners

from ..curves import WITH_LEGEND, area, marks, path
from ..labels import label_width
from ..parts import Part, dashed_line, layout
from ..theme import Figure
from .self_attention_mass import token_names

FIGURE_HEIGHT = 440  # px
PLANE_SIZE = 390  # px, about, of the plane itself on a screen
FONT_SIZE, TIP_DISTANCE = 12, 6  # px: of a word, and from it to the tip of its arrow
# Where a word begins, as a part of its width.
LEFT_EDGE = {"left": -1.0, "center": -0.5, "right": 0.0}
# Where its middle is, as a part of its height and distance.
MIDDLE = {"top": 0.5, "middle": 0.0, "bottom": -0.5}


def plane(trace: Trace, token: int) -> Figure:
    """Keys as arrows, one token's query, the half-plane of the keys that beat it, and the outputs
    inside the hull of the values.

    Without weights queries, keys and values are the tokens. The hull is drawn where values lie in
    the plane.
    """
    keys, labels, half = trace.key_heads[0, 0], token_names(trace), half_plane_of(trace, token)
    reach, rivals = _reach(trace, half), half.rivals
    others = ~rivals & (np.arange(len(keys)) != token)
    room = ArrowLabels(PLANE_SIZE / (2 * reach))
    # Words are placed in this order; a word that would cover an earlier one is left out.
    chosen = _chosen(room, half, labels[token])
    beating = _arrows(room, keys, labels, rivals, "beat it", "@key")
    data = [_half_plane(half, reach), _edge(half, reach)]
    if trace.sizes["V"] == 2:
        data.append(_hull(trace.value_heads[0, 0]))
    data += [*_arrows(room, keys, labels, others, "other tokens", "@primary"), *beating, *chosen]
    if trace.sizes["V"] == 2:
        data.append(_outputs(trace, labels))
    description = (
        f"Plane: tokens as arrows. Tokens: {len(keys)}. Tokens that beat token {token} in its own"
        f" row: {int(rivals.sum())}."
    )
    return {"data": data, "layout": _around(description, reach)}


def _reach(trace: Trace, half: HalfPlane) -> float:
    """How far the plane goes on each side: a little farther than the longest arrow."""
    keys = trace.key_heads[0, 0]
    longest = max(1.0, float(np.abs(keys).max()), float(np.abs(half.normal).max()))
    return longest * (1.15 if trace.sizes["V"] == 2 else 1.35)  # words need more than points


def _chosen(room: ArrowLabels, half: HalfPlane, label: str) -> list[Part]:
    """The query of the chosen token, and its own key where that is another vector."""
    query, key, one = half.normal[np.newaxis], half.own[np.newaxis], np.array([True])
    is_one = np.array_equal(half.own, half.normal)
    name = label if is_one else f"query of {label}"
    arrow = _arrows(room, query, [name], one, "its query", "@query", aside=True)
    own = [] if is_one else _arrows(room, key, [f"key of {label}"], one, "its own key", "@focus")
    return [*arrow, *own]


def _arrows(
    room: ArrowLabels,
    ends: Array,
    labels: Sequence[str],
    wanted: Array,
    name: str,
    color: str,
    aside: bool = False,
) -> list[Part]:
    """Shafts from the origin, and heads that point outwards, with the names of their tokens. aside:
    a name stands below its arrow.
    """
    places = np.flatnonzero(wanted)
    tips = ends[places]
    words, positions = [labels[int(i)] for i in places], _outside(tips, aside)
    x, y = tips.T.astype("f4")
    angles = np.degrees(np.arctan2(tips[:, 0], tips[:, 1])).astype("f4")
    heads = marks(
        x,
        y,
        {"color": color, "size": 11, "symbol": "triangle-up", "angle": angles},
        name=name,
        mode="markers+text",
        text=room.write(words, tips, positions),
        textposition=positions,
        hovertext=words,
        cliponaxis=False,
        textfont={"color": color, "size": FONT_SIZE},
        showlegend=len(places) > 0,
        customdata=[str(i) for i in places],
        hovertemplate="%{hovertext}<br>(%{x:.3g}, %{y:.3g})<extra></extra>",
    )
    return [_shafts(tips, color), heads]


def _shafts(tips: Array, color: str) -> Part:
    """Lines from the origin to the tips, as one line with gaps."""
    zero, gap = np.zeros_like(tips), np.full_like(tips, np.nan)
    return path(np.stack([zero, tips, gap], axis=1), {"color": color, "width": 2})


def _outside(tips: Array, aside: bool) -> list[str]:
    """Where a word stands beside the head of its arrow: farther out, where no shaft runs."""
    level = np.where(tips[:, 0] < 0, "left", "right")
    if aside:
        return [f"bottom {side}" for side in level]
    steep = np.abs(tips[:, 1]) > np.abs(tips[:, 0])
    upright = np.where(tips[:, 1] < 0, "bottom", "top")
    return [
        f"{up} center" if high else f"middle {side}"
        for up, side, high in zip(upright, level, steep, strict=True)
    ]


def _half_plane(half: HalfPlane, reach: float) -> Part:
    """The area of the keys that score higher than the token's own key."""
    corners, name = half.region(reach), "keys that would beat it"
    return area(corners, "@key", 0.13, name=name, showlegend=len(corners) > 0)


def _edge(half: HalfPlane, reach: float) -> Part:
    return path(half.edge(3 * reach), {"color": "@key", "width": 1, "dash": "dot"})


def _hull(values: Array) -> Part:
    """The outline of all averages of the values."""
    corners = hull_corners(values)
    line = {"color": "@value", "width": 1.5, "dash": "dash"}
    ring = values[[*corners, corners[0]]]
    return path(ring, line, name="hull of the values", showlegend=True)


def _outputs(trace: Trace, labels: Sequence[str]) -> Part:
    x, y = trace.head_outputs[0, 0].T.astype("f4")
    dots = {"color": "@output", "size": 9, "symbol": "diamond"}
    hover = "output of %{text}<br>(%{x:.3g}, %{y:.3g})<extra></extra>"
    return marks(x, y, dots, name="outputs", text=list(labels), hovertemplate=hover)


def plane_axes(reach: float) -> Part:
    """Equal scales on both axes, the origin in sight."""
    both = {"gridcolor": "@line", "zeroline": False, "fixedrange": True, "tickfont": {"size": 11}}
    both |= {"constrain": "domain", "range": [-reach, reach]}
    crossed = [
        dashed_line(-reach, 0, reach, 0, "@muted", 1, "solid"),
        dashed_line(0, -reach, 0, reach, "@muted", 1, "solid"),
    ]
    return {"xaxis": both, "yaxis": both | {"scaleanchor": "x"}, "shapes": crossed}


def _around(description: str, reach: float) -> Part:
    margin = {"l": 36, "r": 8, "t": 52, "b": 28}
    parts = WITH_LEGEND | {"margin": margin} | plane_axes(reach)
    return layout(FIGURE_HEIGHT, description, **parts)


class ArrowLabels:
    """The words of a plane and their boxes. unit: px for a distance of 1."""

    def __init__(self, unit: float) -> None:
        self.unit = unit
        self.boxes: list[tuple[float, float, float, float]] = []

    def write(self, words: Sequence[str], tips: Array, positions: Sequence[str]) -> list[str]:
        """The words, empty where one would cover an earlier word or that of a longer arrow.

        tips: (M, 2), the ends of the arrows. positions: Plotly's names for the place of a word,
        such as "top center".
        """
        written = [""] * len(words)
        for place in np.argsort(-np.hypot(tips[:, 0], tips[:, 1]), kind="stable"):
            box = self._box(words[place], tips[place], positions[place])
            if not any(_overlap(box, other) for other in self.boxes):
                self.boxes.append(box)
                written[place] = words[place]
        return written

    def _box(self, word: str, tip: Array, position: str) -> tuple[float, float, float, float]:
        """Left, right, lower and upper edge of a word in px."""
        up, along = position.split()
        wide, (x, y) = label_width([word], FONT_SIZE), (tip * self.unit).tolist()
        left = x + LEFT_EDGE[along] * wide + TIP_DISTANCE * (2 * LEFT_EDGE[along] + 1)
        middle = y + MIDDLE[up] * (FONT_SIZE + 2 * TIP_DISTANCE)
        return left, left + wide, middle - FONT_SIZE / 2, middle + FONT_SIZE / 2


def _overlap(
    one: tuple[float, float, float, float], other: tuple[float, float, float, float]
) -> bool:
    return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]
