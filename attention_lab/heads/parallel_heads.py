"""The scores of all heads one after the other, in parallel threads, and as one product: the time of
each on this machine, and the size from which threads are faster.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np

from attention_core.checks import Array
from attention_core.initialisation import Stream, generator
from attention_lab.rounding import RELATIVE_ROUNDING

from .counts import LayerSize
from .scheme_runs import MEASUREMENT_LOCK

ONE_BY_ONE, IN_THREADS, ONE_PRODUCT = (
    "one after the other",
    "in parallel threads",
    "one product for all",
)
TIMED_TOKEN_COUNTS = tuple(2**k for k in range(4, 11))
# Bounds: of one product 32 MB and about a tenth of a second; of all together two seconds.
MAX_THREAD_SCORES, MAX_THREAD_MULTIPLICATIONS, MAX_SECONDS = 2**22, 2**29, 2.0
N_RUNS = 9
Clock = Callable[[], float]


@dataclass(frozen=True)
class RunTimes:
    """Seconds of several runs: the lower quartile, the median, the upper quartile."""

    low: float
    median: float
    high: float


@dataclass(frozen=True)
class ThreadRuns:
    """The three ways at one size. gap: the largest difference of their results, divided by the
    largest score.
    """

    size: LayerSize
    times: dict[str, RunTimes]
    gap: float


@dataclass(frozen=True)
class ThreadComparison:
    """A comparison of threads with one head after the other.

    A way is faster if the upper quartile of its runs is below the lower quartile of the other's.
    slower: the numbers of tokens at which threads are slower. faster_from: the number of tokens
    from which threads are always faster, or None. best: the largest speed-up by medians, at best_at
    tokens.
    """

    slower: tuple[int, ...]
    faster_from: int | None
    best: float
    best_at: int


def n_cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def n_threads(size: LayerSize) -> int:
    """One thread for each core, but no more than there are heads."""
    return min(n_cores(), size.n_heads)


def multiply_one_by_one(query_HTK: Array, key_HKS: Array, scores_HTS: Array) -> None:
    """One product for each head, one after the other."""
    for query_TK, key_KS, scores_TS in zip(query_HTK, key_HKS, scores_HTS, strict=True):
        np.matmul(query_TK, key_KS, out=scores_TS)


def multiply_in_threads(
    pool: ThreadPoolExecutor, query_HTK: Array, key_HKS: Array, scores_HTS: Array
) -> None:
    """One product for each head, in threads. NumPy releases the lock of the interpreter while it
    multiplies, so several cores can multiply at the same time.
    """
    tasks = [
        pool.submit(np.matmul, query_TK, key_KS, out=scores_TS)
        for query_TK, key_KS, scores_TS in zip(query_HTK, key_HKS, scores_HTS, strict=True)
    ]
    for task in tasks:
        task.result()


def multiply_at_once(query_HTK: Array, key_HKS: Array, scores_HTS: Array) -> None:
    """One call with the head as one more axis."""
    np.matmul(query_HTK, key_HKS, out=scores_HTS)


def time_threads(size: LayerSize, clock: Clock = time.perf_counter) -> tuple[ThreadRuns, ...]:
    """The three ways for growing numbers of tokens, on random queries and keys, until the next size
    would be too large or take too long.

    Threads are started before the measurement. The ways take turns, so that other work of the
    machine affects all three.
    """
    found: list[ThreadRuns] = []
    with MEASUREMENT_LOCK, ThreadPoolExecutor(n_threads(size)) as pool:
        start = clock()
        for n_tokens in TIMED_TOKEN_COUNTS:
            larger, before = replace(size, n_tokens=n_tokens), clock()
            if not _is_small_enough(larger):
                break
            found.append(_time_ways(larger, pool, clock))
            now = clock()
            if now - start + 4 * (now - before) > MAX_SECONDS:  # twice the tokens, four times that
                break
    return tuple(found)


def compare_threads(found: Sequence[ThreadRuns]) -> ThreadComparison:
    """The comparison of threads with one head after the other."""
    slower, faster_from = [], None
    for run in found:
        loop, threads, n_tokens = run.times[ONE_BY_ONE], run.times[IN_THREADS], run.size.n_tokens
        if threads.high < loop.low:
            faster_from = n_tokens if faster_from is None else faster_from
        else:
            faster_from = None
        if loop.high < threads.low:
            slower.append(n_tokens)
    best = max(found, key=_speed_up)
    return ThreadComparison(tuple(slower), faster_from, _speed_up(best), best.size.n_tokens)


def largest_gap(found: Sequence[ThreadRuns]) -> float:
    """The largest difference of the results; 0 within rounding."""
    gap = max(run.gap for run in found)
    return gap if gap > RELATIVE_ROUNDING[np.dtype(np.float64)] else 0.0


def _speed_up(run: ThreadRuns) -> float:
    return run.times[ONE_BY_ONE].median / run.times[IN_THREADS].median


def _is_small_enough(size: LayerSize) -> bool:
    numbers = size.n_heads * size.n_tokens**2
    return numbers <= MAX_THREAD_SCORES and numbers * size.d_k <= MAX_THREAD_MULTIPLICATIONS


def _time_ways(size: LayerSize, pool: ThreadPoolExecutor, clock: Clock) -> ThreadRuns:
    rng = generator(0, Stream.TIMED_HEADS)
    shape = (size.n_heads, size.n_tokens, size.d_k)
    query_HTK, key_HKS = rng.standard_normal(shape), rng.standard_normal(shape).swapaxes(1, 2)
    scores = {
        way: np.zeros((size.n_heads, size.n_tokens, size.n_tokens))
        for way in (ONE_BY_ONE, IN_THREADS, ONE_PRODUCT)
    }
    seconds: dict[str, list[float]] = {way: [] for way in scores}
    for _ in range(N_RUNS + 1):
        for way, scores_HTS in scores.items():
            start = clock()
            if way == ONE_BY_ONE:
                multiply_one_by_one(query_HTK, key_HKS, scores_HTS)
            elif way == IN_THREADS:
                multiply_in_threads(pool, query_HTK, key_HKS, scores_HTS)
            else:
                multiply_at_once(query_HTK, key_HKS, scores_HTS)
            seconds[way].append(clock() - start)
    # The first run of each starts threads and touches memory for the first time.
    quarters = {way: np.quantile(some[1:], (0.25, 0.5, 0.75)) for way, some in seconds.items()}
    most = float(np.abs(scores[ONE_BY_ONE]).max())
    gap = max(float(np.abs(other - scores[ONE_BY_ONE]).max()) for other in scores.values()) / most
    return ThreadRuns(
        size, {way: RunTimes(*map(float, some)) for way, some in quarters.items()}, gap
    )
