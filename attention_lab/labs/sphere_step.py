"""One Riemannian step on the sphere, a Stiefel manifold that can be drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array

from .stiefel import RETRACTIONS, geodesic, tangent_projection

PATH_POINTS = 33


@dataclass(frozen=True, eq=False)
class SphereStep:
    """One Riemannian step on the unit sphere, the Stiefel manifold of one column in three
    dimensions.

    tangent: the gradient without its part along the point. straight_end: the end of the straight
    step, off the sphere. landing_points: the end of each retraction. path: points of the geodesic,
    (33, 3). Shapes: (3,).
    """

    point: Array
    gradient: Array
    tangent: Array
    straight_end: Array
    landing_points: dict[str, Array]
    path: Array

    @property
    def length(self) -> float:
        """The length of the straight step."""
        return float(np.linalg.norm(self.straight_end - self.point))


def sphere_step(point: Array, gradient: Array, step_size: float) -> SphereStep:
    """A step against a gradient from a point of the unit sphere, with all retractions.

    >>> sphere_step(np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 5.0]), 1.0).tangent.tolist()
    [1.0, 0.0, 0.0]
    """
    column = point[:, np.newaxis]
    tangent = tangent_projection(column, gradient[:, np.newaxis])
    step = -step_size * tangent
    landing_points = {
        name: retraction.compute(column, step)[:, 0] for name, retraction in RETRACTIONS.items()
    }
    shares = np.linspace(0, 1, PATH_POINTS)
    path = np.stack([geodesic(column, share * step)[:, 0] for share in shares])
    return SphereStep(point, gradient, tangent[:, 0], (column + step)[:, 0], landing_points, path)
