"""The keys that beat a token in its own row, for queries and keys in the plane: a half-plane."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array
from attention_core.numbers import check_range
from attention_core.trace import Trace, head_of

from .measures import TOLERANCE


@dataclass(frozen=True, eq=False)
class HalfPlane:
    """All keys y with y·normal > threshold: they score higher with a token's query than the token's
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
        """Whether there is a half-plane. With a query of 0 all keys have the same score."""
        return bool(self.normal.any())

    def edge(self, reach: float) -> Array:
        """Two points on the edge, `reach` to either side of the token's own key. Shapes: (2, 2),
        one point a row.

        Without a direction both are the own key.
        """
        length = float(np.hypot(*self.normal))
        along = np.array([-self.normal[1], self.normal[0]]) / (length or 1.0)
        return np.stack([self.own - reach * along, self.own + reach * along])

    def region(self, reach: float) -> Array:
        """The part of the half-plane inside the square from -reach to reach, as the corners of a
        polygon in order.

        Shapes: (corners, 2), which may be empty. Source: Sutherland and Hodgman 1974.
        """
        square = reach * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
        inside = square @ self.normal - self.threshold
        corners: list[Array] = []
        for k in range(4):
            this, following = inside[k], inside[(k + 1) % 4]
            if this > 0:
                corners.append(square[k])
            if (this > 0) != (following > 0):
                corners.append(
                    square[k] + this / (this - following) * (square[(k + 1) % 4] - square[k])
                )
        return np.array(corners).reshape(-1, 2)


def half_plane(queries_T2: Array, keys_T2: Array, token: int) -> HalfPlane:
    """The keys that beat a token: y·q_i > k_i·q_i. Without weights this is y·x_i > |x_i|², so y is
    longer than x_i. Raises: SettingsError beyond the range of float.

    >>> x = np.array([[1.0, 0.0], [2.0, 5.0], [0.5, 9.0]])
    >>> half_plane(x, x, token=0).rivals.tolist()
    [False, True, False]
    """
    normal_2, own_2 = queries_T2[token], keys_T2[token]
    with np.errstate(over="ignore", invalid="ignore"):
        scores_T = keys_T2 @ normal_2
    check_range(scores_T)
    threshold = float(scores_T[token])
    rivals_T = scores_T > threshold + TOLERANCE * abs(threshold)
    rivals_T[token] = False
    return HalfPlane(normal_2, own_2, threshold, rivals_T)


def half_plane_of(trace: Trace, token: int, head: int = 0, batch: int = 0) -> HalfPlane:
    """The half-plane of a token in a head with d_k = 2. Raises: SettingsError."""
    return half_plane(
        trace.query_heads[batch, head],
        trace.key_heads[batch, head_of(trace, "key_heads", head)],
        token,
    )
