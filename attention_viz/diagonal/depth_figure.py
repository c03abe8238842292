"""What becomes of tokens in a stack of layers: their distance to consensus, and how much they look at themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attention_core.diagonal.depth_courses import Course

from ..curves import LEGEND, MARGIN, axis, curve
from ..parts import Part, layout
from ..theme import Figure

# Where the numbers of a computer end: what is nearer to consensus is equal up to rounding.
ROUNDING = 1e-16


def distance_figure(courses: Mapping[str, Course], logarithmic: bool) -> Figure:
    """The distance to consensus before each layer, one line for each stack. Logarithmic: lines end at rounding."""
    data = [
        curve(range(len(one.distances)), _drawn(one.distances, logarithmic), name, f"@head {place}")
        for place, (name, one) in enumerate(courses.items())
    ]
    way = {"type": "log", "exponentformat": "power", "range": [-16.5, 0.3]} if logarithmic else {"range": [-0.02, 1.04]}
    says = f"Chart: the distance to consensus over the layers of {len(courses)} stacks."
    return {"data": data, "layout": _around(says, axis("distance to consensus", **way))}


def self_mass_figure(courses: Mapping[str, Course]) -> Figure:
    """The mean self-mass of each layer, in the same colours."""
    data = [
        curve(range(len(one.self_masses)), one.self_masses, name, f"@head {place}")
        for place, (name, one) in enumerate(courses.items())
    ]
    says = f"Chart: the self-mass of each layer of {len(courses)} stacks."
    return {"data": data, "layout": _around(says, axis("mean self-mass D", range=[-0.02, 1.04]))}


def _drawn(distances: Sequence[float], logarithmic: bool) -> list[float | None]:
    """The numbers that can be drawn: a logarithmic axis has no place for 0, and rounding is no distance."""
    return [d if not logarithmic or d > ROUNDING else None for d in distances]


def _around(says: str, upwards: Part) -> Part:
    parts = {
        "showlegend": True, "legend": LEGEND, "margin": MARGIN | {"t": 62}, "yaxis": upwards,
        "xaxis": axis("layers passed", dtick=4, showgrid=False),
    }  # fmt: skip
    return layout(380, says, **parts)
