"""Pictures of the page *Orthonormal projections*: singular values, rounding errors, one step
on the unit sphere, and GeometricMachineLearning.jl beside our engine."""

from collections.abc import Mapping

import numpy as np

from attention_core.checks import Array
from attention_lab.labs.julia_mapping import MappingCheck
from attention_lab.labs.stiefel import RETRACTIONS, SphereStep
from attention_lab.words.numbers import format_number

from ..curves import WITH_LEGEND, chart_axis, line_series
from ..matrices import Matrix, Side, difference_matrix, matrix_board
from ..parts import Part, layout
from ..payload import JSON
from ..theme import Figure
from .subspaces import space_line, space_points, space_scene

# Positions of the names of the retractions, so that names of near points do not overlap.
LABEL_POSITIONS = ("middle left", "top center", "middle right", "bottom center")
GLOBE_CAMERA = {"eye": {"x": 1.35, "y": 1.03, "z": 0.82}, "center": {"x": 0.09, "y": -0.1, "z": 0}}


def singular_value_figure(spectra: Mapping[str, Array]) -> Figure:
    """The singular values of W_Q W_Kᵀ, from the largest to the smallest, for each way to draw
    the columns.
    """
    data = [
        line_series(
            range(1, len(values) + 1), values.tolist(), name, f"@head {place}", mode="lines+markers"
        )
        for place, (name, values) in enumerate(spectra.items())
    ]
    said = "; ".join(
        f"{name} {format_number(float(v[0]), 2)} to {format_number(float(v[-1]), 2)}"
        for name, v in spectra.items()
    )
    parts = WITH_LEGEND | {
        "xaxis": chart_axis("singular value number"),
        "yaxis": chart_axis("singular value of W_Q W_Kᵀ", rangemode="tozero"),
    }
    return {"data": data, "layout": layout(330, f"Line chart: singular values, {said}.", **parts)}


def sphere_figure(step: SphereStep) -> Figure:
    """One Riemannian step on the unit sphere: the gradient, the straight step along its tangent
    part, and where each retraction lands.
    """
    here = step.point
    data = [
        *_globe(),
        _line(np.stack([here, here - step.gradient]), "− gradient", "@muted"),
        _line(np.stack([here, step.straight_end]), "straight step along its tangent part", "@key"),
        _line(step.path, "geodesic", "@value"),
        _point(here, "Y", "start", "@text"),
        _point(step.straight_end, "off the sphere", "off the sphere", "@key"),
        *(
            _point(where, title, title, "@focus", beside)
            for (title, where), beside in zip(
                _landings(step).items(), LABEL_POSITIONS, strict=False
            )
        ),
    ]
    says = (
        f"Globe: a step of length {format_number(step.length)} from a point of the unit sphere, and"
        " where four retractions land."
    )
    return space_scene(data, GLOBE_CAMERA, 470, says)


def _landings(step: SphereStep) -> dict[str, Array]:
    """Where the retractions land; those that land at the same place share a name."""
    landings: dict[str, Array] = {}
    for name, where in step.landing_points.items():
        title = RETRACTIONS[name].title
        for same in [other for other in landings if np.allclose(landings[other], where, atol=1e-9)]:
            title = f"{same}, {title}"
            del landings[same]
        landings[title] = where
    return landings


def _globe() -> list[Part]:
    """Meridians and parallels of the unit sphere as one thin line."""
    around, gap = np.linspace(0, 2 * np.pi, 49), np.full((1, 3), np.nan)
    rings = []
    for angle in np.linspace(0, np.pi, 7)[:-1]:
        x, y = np.cos(angle) * np.sin(around), np.sin(angle) * np.sin(around)
        rings.append(np.stack([x, y, np.cos(around)], axis=1))
    for height in np.linspace(-0.75, 0.75, 5):
        x, y = (np.sqrt(1 - height**2) * wave(around) for wave in (np.cos, np.sin))
        rings.append(np.stack([x, y, np.full_like(x, height)], axis=1))
    joined = np.concatenate([part for ring in rings for part in (ring, gap)])
    return [_line(joined, "unit sphere", "@line", width=1.5)]


def _line(points_N3: Array, name: str, color: str, width: float = 5) -> Part:
    return space_line(points_N3, name, color, width, hoverinfo="name")


def _point(place: Array, text: str, name: str, color: str, beside: str = "top center") -> Part:
    hover = "%{fullData.name}<br>(%{x:.3f}, %{y:.3f}, %{z:.3f})<extra></extra>"
    about = {"textposition": beside, "showlegend": False, "hovertemplate": hover}
    return space_points(place[np.newaxis], [text], name, color, **about)


def mapping_board(check: MappingCheck) -> JSON:
    """The package's output, our output transposed, and their difference cell by cell."""
    features, tokens = Side("feature"), Side("token")
    theirs = Matrix("theirs", check.theirs, features, tokens, (0, 0), "the package, Z′")
    ours = Matrix(
        "ours", check.trace.output[0].T, features, tokens, (1, 0), "our engine, Yᵀ", role="output"
    )
    gap = difference_matrix(ours, theirs, (2, 0), "difference")
    says = (
        f"The package’s output beside ours. Largest difference: {format_number(check.difference)}."
    )
    return matrix_board([theirs, ours, gap], (gap.name, 0, 0), says)
