"""Charts of a stack of layers: how different its tokens are, and how much they keep of their
attention.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from attention_lab.diagonal.depth import Trajectory, TrajectorySample

from ..curves import CHART_MARGINS, WITH_LEGEND, area, chart_axis, line_series
from ..parts import Part, layout
from ..theme import Figure

# Relative rounding of float64: tokens at a smaller distance are equal up to rounding.
SMALLEST_DISTANCE = 1e-16
LINEAR: Part = {"range": [-0.02, 1.04]}
LOGARITHMIC: Part = {"type": "log", "exponentformat": "power", "range": [-16.5, 0.3]}


def distance_figure(stacks: Mapping[str, TrajectorySample], logarithmic: bool) -> Figure:
    """The distance of the tokens from their mean before each layer: the median of the samples as a
    line, all of them as a band.

    Logarithmic: tokens that are equal up to rounding are not drawn.
    """
    data = _curves(stacks, lambda one: _drawable(one.distances, logarithmic))
    axis = chart_axis("distance from the mean", **(LOGARITHMIC if logarithmic else LINEAR))
    description = (
        f"Chart: distance of the tokens from their mean, layer by layer. Stacks: {len(stacks)}."
    )
    return {"data": data, "layout": _layout(description, axis)}


def self_mass_figure(stacks: Mapping[str, TrajectorySample]) -> Figure:
    """The mean self-attention mass of each layer, in the same colours: median and band."""
    data = _curves(stacks, lambda one: list(one.self_masses))
    description = f"Chart: mean self-attention mass of each layer. Stacks: {len(stacks)}."
    axis = chart_axis("self-attention mass D", **LINEAR)
    return {"data": data, "layout": _layout(description, axis)}


def _curves(
    stacks: Mapping[str, TrajectorySample], heights: Callable[[Trajectory], list[float | None]]
) -> list[Part]:
    """The bands first and the lines above them, so that no line is covered."""
    bands = [
        _band(heights(one.quantile(0)), heights(one.quantile(1)), f"@head {place}")
        for place, one in enumerate(stacks.values())
        if len(one.trajectories) > 1
    ]
    lines = []
    for place, (name, one) in enumerate(stacks.items()):
        median = heights(one.median)
        lines.append(line_series(range(len(median)), median, name, f"@head {place}"))
    return bands + lines


def _band(low: list[float | None], high: list[float | None], color: str) -> Part:
    """The area between two curves, over the layers at which both are drawn."""
    kept = [layer for layer, ends in enumerate(zip(low, high, strict=True)) if None not in ends]
    there, back = (np.array([(layer, ends[layer]) for layer in kept]) for ends in (high, low))
    return area(np.vstack([there, back[::-1]]), color, 0.18)


def _drawable(distances: Sequence[float], logarithmic: bool) -> list[float | None]:
    """The distances, None for those that a logarithmic axis cannot show: 0 and mere rounding."""
    return [d if not logarithmic or d > SMALLEST_DISTANCE else None for d in distances]


def _layout(description: str, upwards: Part) -> Part:
    parts = WITH_LEGEND | {
        "margin": CHART_MARGINS | {"t": 62},
        "yaxis": upwards,
        "xaxis": chart_axis("layers passed", dtick=4, showgrid=False),
    }
    return layout(380, description, **parts)
