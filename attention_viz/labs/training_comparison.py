"""The losses of several models as curves, with lines to compare them with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..curves import CHART_MARGINS, LEGEND_ABOVE, chart_axis, line_series
from ..labels import format_number
from ..parts import Part, layout
from ..theme import Figure

CURVE_DASHES = ("solid", "longdash", "dashdot", "dash", "longdashdot")
Curve = Sequence[tuple[int, float]]


def comparison_figure(
    curves: Mapping[str, Curve], levels: Mapping[str, float], marks: Mapping[str, float], what: str
) -> Figure:
    """The loss of each model against the step, on a logarithmic axis.

    levels: losses of models that need no steps. marks: losses above 0 for comparison, the first
    dotted, the others dashed. what: the name of the loss.
    """
    last = max((points[-1][0] for points in curves.values()), default=1)
    data: list[Part] = []
    for name, value in levels.items():
        data.append(_level(name, value, last, "@text", "solid"))
    for place, (name, points) in enumerate(curves.items()):
        steps, losses = zip(*points, strict=True)
        color, dash = f"@head {place}", CURVE_DASHES[place % len(CURVE_DASHES)]
        data.append(line_series(steps, losses, name, color, dash))
    for place, (name, value) in enumerate(marks.items()):
        color, dash = ("@focus", "dash") if place else ("@muted", "dot")
        data.append(_level(name, value, last, color, dash))
    shown = np.concatenate([part["y"] for part in data])
    low, high = float(np.log10(shown.min())), float(np.log10(shown.max()))
    room = 0.05 * (high - low) + 0.02
    parts: Part = {
        "showlegend": True,
        "legend": LEGEND_ABOVE,
        "margin": CHART_MARGINS | {"l": 64},
        "xaxis": chart_axis("step", range=[-0.01 * last, 1.01 * last]),
        "yaxis": chart_axis(
            what,
            type="log",
            range=[low - room, high + room],
            exponentformat="power",
            **({"dtick": 1} if high - low > 1 else {}),
        ),
    }
    ends = {name: points[-1][1] for name, points in curves.items()} | dict(levels)
    said = ", ".join(f"{name} {format_number(value)}" for name, value in ends.items())
    says = f"Line chart: the {what} of each model against the step. At the end: {said}."
    return {"data": data, "layout": layout(380, says, **parts)}


def _level(name: str, value: float, last: int, color: str, dash: str) -> Part:
    return line_series((0, last), (value, value), name, color, dash)
