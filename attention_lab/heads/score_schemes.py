"""Four ways to compute the scores of all heads: the same numbers with different work and memory.

And the four, run: their largest difference, and their time and memory on this machine as a size
grows. Axes: H head, T query, S key, K query/key feature. One sequence; every head has its own keys.
"""

import math
import threading
import time
import tracemalloc
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from attention_core.checks import Array
from attention_core.initialisation import Stream, generator
from attention_core.numbers import MAX_OF_TYPE, too_large
from attention_core.trace import Trace

from ..cache import cached
from ..home import read_table
from .counts import Count, LayerSize, growing_sizes, layer_size


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

_WAYS: Mapping[str, tuple[Callable[[Array, Array], Array], Count, Count, Count]] = {
    "loop": (head_by_head, *_NEEDED, Count("extra numbers", r"n^2", lambda s: s.n_tokens**2)),
    "fused": (batched_product, *_NEEDED, Count("extra numbers", "0", lambda s: 0)),
    "full": (
        full_product,
        Count("multiplications", r"h^2 n^2 d_k", lambda s: (s.n_heads * s.n_tokens) ** 2 * s.d_k),
        Count(
            "additions", r"h^2 n^2 (d_k - 1)", lambda s: (s.n_heads * s.n_tokens) ** 2 * (s.d_k - 1)
        ),
        Count("extra numbers", r"h^2 n^2", lambda s: (s.n_heads * s.n_tokens) ** 2),
    ),
    "hadamard": (
        hadamard_product,
        *_NEEDED,
        Count("extra numbers", r"h\,n^2 d_k", lambda s: s.n_heads * s.n_tokens**2 * s.d_k),
    ),
}
SCHEMES = tuple(
    Scheme(row["key"], row["name"], row["description"], *_WAYS[row["key"]])
    for row in read_table("score_schemes")
)


def wasted_share(n_heads: int) -> float:
    """The part of the full product that is not needed: 1 - 1/h.

    >>> wasted_share(8)
    0.875
    """
    return 1.0 - 1.0 / n_heads


# Bounds of one measurement: 32 MB, and about a tenth of a second.
MAX_SCHEME_NUMBERS, MAX_SCHEME_MULTIPLICATIONS = 2**22, 2**26
MIN_TIMED_SECONDS = 0.002  # browsers round their clock to .1 ms
# Memory is traced for the whole process: two measurements at once would count each other's arrays.
MEASUREMENT_LOCK = threading.Lock()


@dataclass(frozen=True)
class SchemeGaps:
    """The largest difference of each way, by its key, from the scores of the layer, divided by the
    largest score. n_tokens: the number of compared tokens.
    """

    gaps: dict[str, float]
    n_tokens: int


@cached
def scheme_gaps(trace: Trace) -> SchemeGaps:
    """All four ways on the queries and keys of a layer: on all tokens, or on the first ones if all
    would take too long.
    """
    size, n_tokens = layer_size(trace), min(trace.sizes["T"], trace.sizes["S"])
    while n_tokens > 1 and not all(
        is_measurable(s, replace(size, n_tokens=n_tokens)) for s in SCHEMES
    ):
        n_tokens //= 2
    readers = size.n_heads // size.n_kv_heads
    queries, keys = (getattr(trace, name)[0, :, :n_tokens] for name in trace.needs("scores"))
    query_HTK, key_HTK = queries, keys.repeat(readers, axis=0)
    scores_HTT = trace.scores[0, :, :n_tokens, :n_tokens]
    most = float(np.abs(scores_HTT).max()) or 1.0
    gaps = {
        s.key: float(np.abs(s.scores(query_HTK, key_HTK) - scores_HTT).max()) / most
        for s in SCHEMES
    }
    return SchemeGaps(gaps, n_tokens)


def measure_scheme(
    scheme: Scheme, query_HTK: Array, key_HSK: Array, repeats: int = 3
) -> tuple[float, int]:
    """Run a scheme a few times for its time, then once more for its memory, which is slower. Units:
    seconds of the fastest run, and the most bytes used at once.
    """
    with MEASUREMENT_LOCK:
        seconds = min(_seconds(scheme, query_HTK, key_HSK) for _ in range(repeats))
        return seconds, _peak_bytes(scheme, query_HTK, key_HSK)


def _seconds(scheme: Scheme, query_HTK: Array, key_HSK: Array) -> float:
    """The time of one call, from as many as the clock of a browser can tell apart."""
    start, n_calls, seconds = time.perf_counter(), 0, 0.0
    while seconds < MIN_TIMED_SECONDS:
        scheme.scores(query_HTK, key_HSK)
        n_calls, seconds = n_calls + 1, time.perf_counter() - start
    return seconds / n_calls


def _peak_bytes(scheme: Scheme, query_HTK: Array, key_HSK: Array) -> int:
    traced_already = tracemalloc.is_tracing()
    if not traced_already:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        scheme.scores(query_HTK, key_HSK)
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        if not traced_already:
            tracemalloc.stop()


@dataclass(frozen=True)
class SchemeRun:
    """One way to compute scores, measured at one size. seconds: of the fastest run. peak_bytes: the
    most memory used at once, with the result.
    """

    scheme: Scheme
    size: LayerSize
    seconds: float
    peak_bytes: int


def measure_schemes(size: LayerSize, letter: str) -> tuple[SchemeRun, ...]:
    """Every way to compute scores, measured on random queries and keys as a size grows. Sizes that
    are too large are left out.
    """
    runs = []
    for larger in growing_sizes(size, letter):
        schemes = [scheme for scheme in SCHEMES if is_measurable(scheme, larger)]
        if schemes:
            query_HTK, key_HSK = _queries_and_keys(larger)
            runs += [
                SchemeRun(scheme, larger, *measure_scheme(scheme, query_HTK, key_HSK))
                for scheme in schemes
            ]
    return tuple(runs)


def is_measurable(scheme: Scheme, size: LayerSize) -> bool:
    """Whether a measurement stays within 32 MB and about a tenth of a second."""
    kept = scheme.extra.of(size) + size.n_heads * size.n_tokens**2
    return (
        kept <= MAX_SCHEME_NUMBERS and scheme.multiplications.of(size) <= MAX_SCHEME_MULTIPLICATIONS
    )


def _queries_and_keys(size: LayerSize) -> tuple[Array, Array]:
    rng = generator(0, Stream.TIMED_HEADS)
    queries, keys = rng.standard_normal((2, size.n_heads, size.n_tokens, size.d_k))
    return queries, keys
