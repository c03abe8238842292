"""The Stiefel manifold: matrices with orthonormal columns, PᵀP = I, and how to move on it.

A point is Y, a step D is tangent at Y. Every function takes one matrix or a stack of them, (..., n,
k) with k <= n columns.
Source: Edelman, Arias and Smith 1998; Absil, Mahony and Sepulchre 2008, section 4.1; Wen and Yin
2013 (Cayley).
"""

from __future__ import annotations

import numpy as np

from attention_core.checks import Array

from .formula import Formula


def orthonormality_error(point: Array) -> float:
    """How far the columns are from orthonormal: the largest ‖PᵀP - I‖ of a stack."""
    gram = point.mT @ point
    return float(np.linalg.norm(gram - np.eye(point.shape[-1]), axis=(-2, -1)).max())


def tangent_projection(point: Array, gradient: Array) -> Array:
    """The part of a gradient along the manifold; the rest would change lengths and angles of the
    columns.

    Shapes: (..., n, k) twice. Source: Edelman et al. 1998, equation 2.4; the Euclidean metric.
    """
    overlap = point.mT @ gradient
    tangent: Array = gradient - point @ ((overlap + overlap.mT) / 2)
    return tangent


def canonical_gradient(point: Array, gradient: Array) -> Array:
    """The gradient in the canonical metric, as in GeometricMachineLearning.jl (`rgrad`).

    Source: Edelman et al. 1998, equation 2.53.
    """
    tangent: Array = gradient - point @ (gradient.mT @ point)
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
        "The same in another metric, that of GeometricMachineLearning.jl.",
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
        "Rotate the whole space; this needs one linear system.",
        cayley_retraction,
    ),
    "geodesic": Formula(
        "Geodesic", r"e^{\Omega}\,Y", "Rotate the whole space along the straightest path.", geodesic
    ),
}


def parameter_counts(d_model: int, n_heads: int) -> tuple[int, int]:
    """The degrees of freedom of W_Q, W_K and W_V: with free and with orthonormal columns.

    The d x n matrix of a head loses n(n+1)/2: each column has length 1 and is orthogonal to the
    columns before it.

    >>> parameter_counts(64, 8)
    (12288, 11424)
    """
    n = d_model // n_heads
    return 3 * d_model**2, 3 * n_heads * (d_model * n - n * (n + 1) // 2)
