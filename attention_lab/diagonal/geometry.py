"""Convex hulls: which points are weighted averages of others, as outputs are of values.

And the keys that beat a token in its own row, for queries and keys in the plane: a half-plane.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from attention_core.attention import attend
from attention_core.checks import Array
from attention_core.numbers import check_range, check_room
from attention_core.projections import Projections
from attention_core.trace import Trace, head_of

from ..heads.number_range import scaled_to_one
from ..words.numbers import Count, Number
from .measures import TOLERANCE

# Rounding of a solved system of a few dozen unknowns.
HULL_TOLERANCE = 1e-11


def hull_weights(point_D: Array, points_ND: Array) -> tuple[Array, float]:
    """The weights, at least 0 and with sum 1, whose average of the points is nearest to one point,
    and the distance that remains. It is 0 up to rounding exactly if the point is in the hull.
    Shapes: (D,), (N, D) -> (N,). Source: Lawson and Hanson 1974, chapter 23, algorithm NNLS.

    >>> weights, distance = hull_weights(np.array([1.0, 1.0]), np.array([[4.0, 0.0], [0.0, 4.0],
    ...     [-1.0, -1.0]]))
    >>> weights.round(4).tolist(), round(distance, 12)
    ([0.3333, 0.3333, 0.3333], 0.0)
    """
    check_room(points=len(points_ND), dimensions=len(point_D))
    with np.errstate(over="ignore", invalid="ignore"):
        apart_ND = np.vstack([point_D, points_ND]) - points_ND.mean(axis=0)
    size = float(np.abs(apart_ND).max()) or 1.0
    check_range(np.array(size))
    # Distances from the point, and a row of ones that asks for the sum 1; all numbers of about size
    # 1.
    offsets_DN = (points_ND - point_D).T / size
    matrix_EN = np.vstack([offsets_DN, np.ones(len(points_ND))])
    target_E = np.append(np.zeros(len(point_D)), 1.0)
    weights_N = nonnegative_least_squares(matrix_EN, target_E)
    weights_N = weights_N / weights_N.sum()
    return weights_N, float(np.linalg.norm(offsets_DN @ weights_N)) * size


def in_hull(point_D: Array, points_ND: Array) -> bool:
    """Whether a point is a weighted average of points, up to rounding.

    >>> triangle = np.array([[4.0, 0.0], [0.0, 4.0], [-1.0, -1.0]])
    >>> in_hull(np.array([1.0, 1.0]), triangle), in_hull(np.array([3.0, 3.0]), triangle)
    (True, False)
    """
    both_ND = scaled_to_one(np.vstack([point_D, points_ND]))
    point_D, points_ND = both_ND[0], both_ND[1:]
    rounding = HULL_TOLERANCE * len(points_ND) * float(np.abs(both_ND).max())
    # Seen from the mean, a point beyond all others is outside: that settles most points of many
    # dimensions at once.
    outwards_D = point_D - points_ND.mean(axis=0)
    beyond = float(point_D @ outwards_D - (points_ND @ outwards_D).max())
    if beyond > 2 * rounding * float(np.linalg.norm(outwards_D)):
        return False
    return hull_weights(point_D, points_ND)[1] <= rounding


def nonnegative_least_squares(matrix_EN: Array, target_E: Array) -> Array:
    """The x from 0 up that brings matrix·x nearest to the target. Shapes: (E, N), (E,) -> (N,).

    Columns enter one by one where the error still falls, and leave when their weight would turn
    negative.
    """
    n = matrix_EN.shape[1]
    x_N, free_N = np.zeros(n), np.zeros(n, dtype=bool)
    slope_N = matrix_EN.T @ target_E
    steepest = HULL_TOLERANCE * float(np.abs(slope_N).max())
    # Each column enters and leaves a few times at most; the bound only ends cycles made of
    # rounding.
    for _ in range(3 * n):
        entering = np.where(free_N, -np.inf, slope_N)
        if entering.max() <= steepest:
            break
        free_N[int(entering.argmax())] = True
        x_N, free_N = _feasible(matrix_EN, target_E, x_N, free_N)
        slope_N = matrix_EN.T @ (target_E - matrix_EN @ x_N)
    return x_N


def _feasible(matrix_EN: Array, target_E: Array, x_N: Array, free_N: Array) -> tuple[Array, Array]:
    """Move x to the least-squares solution of the free columns. Columns whose weight would turn
    negative leave on the way.
    """
    while True:
        solution_N = np.zeros_like(x_N)
        solution_N[free_N] = np.linalg.lstsq(matrix_EN[:, free_N], target_E, rcond=None)[0]
        negative = free_N & (solution_N < 0)
        if not negative.any():
            return solution_N, free_N
        steps = x_N[negative] / (x_N[negative] - solution_N[negative])
        x_N = x_N + float(steps.min()) * (solution_N - x_N)
        free_N = free_N & (x_N > 0) & ~(negative & (x_N <= HULL_TOLERANCE))
        x_N = np.where(free_N, x_N, 0.0)


def hull_corners(points_N2: Array) -> list[int]:
    """The points that are corners of the convex hull in the plane, counter-clockwise, to draw its
    outline.

    Shapes: (N, 2). Source: Andrew 1979, monotone chain.

    >>> hull_corners(np.array([[0, 0], [2, 0], [1, 1], [2, 2], [0, 2]]))
    [0, 1, 3, 4]
    """
    points_N2 = scaled_to_one(points_N2)
    order = np.lexsort((points_N2[:, 1], points_N2[:, 0]))
    _, first = np.unique(points_N2[order], axis=0, return_index=True)
    ordered = [int(order[i]) for i in first]
    if len(ordered) <= 2:
        return ordered
    lower, upper = _chain(points_N2, ordered), _chain(points_N2, ordered[::-1])
    return lower[:-1] + upper[:-1]


def _chain(points_N2: Array, ordered: list[int]) -> list[int]:
    chain: list[int] = []
    for index in ordered:
        while len(chain) > 1 and _turn(*points_N2[[chain[-2], chain[-1], index]]) <= 0:
            chain.pop()
        chain.append(index)
    return chain


def _turn(a_2: Array, b_2: Array, c_2: Array) -> float:
    """Twice the area of a triangle: above 0 for a turn to the left at b."""
    (ax, ay), (bx, by), (cx, cy) = a_2, b_2, c_2
    return float((bx - ax) * (cy - ay) - (by - ay) * (cx - ax))


LENGTH_FACTORS = (1.0, 1.5, 2.0, 3.0)


@dataclass(frozen=True)
class LongerPair:
    """What a token reads of another one at more than 90° from it, as both become longer.

    product: their dot product, below 0. shares: of the row, at each of the `LENGTH_FACTORS`.
    relative: the same divided by what the token reads of itself.
    """

    other: Count
    product: Number
    shares: tuple[Number, ...]
    relative: tuple[Number, ...]

    @property
    def only_falls(self) -> bool:
        """Whether each longer pair is read less than the one before."""
        return all(later < earlier for earlier, later in pairwise(self.shares))


def longer_pairs(x_TD: Array, token: int) -> tuple[LongerPair, ...]:
    """Each token with a dot product below 0 with this one, read without weights as both become
    longer. Shapes: x (T, D). Raises: AttentionError.

    What the token reads of the other, relative to itself, always falls: it is exp(c²(x_i·x_j -
    |x_i|²)/√D) at the factor c. Its share of the row ends at 0, but may rise before: where other
    tokens are turned away, too, they may lose their shares first.

    >>> pairs = longer_pairs(np.array([[1.0, 0.0], [-1.0, 1.0], [0.0, 2.0]]), 0)
    >>> [(pair.other, pair.product, pair.only_falls) for pair in pairs]
    [(1, -1.0, True)]
    """
    products_T = x_TD @ x_TD[token]
    return tuple(
        _longer_pair(x_TD, token, int(other), float(products_T[other]))
        for other in np.flatnonzero(products_T < 0)
    )


def _longer_pair(x_TD: Array, token: int, other: int, product: float) -> LongerPair:
    rows = []
    for factor in LENGTH_FACTORS:
        longer_TD = x_TD.copy()
        longer_TD[[token, other]] *= factor
        trace = attend(longer_TD, Projections.weightless(x_TD.shape[1]))
        rows.append(trace.probabilities[0, 0, token])
    shares = tuple(Number(row[other], 2) for row in rows)
    relative = tuple(Number(row[other] / row[token], 2) for row in rows)
    return LongerPair(Count(other), Number(product, 2), shares, relative)


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
        for here, there in ((0, 1), (1, 2), (2, 3), (3, 0)):
            this, following = inside[here], inside[there]
            if this > 0:
                corners.append(square[here])
            if (this > 0) != (following > 0):
                part = this / (this - following)
                corners.append(square[here] + part * (square[there] - square[here]))
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
    keys_T2 = trace.key_heads[batch, head_of(trace, "key_heads", head)]
    return half_plane(trace.query_heads[batch, head], keys_T2, token)
