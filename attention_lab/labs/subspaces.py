"""What the matrix of a head does to tokens of three features: it leads them to a plane.

With orthonormal columns PᵀP = I, the head's numbers Pᵀx are lengths and angles in the plane, and
PPᵀx is the foot of the perpendicular from x. P itself is 3 × 2 and no projector; PPᵀ is one. With
other columns the same plane is read on stretched axes that need not stand upright on each other.
Source: Brantner, GeometricMachineLearning.jl manual, MultiHeadAttention.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array, as_stack, check_switch, whole_number
from attention_core.embeddings import embed
from attention_core.errors import ShapeError
from attention_core.projections import Projections

SPACE, PLANE = 3, 2  # features of a token, and of a head's vectors
WORDS = ("animal", "street", "cross", "tired", "because", "it")


@dataclass(frozen=True, eq=False)
class HeadPlanes:
    """Tokens, the plane of each head, and what becomes of the tokens there.

    Shapes: points (T, 3); bases (H, 3, 2), a head's P; coordinates (H, T, 2), Pᵀx; feet (H, T, 3),
    the nearest points of the plane; kept (H, T), the part of a token's squared length that lies in
    the plane, from 0 to 1.
    """

    tokens: tuple[str, ...]
    points: Array
    bases: Array
    coordinates: Array
    feet: Array
    kept: Array

    @property
    def stretch(self) -> float:
        """By how much the most changed token is longer or shorter in its head's numbers than in the
        plane, as a part of its length there.
        """
        seen, there = (np.linalg.norm(part, axis=-1) for part in (self.coordinates, self.feet))
        return float(np.abs(seen / there - 1).max())


def head_planes(points: ArrayLike, bases: ArrayLike, tokens: tuple[str, ...] = WORDS) -> HeadPlanes:
    """The tokens in every head's plane. Shapes: points (T, 3), bases (H, 3, 2). Raises: ShapeError,
    SettingsError.

    >>> found = head_planes([[1.0, 2.0, 2.0]], [[[1, 0], [0, 1], [0, 0]]], tokens=("a",))
    >>> found.coordinates.tolist(), found.feet.tolist(), found.kept.round(3).tolist()
    ([[[1.0, 2.0]]], [[[1.0, 2.0, 0.0]]], [[0.556]])
    """
    x_T3 = as_stack("points", points, 2, exactly=True)
    p_H32 = as_stack("bases", bases, 3, exactly=True)
    if x_T3.shape != (len(tokens), SPACE) or p_H32.shape[1:] != (SPACE, PLANE):
        raise ShapeError(
            f"points {x_T3.shape} and bases {p_H32.shape} must be ({len(tokens)}, {SPACE}) and"
            f" (heads, {SPACE}, {PLANE})"
        )
    feet_HT3 = x_T3 @ (p_H32 @ np.linalg.pinv(p_H32)).swapaxes(-1, -2)
    lengths = (x_T3**2).sum(axis=-1)
    kept_HT = (feet_HT3**2).sum(axis=-1) / np.where(lengths > 0, lengths, 1)
    return HeadPlanes(tokens, x_T3, p_H32, x_T3 @ p_H32, feet_HT3, kept_HT)


def example_planes(n_heads: int, seed: int = 0, orthonormal: bool = True) -> HeadPlanes:
    """Six words with three features each, and W_Q of so many heads that read two numbers each.
    Raises: SettingsError.

    >>> example_planes(2).stretch < 1e-12, example_planes(2, orthonormal=False).stretch > 0.1
    (True, True)
    """
    whole_number("n_heads", n_heads, 1)
    check_switch("orthonormal", orthonormal)
    make = Projections.stiefel if orthonormal else Projections.random
    drawn = make(SPACE, n_heads, d_k=PLANE, d_v=PLANE, seed=seed)
    bases = drawn.w_q.reshape(SPACE, n_heads, PLANE).swapaxes(0, 1)
    return head_planes(embed(WORDS, SPACE, positions=False).inputs, bases)
