"""Four ways to compute the scores of all heads: the same numbers with different work and memory.

Axes: H head, T query, S key, K query/key feature. One sequence; every head has its own keys.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array
from attention_core.numbers import MAX_OF_TYPE, too_large

from .counts import Count


def head_by_head(query_HTK: Array, key_HSK: Array) -> Array:
    """One matrix product per head, in a loop: S_h = Q_h K_hᵀ. Shapes: (H, T, K), (H, S, K) ->
    (H, T, S).
    """
    scores_HTS = _empty_scores(query_HTK, key_HSK)
    for head, (query_TK, key_SK) in enumerate(zip(query_HTK, key_HSK, strict=True)):
        scores_HTS[head] = query_TK @ key_SK.T
    return scores_HTS


def batched_product(query_HTK: Array, key_HSK: Array) -> Array:
    """All heads in one call of the matrix product. Shapes: (H, T, K), (H, S, K) -> (H, T, S)."""
    scores_HTS = _empty_scores(query_HTK, key_HSK)
    np.matmul(query_HTK, key_HSK.swapaxes(-1, -2), out=scores_HTS)
    return scores_HTS


def full_product(query_HTK: Array, key_HSK: Array) -> Array:
    """For each pair of tokens the product of the queries of all heads with the keys of all heads,
    of which only the diagonal is kept.

    Shapes: (H, T, K), (H, S, K) -> (H, T, S). Source: MQL5 book, chapter on multi-head
    self-attention.
    """
    scores_HTS = _empty_scores(query_HTK, key_HSK)
    product_HJTS = np.matmul(query_HTK[:, np.newaxis], key_HSK.swapaxes(-1, -2))
    np.copyto(scores_HTS, np.moveaxis(np.diagonal(product_HJTS), -1, 0))
    return scores_HTS


def hadamard_product(query_HTK: Array, key_HSK: Array) -> Array:
    """For each pair of tokens queries times keys number by number (⊙), then the sum for each head.

    Shapes: (H, T, K), (H, S, K) -> (H, T, S). Source: MQL5 book, chapter on multi-head
    self-attention.
    """
    scores_HTS = _empty_scores(query_HTK, key_HSK)
    product_HTSK = query_HTK[:, :, np.newaxis] * key_HSK[:, np.newaxis]
    np.sum(product_HTSK, axis=-1, out=scores_HTS)
    return scores_HTS


def _empty_scores(query_HTK: Array, key_HSK: Array) -> Array:
    """An array for the scores. Raises: SettingsError if a product of any two heads could grow
    beyond the range of float.
    """
    dtype = np.result_type(query_HTK, key_HSK)
    if dtype.kind != "O":  # objects that count operations
        largest = [float(np.abs(array).max(initial=0.0)) for array in (query_HTK, key_HSK)]
        if math.prod(largest) * query_HTK.shape[2] > MAX_OF_TYPE[dtype]:
            raise too_large(dtype)
    return np.empty((*query_HTK.shape[:2], key_HSK.shape[1]), dtype)


@dataclass(frozen=True)
class Scheme:
    """One way to compute the scores: its function, and its counts for n queries and n keys.

    extra: the numbers in memory besides the result.
    """

    key: str
    name: str
    description: str
    scores: Callable[[Array, Array], Array]
    multiplications: Count
    additions: Count
    extra: Count


_NEEDED = (
    Count("multiplications", r"h\,n^2 d_k", lambda s: s.n_heads * s.n_tokens**2 * s.d_k),
    Count("additions", r"h\,n^2 (d_k - 1)", lambda s: s.n_heads * s.n_tokens**2 * (s.d_k - 1)),
)

SCHEMES: tuple[Scheme, ...] = (
    Scheme(
        "loop",
        "head by head",
        "One matrix product for each head, one after the other.",
        head_by_head,
        *_NEEDED,
        Count("extra numbers", r"n^2", lambda s: s.n_tokens**2),
    ),
    Scheme(
        "fused",
        "all heads in one call",
        "The head is one more axis of a single batched matrix product.",
        batched_product,
        *_NEEDED,
        Count("extra numbers", "0", lambda s: 0),
    ),
    Scheme(
        "full",
        "full product, then diagonal",
        "For each pair of tokens the queries of all heads are multiplied with the keys of all"
        " heads; only the diagonal is needed.",
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
        "For each pair of tokens queries and keys are multiplied number by number, then summed for"
        " each head.",
        hadamard_product,
        *_NEEDED,
        Count("extra numbers", r"h\,n^2 d_k", lambda s: s.n_heads * s.n_tokens**2 * s.d_k),
    ),
)


def wasted_share(n_heads: int) -> float:
    """The part of the full product that is not needed: 1 - 1/h.

    >>> wasted_share(8)
    0.875
    """
    return 1.0 - 1.0 / n_heads
