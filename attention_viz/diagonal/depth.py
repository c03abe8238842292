"""What becomes of tokens in a stack of layers: their distance to consensus, and how much they
look at themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from attention_lab.diagonal.depth_trajectories import Trajectory, TrajectorySample

from ..curves import LEGEND, MARGIN, axis, curve
from ..labels import counted
from ..parts import Part, layout
from ..theme import Figure

# Where the numbers of a computer end: what is nearer to consensus is equal up to rounding.
SMALLEST_DISTANCE = 1e-16


def distance_figure(stacks: Mapping[str, TrajectorySample], logarithmic: bool) -> Figure:
    """The distance to consensus before each layer: the median of the draws as a line, all of them
    as a band.

    Logarithmic: what is equal up to rounding is not drawn.
    """
    data = _curves(stacks, lambda one: _drawn(one.distances, logarithmic))
    way = (
        {"type": "log", "exponentformat": "power", "range": [-16.5, 0.3]}
        if logarithmic
        else {"range": [-0.02, 1.04]}
    )
    says = f"Chart: the distance to consensus over the layers of {counted(len(stacks), 'stack')}."
    return {"data": data, "layout": _around(says, axis("distance to consensus", **way))}


def self_mass_figure(stacks: Mapping[str, TrajectorySample]) -> Figure:
    """The mean self-mass of each layer, in the same colours: median and band."""
    data = _curves(stacks, lambda one: list(one.self_masses))
    says = f"Chart: the self-mass of each layer of {counted(len(stacks), 'stack')}."
    return {"data": data, "layout": _around(says, axis("mean self-mass D", range=[-0.02, 1.04]))}


def _curves(
    stacks: Mapping[str, TrajectorySample], heights: Callable[[Trajectory], list[float | None]]
) -> list[Part]:
    """The bands below the lines, so that no line is covered."""
    bands = [
        _band(heights(one.quantile(0)), heights(one.quantile(1)), f"@head {place}")
        for place, one in enumerate(stacks.values())
        if len(one.courses) > 1
    ]
    lines = []
    for place, (name, one) in enumerate(stacks.items()):
        median = heights(one.median)
        lines.append(curve(range(len(median)), median, name, f"@head {place}"))
    return bands + lines


def _band(low: list[float | None], high: list[float | None], color: str) -> Part:
    """The ground between two curves, over the layers at which both are drawn."""
    kept = [layer for layer, ends in enumerate(zip(low, high, strict=True)) if None not in ends]
    back = kept[::-1]
    return {
        "type": "scatter",
        "mode": "lines",
        "fill": "toself",
        "fillcolor": color,
        "opacity": 0.18,
        "x": kept + back,
        "y": [*(high[layer] for layer in kept), *(low[layer] for layer in back)],
        "line": {"width": 0},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _drawn(distances: Sequence[float], logarithmic: bool) -> list[float | None]:
    """The numbers that can be drawn: a logarithmic axis has no place for 0, and rounding is no
    distance.
    """
    return [d if not logarithmic or d > SMALLEST_DISTANCE else None for d in distances]


def _around(says: str, upwards: Part) -> Part:
    parts = {
        "showlegend": True,
        "legend": LEGEND,
        "margin": MARGIN | {"t": 62},
        "yaxis": upwards,
        "xaxis": axis("layers passed", dtick=4, showgrid=False),
    }
    return layout(380, says, **parts)
