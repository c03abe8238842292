"""The geometry of a row's maximum in the plane: the half-plane whose tokens out-vote a token in
its own row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array, as_numbers, number_between, whole_number
from attention_core.errors import ShapeError
from attention_core.head_blocks import check_places, head_of
from attention_core.number_types import check_range
from attention_core.trace import Trace

from .measures import TOLERANCE


@dataclass(frozen=True, eq=False)
class HalfPlane:
    """All keys y with y·normal > threshold: those that score higher with a token's query than its
    own key does.

    Shapes: normal (2,), the query; own (2,), the token's own key, on the edge; rivals (T,) bool,
    the tokens inside.
    """

    normal: Array
    own: Array
    threshold: float
    rivals: Array

    @property
    def has_direction(self) -> bool:
        """Whether there is a half-plane at all: with a query that is 0 all keys score alike,
        and none is inside.
        """
        return bool(self.normal.any())

    def edge(self, reach: float) -> Array:
        """Two points on the edge, `reach` to either side of the token's own key. Shapes: (2, 2),
        one point a row.

        Without a direction (the query is 0, and all keys score alike) both are the own key.
        """
        number_between("reach", reach, 0.0, 1e100)
        length = float(np.hypot(*self.normal))
        along = np.array([-self.normal[1], self.normal[0]]) / (length or 1.0)
        return np.stack([self.own - reach * along, self.own + reach * along])

    def region(self, reach: float) -> Array:
        """The part of the half-plane inside the square from -reach to reach: the corners of a
        polygon, in order.

        Shapes: (corners, 2), none when nothing of it is inside. Source: Sutherland and Hodgman
        1974.
        """
        number_between("reach", reach, 0.0, 1e100)
        square = reach * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
        inside = square @ self.normal - self.threshold
        corners: list[Array] = []
        for k in range(4):
            here, next_one = inside[k], inside[(k + 1) % 4]
            if here > 0:
                corners.append(square[k])
            if (here > 0) != (next_one > 0):
                corners.append(
                    square[k] + here / (here - next_one) * (square[(k + 1) % 4] - square[k])
                )
        return np.array(corners).reshape(-1, 2)


def half_plane(queries_T2: Array, keys_T2: Array, token: int) -> HalfPlane:
    """The keys that out-vote a token: y·q_i > k_i·q_i. Without weights: y·x_i > |x_i|², so y must
    be longer than x_i.

    Raises: ShapeError when queries and keys do not lie in the plane.

    >>> x = np.array([[1.0, 0.0], [2.0, 5.0], [0.5, 9.0]])
    >>> half_plane(x, x, token=0).rivals.tolist()
    [False, True, False]
    """
    queries_T2, keys_T2 = as_numbers("queries", queries_T2), as_numbers("keys", keys_T2)
    if queries_T2.ndim != 2 or queries_T2.shape[1] != 2 or queries_T2.shape != keys_T2.shape:
        raise ShapeError(
            f"queries of shape {queries_T2.shape} and keys of shape {keys_T2.shape} do not lie in"
            " the plane: choose d_k = 2, or 2 features and no weights"
        )
    whole_number("token", token, 0, len(queries_T2) - 1)
    normal_2, own_2 = queries_T2[token], keys_T2[token]
    with np.errstate(over="ignore", invalid="ignore"):
        scores_T = keys_T2 @ normal_2
    check_range(scores_T)
    threshold = float(scores_T[token])
    rivals_T = scores_T > threshold + TOLERANCE * abs(threshold)
    rivals_T[token] = False
    return HalfPlane(normal_2, own_2, threshold, rivals_T)


def half_plane_of(trace: Trace, token: int, head: int = 0, batch: int = 0) -> HalfPlane:
    """The half-plane of a token in a head whose queries and keys are pairs of numbers. Raises:
    ShapeError.
    """
    check_places(trace, head=head, batch=batch)
    return half_plane(
        trace.query_heads[batch, head],
        trace.key_heads[batch, head_of(trace, "key_heads", head)],
        token,
    )
