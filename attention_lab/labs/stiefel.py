"""The Stiefel manifold: matrices with orthonormal columns, PᵀP = I, and how to move on it.

A point is Y, a step D tangent at Y. Every function takes one matrix or a stack of them, (..., n, k)
with k <= n columns, and raises a ShapeError for any other shape, or where the shapes of two
arguments differ; a SettingsError for numbers that grow too large.
Source: Edelman, Arias and Smith 1998; Absil, Mahony and Sepulchre 2008, section 4.1; Wen and Yin
2013 (Cayley).
"""

from __future__ import annotations

import numpy as np

from attention_core import checks
from attention_core.checks import Array
from attention_core.errors import ShapeError
from attention_core.head_widths import head_width
from attention_core.initialisation import orthonormal_columns
from attention_core.number_types import check_range

from .formula import Formula, in_range


def transposed(matrix: Array) -> Array:
    """Rows and columns exchanged in every matrix of a stack."""
    matrix = checks.as_array("matrix", matrix)
    if matrix.ndim < 2:
        raise ShapeError(
            f"matrix must have at least 2 axes, rows and columns, but has shape {matrix.shape}"
        )
    return matrix.swapaxes(-1, -2)


@in_range
def orthonormality_error(point: Array) -> float:
    """How far the columns are from orthonormal: the largest ‖PᵀP - I‖ of a stack."""
    point = checks.as_stack("point", point, 2)
    gram = transposed(point) @ point
    return float(np.linalg.norm(gram - np.eye(point.shape[-1]), axis=(-2, -1)).max())


@in_range
def tangent_projection(point: Array, gradient: Array) -> Array:
    """The part of a gradient along the manifold; the rest would change lengths and angles of the
    columns.

    Shapes: (..., n, k) twice. Source: Edelman et al. 1998, equation 2.4; the Euclidean metric.
    """
    point, gradient = _at_point(point, "gradient", gradient)
    overlap = transposed(point) @ gradient
    tangent: Array = gradient - point @ ((overlap + transposed(overlap)) / 2)
    return tangent


@in_range
def canonical_gradient(point: Array, gradient: Array) -> Array:
    """The gradient measured by the canonical metric, as GeometricMachineLearning.jl does (`rgrad`).

    Source: Edelman et al. 1998, equation 2.53.
    """
    point, gradient = _at_point(point, "gradient", gradient)
    tangent: Array = gradient - point @ (transposed(gradient) @ point)
    return tangent


@in_range
def qr_retraction(point: Array, step: Array) -> Array:
    """Step off the manifold, then make the columns orthonormal one after another (Gram-Schmidt).

    The signs of R's diagonal are made positive, so that a step of 0 stays where it is.
    """
    point, step = _at_point(point, "step", step)
    q, r = np.linalg.qr(point + step)
    signs = np.where(np.diagonal(r, axis1=-2, axis2=-1) < 0, -1.0, 1.0)
    landed: Array = q * signs[..., np.newaxis, :]
    return landed


@in_range
def polar_retraction(point: Array, step: Array) -> Array:
    """Step off the manifold, then take the nearest matrix with orthonormal columns."""
    point, step = _at_point(point, "step", step)
    u, _, v_transposed = np.linalg.svd(point + step, full_matrices=False)
    landed: Array = u @ v_transposed
    return landed


@in_range
def rotation_generator(point: Array, step: Array) -> Array:
    """The rotation Ω (skew-symmetric) of the whole space whose first effect on the point is the
    step: Ω Y = D.

    Shapes: (..., n, k) twice -> (..., n, n).
    """
    point, step = _at_point(point, "step", step)
    half = step - point @ (transposed(point) @ step) / 2
    outer = half @ transposed(point)
    omega: Array = outer - transposed(outer)
    return omega


@in_range
def cayley_retraction(point: Array, step: Array) -> Array:
    """Turn the whole space by the Cayley transform of Ω: a rotation made with one linear system."""
    point, step = _at_point(point, "step", step)
    omega = rotation_generator(point, step)
    identity = np.eye(point.shape[-2])
    landed: Array = np.linalg.solve(identity - omega / 2, point + omega @ point / 2)
    return landed


