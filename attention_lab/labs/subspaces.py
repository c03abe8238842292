"""What the matrix of a head does to tokens of three features: it maps them to a plane.

With orthonormal columns, PᵀP = I, the two numbers Pᵀx of a head keep lengths and angles of the
plane, and PPᵀx is the foot of the perpendicular from x. P itself is 3 × 2, so it is not a
projector; PPᵀ is one. Other columns of the same plane stretch its axes, which need not be at right
angles.
Source: Brantner, GeometricMachineLearning.jl manual, MultiHeadAttention.
"""

from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array
from attention_core.projections import Projections

from ..words.embeddings import embed

TOKEN_SIZE, HEAD_SIZE = 3, 2  # features of a token, and of a head's vectors
EXAMPLE_WORDS = ("animal", "street", "cross", "tired", "because", "it")


@dataclass(frozen=True, eq=False)
class HeadPlanes:
    """Tokens, the plane of each head, and the tokens in these planes.

    Shapes: points (T, 3); bases (H, 3, 2), the P of each head; coordinates (H, T, 2), Pᵀx; feet (H,
    T, 3), the nearest points of the plane; length_shares (H, T), the share of a token's squared
    length in the plane, from 0 to 1.
    """

    tokens: tuple[str, ...]
    points: Array
    bases: Array
    coordinates: Array
    feet: Array
    length_shares: Array

    @property
    def stretch(self) -> float:
        """The largest relative difference between the length of a token in a head's numbers and its
        length in the plane.
        """
        read, true = (np.linalg.norm(part, axis=-1) for part in (self.coordinates, self.feet))
        return float(np.abs(read / true - 1).max())


def head_planes(
    points_T3: Array, bases_H32: Array, tokens: tuple[str, ...] = EXAMPLE_WORDS
) -> HeadPlanes:
    """The tokens in the plane of every head. Shapes: points (T, 3), bases (H, 3, 2).

    >>> points, bases = np.array([[1.0, 2.0, 2.0]]), np.array([[[1.0, 0], [0, 1], [0, 0]]])
    >>> planes = head_planes(points, bases, tokens=("a",))
    >>> planes.coordinates.tolist(), planes.feet.tolist(), planes.length_shares.round(3).tolist()
    ([[[1.0, 2.0]]], [[[1.0, 2.0, 0.0]]], [[0.556]])
    """
    feet_HT3 = points_T3 @ (bases_H32 @ np.linalg.pinv(bases_H32)).mT
    length_shares_HT = (feet_HT3**2).sum(axis=-1) / (points_T3**2).sum(axis=-1)
    read_HT2 = points_T3 @ bases_H32
    return HeadPlanes(tokens, points_T3, bases_H32, read_HT2, feet_HT3, length_shares_HT)


def example_planes(n_heads: int, seed: int = 0, orthonormal: bool = True) -> HeadPlanes:
    """Six words with three features each in the planes of heads, whose W_Q is drawn from the seed.

    >>> example_planes(2).stretch < 1e-12, example_planes(2, orthonormal=False).stretch > 0.1
    (True, True)
    """
    draw = {True: Projections.stiefel, False: Projections.random}[orthonormal]
    drawn = draw(TOKEN_SIZE, n_heads, d_k=HEAD_SIZE, d_v=HEAD_SIZE, seed=seed)
    bases_H32 = drawn.w_q.reshape(TOKEN_SIZE, n_heads, HEAD_SIZE).swapaxes(0, 1)
    return head_planes(embed(EXAMPLE_WORDS, TOKEN_SIZE, positions=False).inputs, bases_H32)
