"""One Riemannian step on the sphere, a Stiefel manifold that can be drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array

from .stiefel import RETRACTIONS, geodesic, tangent_projection

PATH_POINTS = 33
EXAMPLE_POINT = np.array([1.0, 0.4, 0.5]) / math.hypot(1.0, 0.4, 0.5)


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


def sphere_step_example(turn: float, outward: float, step_size: float) -> SphereStep:
    """A step on the unit sphere from a fixed point; the tangent part of the gradient has length 1.

    turn: the direction of the tangent part in degrees. outward: the part of the gradient along the
    point.

    >>> step = sphere_step_example(90, 0.5, 1.0)
    >>> round(float(np.linalg.norm(step.tangent)), 9), round(float(step.gradient @ step.point), 9)
    (1.0, 0.5)
    """
    point = EXAMPLE_POINT
    sideways = np.cross(point, [0.0, 0.0, 1.0])
    sideways /= np.linalg.norm(sideways)
    upwards = np.cross(sideways, point)
    angle = math.radians(turn)
    return sphere_step(
        point, math.cos(angle) * sideways + math.sin(angle) * upwards + outward * point, step_size
    )