@in_range
def geodesic(point: Array, step: Array) -> Array:
    """Turn the whole space by exp(Ω): the straightest way (canonical metric), as far as the step is
    long.

    iΩ is Hermitian, so the exponential comes from its eigenvalues.
    """
    values, vectors = np.linalg.eigh(1j * rotation_generator(point, step))
    turned = (vectors * np.exp(-1j * values)[..., np.newaxis, :]) @ (
        transposed(vectors.conj()) @ point
    )
    landed: Array = turned.real
    return landed


def _at_point(point: Array, name: str, other: Array) -> tuple[Array, Array]:
    """A point and a gradient or step at it: of one shape, and no more columns than can be
    orthonormal.
    """
    point, other = checks.as_stack("point", point, 2), checks.as_stack(name, other, 2)
    checks.check_alike("point", point, name, other)
    if point.shape[-1] > point.shape[-2]:
        raise ShapeError(
            f"point has shape {point.shape} but must have at least as many rows as columns"
        )
    check_range(point + other)  # a singular value decomposition of infinite numbers may never end
    return point, other


PROJECTIONS = {
    "euclidean": Formula(
        "Tangent part",
        r"\mathrm{grad} = G - Y\,\mathrm{sym}(Y^{\top} G)",
        "The part of a gradient along the manifold; the rest would stretch or tilt the columns.",
        tangent_projection,
    ),
    "canonical": Formula(
        "Canonical gradient",
        r"\mathrm{grad} = G - Y\,G^{\top} Y",
        "The same measured by another metric, which GeometricMachineLearning.jl takes.",
        canonical_gradient,
    ),
}
RETRACTIONS = {
    "qr": Formula(
        "QR",
        r"\mathrm{qf}(Y + D)",
        "Step off, then make the columns orthonormal one after another.",
        qr_retraction,
    ),
    "polar": Formula(
        "Polar",
        r"U V^{\top}, \quad Y + D = U \Sigma V^{\top}",
        "Step off, then take the nearest matrix with orthonormal columns.",
        polar_retraction,
    ),
    "cayley": Formula(
        "Cayley",
        r"(I - \tfrac12 \Omega)^{-1} (I + \tfrac12 \Omega)\,Y",
        "Turn the whole space, with one linear system.",
        cayley_retraction,
    ),
    "geodesic": Formula(
        "Geodesic", r"e^{\Omega}\,Y", "Turn the whole space along the straightest way.", geodesic
    ),
}


def orthonormality_drift(
    retraction: str, *, n: int = 12, k: int = 4, n_steps: int = 1000, seed: int = 0
) -> Array:
    """‖PᵀP - I‖ after each of many random steps of one retraction: rounding adds up, or does not.
    Shapes: (n_steps,).

    Raises: SettingsError.
    """
    checks.check_choice("retraction", retraction, RETRACTIONS)
    checks.whole_number("n_steps", n_steps, 1, 10_000)
    checks.whole_number("n", n, 1, 64)
    rng = np.random.default_rng(checks.seed_number(seed))
    point = orthonormal_columns(rng, n, checks.whole_number("k", k, 1, n))
    errors = []
    for gradient in 0.1 * rng.standard_normal((n_steps, n, k)):
        point = RETRACTIONS[retraction].compute(point, tangent_projection(point, gradient))
        errors.append(orthonormality_error(point))
    return np.array(errors)


def parameter_counts(d_model: int, n_heads: int) -> tuple[int, int]:
    """How many numbers W_Q, W_K and W_V hold when free, and how many of them orthonormal columns
    leave to choose.

    A head's d x n matrix loses n(n+1)/2: every column has length 1 and is orthogonal to those
    before it.

    >>> parameter_counts(64, 8)
    (12288, 11424)
    """
    n = head_width(
        checks.whole_number("d_model", d_model, 1), checks.whole_number("n_heads", n_heads, 1)
    )
    return 3 * d_model**2, 3 * n_heads * (d_model * n - n * (n + 1) // 2)
