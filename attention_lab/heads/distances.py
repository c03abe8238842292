"""How far a query looks, in tokens: one formula per function."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from attention_core.checks import Array

from .patterns import apply_by_rows


def mean_distance(probabilities_XTS: Array) -> Array:
    """How far a query looks on average, in either direction: Σ a |i - j|. Shapes: (X, T, S) ->
    (X, T).
    """
    return _distance(probabilities_XTS, np.abs)


def signed_distance(probabilities_XTS: Array) -> Array:
    """Where a query looks on average: Σ a (j - i), negative for earlier tokens. Shapes: (X, T,
    S) -> (X, T).
    """
    return _distance(probabilities_XTS, np.asarray)


def _distance(probabilities_XTS: Array, distance_of: Callable[[Array], Array]) -> Array:
    n_queries, n_keys = probabilities_XTS.shape[-2:]
    keys_S = np.arange(n_keys)

    def distance(shares_RS: Array, row_R: Array) -> Array:
        distance_R: Array = (
            shares_RS * distance_of(keys_S - row_R[:, np.newaxis] % n_queries)
        ).sum(axis=-1)
        return distance_R

    return apply_by_rows(distance, probabilities_XTS)


def offset_mass(probabilities_XTS: Array, offset: int) -> Array:
    """The share of the token that stands `offset` places after the query; NaN if there is none.

    Shapes: (X, T, S) -> (X, T). Units or range: 0 to 1.

    >>> offset_mass(np.array([[1.0, 0.0], [0.25, 0.75]]), -1).tolist()
    [nan, 0.25]
    """
    n_queries, n_keys = probabilities_XTS.shape[-2:]
    mass_XT = np.full(probabilities_XTS.shape[:-1], np.nan)
    rows = np.arange(max(0, -offset), max(0, min(n_queries, n_keys - offset)))
    mass_XT[..., rows] = probabilities_XTS[..., rows, rows + offset]
    return mass_XT
