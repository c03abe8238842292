"""Four ways to compute the scores of all heads: the same numbers, not the same work and memory.

H head, T query, K query/key feature; S key. One sequence, every head with keys of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array, as_array, as_numbers, whole_number
from attention_core.errors import ShapeError
from attention_core.number_types import MAX_OF_TYPE, too_large

from .counts import Count


def head_by_head(query_HTK: Array, key_HSK: Array) -> Array:
    """One matrix product per head, in a loop: S_h = Q_h K_hᵀ. Shapes: (H, T, K), (H, S, K) ->
    (H, T, S).
    """
    query_HTK, key_HSK, scores_HTS = _prepared(query_HTK, key_HSK)
    for head, (query_TK, key_SK) in enumerate(zip(query_HTK, key_HSK, strict=True)):
        scores_HTS[head] = query_TK @ key_SK.T
    return scores_HTS


def fused(query_HTK: Array, key_HSK: Array) -> Array:
    """All heads in one call of the matrix product. Shapes: (H, T, K), (H, S, K) -> (H, T, S)."""
    query_HTK, key_HSK, scores_HTS = _prepared(query_HTK, key_HSK)
    np.matmul(query_HTK, key_HSK.swapaxes(-1, -2), out=scores_HTS)
    return scores_HTS


def full_product(query_HTK: Array, key_HSK: Array) -> Array:
    """For each pair of tokens the product of all heads' queries with all heads' keys, of which the
    diagonal is kept.

    Shapes: (H, T, K), (H, S, K) -> (H, T, S). Source: MQL5 book, chapter on multi-head
    self-attention.
    """
    query_HTK, key_HSK, scores_HTS = _prepared(query_HTK, key_HSK)
    product_HJTS = np.matmul(query_HTK[:, np.newaxis], key_HSK.swapaxes(-1, -2))
    np.copyto(scores_HTS, np.moveaxis(np.diagonal(product_HJTS), -1, 0))
    return scores_HTS


def hadamard(query_HTK: Array, key_HSK: Array) -> Array:
    """For each pair of tokens, queries times keys number by number (⊙), then the sum of each head's
    row.

    Shapes: (H, T, K), (H, S, K) -> (H, T, S). Source: MQL5 book, chapter on multi-head
    self-attention.
    """
    query_HTK, key_HSK, scores_HTS = _prepared(query_HTK, key_HSK)
    product_HTSK = query_HTK[:, :, np.newaxis] * key_HSK[:, np.newaxis]
    np.sum(product_HTSK, axis=-1, out=scores_HTS)
    return scores_HTS


def _numbers(name: str, values: ArrayLike) -> Array:
    """Numbers of Python or NumPy; objects that can be multiplied, such as numbers that count,
    pass as they are.
    """
    array = as_array(name, values)
    objects = array.dtype == object and all(
        hasattr(x, "__mul__") and not hasattr(x, "__len__") for x in array.flat
    )
    return array if objects else as_numbers(name, array)


def _prepared(query_HTK: ArrayLike, key_HSK: ArrayLike) -> tuple[Array, Array, Array]:
    """Queries, keys, and room for their scores. Raises: ShapeError, SettingsError."""
    query_HTK, key_HSK = _numbers("queries", query_HTK), _numbers("keys", key_HSK)
    if query_HTK.ndim != 3 or key_HSK.ndim != 3 or query_HTK.shape[::2] != key_HSK.shape[::2]:
        raise ShapeError(
            f"queries of shape {query_HTK.shape} and keys of shape {key_HSK.shape} must both be "
            "(heads, tokens, features) with the same heads and features"
        )
    if query_HTK.dtype != object and key_HSK.dtype != object:
        most = [float(np.abs(array).max(initial=0.0)) for array in (query_HTK, key_HSK)]
        dtype = np.result_type(query_HTK, key_HSK)
        if math.prod(most) * query_HTK.shape[2] > MAX_OF_TYPE[dtype]:
            raise too_large(dtype)
    shape = *query_HTK.shape[:2], key_HSK.shape[1]
    return query_HTK, key_HSK, np.empty(shape, np.result_type(query_HTK, key_HSK))


@dataclass(frozen=True)
class Scheme:
    """One way to compute the scores: the function, and what it counts for n queries and n keys.

    extra: the numbers that are kept for a while besides the result.
    """

    key: str
    name: str
    says: str
    scores: Callable[[Array, Array], Array]
    multiplies: Count
    additions: Count
    extra: Count


_USEFUL = (
    Count("multiplications", r"h\,n^2 d_k", lambda s: s.n_heads * s.n_tokens**2 * s.d_k),
    Count("additions", r"h\,n^2 (d_k - 1)", lambda s: s.n_heads * s.n_tokens**2 * (s.d_k - 1)),
)

SCHEMES: tuple[Scheme, ...] = (
    Scheme(
        "loop",
        "head by head",
        "One matrix product for each head, one after the other.",
        head_by_head,
        *_USEFUL,
        Count("extra numbers", r"n^2", lambda s: s.n_tokens**2),
    ),
    Scheme(
        "fused",
        "all heads in one call",
        "The head is one more axis of a single batched matrix product.",
        fused,
        *_USEFUL,
        Count("extra numbers", "0", lambda s: 0),
    ),
    Scheme(
        "full",
        "full product, then diagonal",
        "For each pair of tokens every head's query meets every head's key; only the diagonal is"
        " wanted.",
        full_product,
        Count("multiplications", r"h^2 n^2 d_k", lambda s: s.n_heads**2 * s.n_tokens**2 * s.d_k),
        Count(
            "additions", r"h^2 n^2 (d_k - 1)", lambda s: s.n_heads**2 * s.n_tokens**2 * (s.d_k - 1)
        ),
        Count("extra numbers", r"h^2 n^2", lambda s: s.n_heads**2 * s.n_tokens**2),
    ),
    Scheme(
        "hadamard",
        "Hadamard product, then sums",
        "For each pair of tokens queries and keys are multiplied number by number and added up head"
        " by head.",
        hadamard,
        *_USEFUL,
        Count("extra numbers", r"h\,n^2 d_k", lambda s: s.n_heads * s.n_tokens**2 * s.d_k),
    ),
)


def wasted_share(n_heads: int) -> float:
    """The share of the full product that is thrown away: 1 - 1/h.

    >>> wasted_share(8)
    0.875
    """
    return 1.0 - 1.0 / whole_number("n_heads", n_heads, 1)
