"""The four ways to compute scores, run: their largest difference, and their time and memory on this
machine as a size grows.
"""

from __future__ import annotations

import threading
import time
import tracemalloc
from dataclasses import dataclass, replace

import numpy as np

from attention_core.checks import Array
from attention_core.initialisation import Stream, generator
from attention_core.trace import Trace

from ..cache import cached
from .counts import LayerSize, growing_sizes, layer_size
from .score_schemes import SCHEMES, Scheme

# Bounds of one measurement: 32 MB, and about a tenth of a second.
MAX_SCHEME_NUMBERS, MAX_SCHEME_MULTIPLICATIONS = 2**22, 2**26
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
    query_HTK = trace.query_heads[0, :, :n_tokens]
    key_HTK = trace.key_heads[0, :, :n_tokens].repeat(readers, axis=0)
    scores_HTT = trace.scores[0, :, :n_tokens, :n_tokens]
    most = float(np.abs(scores_HTT).max()) or 1.0
    gaps = {
        s.key: float(np.abs(s.scores(query_HTK, key_HTK) - scores_HTT).max()) / most
        for s in SCHEMES
    }
    return SchemeGaps(gaps, n_tokens)


@dataclass(frozen=True)
class Measurement:
    """seconds: of the fastest run. peak_bytes: the most memory used at once, with the result."""

    seconds: float
    peak_bytes: int


def measure_scheme(
    scheme: Scheme, query_HTK: Array, key_HSK: Array, repeats: int = 3
) -> Measurement:
    """Run a scheme a few times for its time, then once more for its memory, which is slower."""
    seconds = []
    with MEASUREMENT_LOCK:
        for _ in range(repeats):
            start = time.perf_counter()
            scheme.scores(query_HTK, key_HSK)
            seconds.append(time.perf_counter() - start)
        return Measurement(min(seconds), _peak_bytes(scheme, query_HTK, key_HSK))


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
    """One way to compute scores, measured at one size."""

    scheme: Scheme
    size: LayerSize
    measured: Measurement


def measure_schemes(size: LayerSize, letter: str) -> tuple[SchemeRun, ...]:
    """Every way to compute scores, measured on random queries and keys as a size grows. Sizes that
    are too large are left out.
    """
    found = []
    for larger in growing_sizes(size, letter):
        schemes = [scheme for scheme in SCHEMES if is_measurable(scheme, larger)]
        if schemes:
            query_HTK, key_HSK = _queries_and_keys(larger)
            found += [
                SchemeRun(scheme, larger, measure_scheme(scheme, query_HTK, key_HSK))
                for scheme in schemes
            ]
    return tuple(found)


def is_measurable(scheme: Scheme, size: LayerSize) -> bool:
    """Whether a measurement stays within 32 MB and about a tenth of a second."""
    kept = scheme.extra.of(size) + size.n_heads * size.n_tokens**2
    return (
        kept <= MAX_SCHEME_NUMBERS and scheme.multiplications.of(size) <= MAX_SCHEME_MULTIPLICATIONS
    )


def _queries_and_keys(size: LayerSize) -> tuple[Array, Array]:
    rng = generator(0, Stream.TIMED_HEADS)
    shape = (size.n_heads, size.n_tokens, size.d_k)
    return rng.standard_normal(shape), rng.standard_normal(shape)
