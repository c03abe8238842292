"""A pair of features as an arrow in the plane, before and after its turn."""

from __future__ import annotations

import math

from attention_lab.rotary_pairs import TurnedPair
from attention_lab.words.numbers import format_number

from ..curves import LEGEND_ABOVE, chart_axis
from ..parts import Part, layout
from ..theme import Figure

HEIGHT = 300  # px
MARGINS = {"l": 50, "r": 10, "t": 34, "b": 44}
N_ARC = 60  # points of an arc


def pair_figure(pair: TurnedPair) -> Figure:
    """Both arrows, and the way that the tip goes."""
    room = 1.2 * pair.length or 1.0
    begin = math.atan2(pair.before[1], pair.before[0])
    turns = [begin + pair.angle * step / N_ARC for step in range(N_ARC + 1)]
    if abs(pair.angle) > 2 * math.pi:  # the whole circle, once
        turns = [2 * math.pi * step / N_ARC for step in range(N_ARC + 1)]
    arc = {
        "type": "scatter",
        "mode": "lines",
        "name": "way of the tip",
        "x": [pair.length * math.cos(turn) for turn in turns],
        "y": [pair.length * math.sin(turn) for turn in turns],
        "line": {"color": "@muted", "width": 1, "dash": "dot"},
        "hoverinfo": "skip",
    }
    data = [arc, _arrow(pair.before, "before", "@muted"), _arrow(pair.after, "turned", "@primary")]
    about = {"range": [-room, room], "fixedrange": True, "zeroline": True}
    first = chart_axis(f"feature {pair.first}", **about)
    second = chart_axis(f"feature {pair.second}", **about, scaleanchor="x")
    description = (
        f"The pair of features {pair.first} and {pair.second} as an arrow, before and after a turn"
        f" by {format_number(pair.angle, 4)} radians."
    )
    shown = {"legend": LEGEND_ABOVE, "showlegend": True, "margin": MARGINS}
    return {"data": data, "layout": layout(HEIGHT, description, xaxis=first, yaxis=second, **shown)}


def _arrow(tip: tuple[float, float], name: str, color: str) -> Part:
    x, y = tip
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "x": [0.0, x],
        "y": [0.0, y],
        "line": {"color": color, "width": 3},
        "marker": {"size": [0, 9], "color": color},
        "hovertemplate": f"{name}: {format_number(x)}, {format_number(y)}<extra></extra>",
    }
