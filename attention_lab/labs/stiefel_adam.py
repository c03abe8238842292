"""Adam on the Stiefel manifold: the columns of every head's matrix stay orthonormal in training.

Source: Bécigneul and Ganea 2019, algorithm 1a, with one second moment per matrix: a second moment
per number would rotate the step out of the tangent space.
"""

import numpy as np

from attention_core.checks import Array

from .adam import Moments, adam_direction, first_moment, second_moment
from .formula import formulas_of
from .stiefel import qr_retraction, tangent_projection


def stiefel_adam_step(
    point: Array, gradient: Array, moments: Moments, step: int, learning_rate: float
) -> tuple[Array, Moments]:
    """One step: project the gradient, average, move, make orthonormal again, project the average.

    Shapes: point and gradient (..., D, K); moments.first the same, moments.second (..., 1, 1).
    """
    tangent = tangent_projection(point, gradient)
    first = first_moment(moments.first, tangent)
    second = second_moment(moments.second, np.square(tangent).mean(axis=(-2, -1), keepdims=True))
    moved = qr_retraction(point, -learning_rate * adam_direction(Moments(first, second), step))
    return moved, Moments(tangent_projection(moved, first), second)


def first_moments(point: Array) -> Moments:
    """The averages before the first step, all 0. Shapes: point (..., D, K)."""
    return Moments(np.zeros_like(point), np.zeros((*point.shape[:-2], 1, 1)))


def head_matrices(fused: Array, n_heads: int) -> Array:
    """The matrix of each head from a fused matrix. Shapes: (..., D, H*K) -> (..., H, D, K)."""
    return fused.reshape(*fused.shape[:-1], n_heads, -1).swapaxes(-3, -2)


def fused_matrix(heads: Array) -> Array:
    """The matrices of the heads side by side. Shapes: (..., H, D, K) -> (..., D, H*K)."""
    beside = heads.swapaxes(-3, -2)
    return beside.reshape(*beside.shape[:-2], -1)


STIEFEL_ADAM = formulas_of("Adam on the Stiefel manifold")
