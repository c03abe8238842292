"""One Riemannian step on the sphere, the Stiefel manifold that can be drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention_core import checks
from attention_core.checks import Array
from attention_core.errors import SettingsError

from .stiefel import RETRACTIONS, geodesic, tangent_projection

# Beyond it a rotation by the step's length is lost in rounding.
LONGEST_STEP = 1e6


@dataclass(frozen=True, eq=False)
class SphereStep:
    """One Riemannian step on the unit sphere, the Stiefel manifold of one column in three
    dimensions.

    tangent: the gradient without its part along the point. stepped: where the straight step leaves
    the sphere. landed: where each retraction comes down. path: points of the geodesic on the way,
    (points, 3). Shapes: (3,).
    """

    point: Array
    gradient: Array
    tangent: Array
    stepped: Array
    landed: dict[str, Array]
    path: Array

    @property
    def length(self) -> float:
        """How long the straight step is."""
        return float(np.linalg.norm(self.stepped - self.point))


def sphere_step(
    point: ArrayLike, gradient: ArrayLike, step_size: float = 1.0, n_points: int = 33
) -> SphereStep:
    """A step against a gradient from a point of the sphere, with all retractions. Raises:
    SettingsError.

    Units or range: n_points up to 10,000; the straight step up to 1,000,000 long, which is many
    times around.

    >>> sphere_step([0, 0, 2], [1, 0, 5]).tangent.tolist()
    [1.0, 0.0, 0.0]
    """
    point_3, gradient_3 = checks.as_numbers("point", point), checks.as_numbers("gradient", gradient)
    if point_3.shape != (3,) or gradient_3.shape != (3,) or not point_3.any():
        given = f"{checks.short_repr(point)}, {checks.short_repr(gradient)}"
        raise SettingsError(
            f"point and gradient must be three numbers each, the point not 0: {given}"
        )
    checks.number_between("step_size", step_size)
    checks.whole_number("n_points", n_points, 1, 10_000)
    # Divided by its largest number first: squares of tiny and huge numbers leave the
    # range of float.
    nearby_3 = point_3 / np.abs(point_3).max()
    column = (nearby_3 / np.linalg.norm(nearby_3))[:, np.newaxis]
    with np.errstate(over="ignore", invalid="ignore"):
        tangent = tangent_projection(column, gradient_3[:, np.newaxis])
        step = -step_size * tangent
    if not np.abs(step).max() <= LONGEST_STEP:
        raise SettingsError(
            f"the step is {np.abs(step).max():g} long, but at most {LONGEST_STEP:g} can be followed"
        )
    landed = {
        name: retraction.compute(column, step)[:, 0] for name, retraction in RETRACTIONS.items()
    }
    path = np.stack([geodesic(column, share * step)[:, 0] for share in np.linspace(0, 1, n_points)])
    return SphereStep(column[:, 0], gradient_3, tangent[:, 0], (column + step)[:, 0], landed, path)
