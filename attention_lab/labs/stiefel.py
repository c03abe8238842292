"""The Stiefel manifold: matrices with orthonormal columns, PᵀP = I, and how to move on it.

A point is Y, a step D is tangent at Y. Every function takes one matrix or a stack of them, (..., n,
k) with k <= n columns.
Source: Edelman, Arias and Smith 1998; Absil, Mahony and Sepulchre 2008, section 4.1; Wen and Yin
2013 (Cayley).

Then one Riemannian step on the sphere, a Stiefel manifold that can be drawn; and what orthonormal
columns change in a layer: the matrices, the spread of the scores, the attention weights.
"""

import math
from dataclasses import dataclass

import numpy as np

from attention_core.attention import attend
from attention_core.checks import Array
from attention_core.initialisation import normal, orthonormal_columns, xavier
from attention_core.projections import Projections

from ..heads.patterns import entropy
from .formula import computed_formulas, formulas_of


def tangent_projection(point: Array, gradient: Array) -> Array:
    """The part of a gradient along the manifold; the rest would change lengths and angles of the
    columns.

    Shapes: (..., n, k) twice. Source: Edelman et al. 1998, equation 2.4; the Euclidean metric.
    """
    overlap = point.mT @ gradient
    tangent: Array = gradient - point @ ((overlap + overlap.mT) / 2)
    return tangent


def qr_retraction(point: Array, step: Array) -> Array:
    """Step off the manifold, then make the columns orthonormal one after another (Gram-Schmidt).

    The diagonal of R is made positive, so that a step of 0 does not move the point.
    """
    q, r = np.linalg.qr(point + step)
    signs = np.where(np.diagonal(r, axis1=-2, axis2=-1) < 0, -1.0, 1.0)
    landed: Array = q * signs[..., np.newaxis, :]
    return landed


def polar_retraction(point: Array, step: Array) -> Array:
    """Step off the manifold, then take the nearest matrix with orthonormal columns."""
    u, _, v_transposed = np.linalg.svd(point + step, full_matrices=False)
    landed: Array = u @ v_transposed
    return landed


def rotation_generator(point: Array, step: Array) -> Array:
    """The skew-symmetric matrix Ω that generates a rotation of the whole space and moves the point
    by the step: Ω Y = D.

    Shapes: (..., n, k) twice -> (..., n, n).
    """
    half = step - point @ (point.mT @ step) / 2
    outer = half @ point.mT
    omega: Array = outer - outer.mT
    return omega


def cayley_retraction(point: Array, step: Array) -> Array:
    """Rotate the whole space by the Cayley transform of Ω, which needs one linear system."""
    omega = rotation_generator(point, step)
    identity = np.eye(point.shape[-2])
    landed: Array = np.linalg.solve(identity - omega / 2, point + omega @ point / 2)
    return landed


def geodesic(point: Array, step: Array) -> Array:
    """Rotate the whole space by exp(Ω): the straightest path in the canonical metric.

    iΩ is Hermitian, so its eigenvalues give the exponential.
    """
    values, vectors = np.linalg.eigh(1j * rotation_generator(point, step))
    rotated = (vectors * np.exp(-1j * values)[..., np.newaxis, :]) @ (vectors.conj().mT @ point)
    landed: Array = rotated.real
    return landed


PROJECTIONS = formulas_of("projection")
RETRACTIONS = computed_formulas(
    "retraction",
    {
        "qr": qr_retraction,
        "polar": polar_retraction,
        "cayley": cayley_retraction,
        "geodesic": geodesic,
    },
)


def parameter_counts(d_model: int, n_heads: int) -> tuple[int, int]:
    """The degrees of freedom of W_Q, W_K and W_V: with free and with orthonormal columns.

    The d x n matrix of a head loses n(n+1)/2: each column has length 1 and is orthogonal to the
    columns before it.

    >>> parameter_counts(64, 8)
    (12288, 11424)
    """
    n = d_model // n_heads
    return 3 * d_model**2, 3 * n_heads * (d_model * n - n * (n + 1) // 2)


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
    along = math.cos(angle) * sideways + math.sin(angle) * upwards
    return sphere_step(point, along + outward * point, step_size)


COLUMN_INITIALISATIONS = {"orthonormal": orthonormal_columns, "normal": normal, "glorot": xavier}


@dataclass(frozen=True, eq=False)
class ColumnEffect:
    """The effect of one kind of columns on a layer.

    condition: the largest singular value of W_Q divided by the smallest, averaged over the heads.
    singular_values: of W_Q W_Kᵀ, averaged over the heads, (n,). score_spread: standard deviation of
    the scaled scores off the diagonal. entropy: mean over all rows in nats; ln of the number of
    tokens if attention is even.
    """

    condition: float
    singular_values: Array
    score_spread: float
    entropy: float


def column_effect(
    columns: str,
    d_model: int = 64,
    n_heads: int = 8,
    *,
    n_tokens: int = 32,
    scale: float | None = None,
    seed: int = 0,
) -> ColumnEffect:
    """The effect of the columns, measured on a layer of random matrices and random tokens.

    columns: a key of `COLUMN_INITIALISATIONS`. scale: None means 1/√(head width).
    """
    draw, n = COLUMN_INITIALISATIONS[columns], d_model // n_heads
    rng = np.random.default_rng(seed)
    x_TD = rng.standard_normal((n_tokens, d_model))
    p_q, p_k, p_v = (np.stack([draw(rng, d_model, n) for _ in range(n_heads)]) for _ in range(3))
    trace = attend(x_TD, Projections.from_heads(list(zip(p_q, p_k, p_v, strict=True))), scale=scale)
    spectrum_Hn = np.linalg.svd(p_q, compute_uv=False)
    # W_Q W_Kᵀ has rank n: its singular values are those of the product of the triangular factors.
    factors = np.linalg.qr(p_q)[1] @ np.linalg.qr(p_k)[1].swapaxes(1, 2)
    return ColumnEffect(
        float((spectrum_Hn[:, 0] / spectrum_Hn[:, -1]).mean()),
        np.linalg.svd(factors, compute_uv=False).mean(axis=0),
        float(trace.scaled_scores[0][:, ~np.eye(n_tokens, dtype=bool)].std()),
        float(entropy(trace.probabilities).mean()),
    )
