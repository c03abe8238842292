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
from attention_core.magnitudes import RELATIVE_ROUNDING

from .counts import LayerSize
from .scheme_runs import ONE_AT_A_TIME

LOOP, THREADS, FUSED = "one after the other", "in parallel threads", "one product for all"
TOKENS = tuple(2**k for k in range(4, 11))
# Bounds: of one product 32 MB and about a tenth of a second; of all together two seconds.
MAX_NUMBERS, MAX_MULTIPLICATIONS, MAX_SECONDS = 2**22, 2**29, 2.0
REPEATS = 9
Clock = Callable[[], float]


@dataclass(frozen=True)
class Timed:
    """Seconds of several runs: the lower quartile, the median, the upper quartile."""

    low: float
    median: float
    high: float


@dataclass(frozen=True)
class Race:
    """The three ways at one size. gap: the largest difference of their results, divided by the
    largest score.
    """

    size: LayerSize
    times: dict[str, Timed]
    gap: float


@dataclass(frozen=True)
class Verdict:
    """A comparison of threads with one head after the other.

    A way is faster if the upper quartile of its runs is below the lower quartile of the other's.
    faster, slower: the numbers of tokens at which threads are. pays_from: the number of tokens from
    which threads are always faster, or None. best: the largest speed-up by medians, at best_at
    tokens.
    """

    faster: tuple[int, ...]
    slower: tuple[int, ...]
    pays_from: int | None
    best: float
    best_at: int


def cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def n_threads(size: LayerSize) -> int:
    """One thread for each core, but no more than there are heads."""
    return min(cores(), size.n_heads)


def head_after_head(query_HTK: Array, key_HKS: Array, scores_HTS: Array) -> None:
    """One product for each head, one after the other."""
    for query_TK, key_KS, scores_TS in zip(query_HTK, key_HKS, scores_HTS, strict=True):
        np.matmul(query_TK, key_KS, out=scores_TS)


def heads_in_threads(
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


def all_in_one(query_HTK: Array, key_HKS: Array, scores_HTS: Array) -> None:
    """One call with the head as one more axis."""
    np.matmul(query_HTK, key_HKS, out=scores_HTS)


def races(size: LayerSize, clock: Clock = time.perf_counter) -> tuple[Race, ...]:
    """The three ways for growing numbers of tokens, on random queries and keys, until the next size
    would be too large or take too long.

    Threads are started before the measurement. The ways take turns, so that other work of the
    machine affects all three.
    """
    found: list[Race] = []
    with ONE_AT_A_TIME, ThreadPoolExecutor(n_threads(size)) as pool:
        start = clock()
        for n_tokens in TOKENS:
            larger, before = replace(size, n_tokens=n_tokens), clock()
            if not _is_small_enough(larger):
                break
            found.append(_race(larger, pool, clock))
            now = clock()
            if now - start + 4 * (now - before) > MAX_SECONDS:  # twice the tokens, four times that
                break
    return tuple(found)


def verdict(found: Sequence[Race]) -> Verdict:
    """The comparison of threads with one head after the other."""
    faster, slower, pays_from = [], [], None
    for race in found:
        loop, threads, n_tokens = race.times[LOOP], race.times[THREADS], race.size.n_tokens
        if threads.high < loop.low:
            faster.append(n_tokens)
            pays_from = n_tokens if pays_from is None else pays_from
        else:
            pays_from = None
        if loop.high < threads.low:
            slower.append(n_tokens)
    best = max(found, key=_speed_up)
    return Verdict(tuple(faster), tuple(slower), pays_from, _speed_up(best), best.size.n_tokens)


def largest_gap(found: Sequence[Race]) -> float:
    """The largest difference of the results; 0 within rounding."""
    gap = max(race.gap for race in found)
    return gap if gap > RELATIVE_ROUNDING[np.dtype(np.float64)] else 0.0


def _speed_up(race: Race) -> float:
    return race.times[LOOP].median / race.times[THREADS].median


def _is_small_enough(size: LayerSize) -> bool:
    numbers = size.n_heads * size.n_tokens**2
    return numbers <= MAX_NUMBERS and numbers * size.d_k <= MAX_MULTIPLICATIONS


def _race(size: LayerSize, pool: ThreadPoolExecutor, clock: Clock) -> Race:
    rng = generator(0, Stream.TIMED_HEADS)
    shape = (size.n_heads, size.n_tokens, size.d_k)
    query_HTK, key_HKS = rng.standard_normal(shape), rng.standard_normal(shape).swapaxes(1, 2)
    scores = {
        way: np.zeros((size.n_heads, size.n_tokens, size.n_tokens))
        for way in (LOOP, THREADS, FUSED)
    }
    seconds: dict[str, list[float]] = {way: [] for way in scores}
    for _ in range(REPEATS + 1):
        for way, scores_HTS in scores.items():
            start = clock()
            if way == LOOP:
                head_after_head(query_HTK, key_HKS, scores_HTS)
            elif way == THREADS:
                heads_in_threads(pool, query_HTK, key_HKS, scores_HTS)
            else:
                all_in_one(query_HTK, key_HKS, scores_HTS)
            seconds[way].append(clock() - start)
    # The first run of each starts threads and touches memory for the first time.
    quarters = {way: np.quantile(some[1:], (0.25, 0.5, 0.75)) for way, some in seconds.items()}
    most = float(np.abs(scores[LOOP]).max())
    gap = max(float(np.abs(other - scores[LOOP]).max()) for other in scores.values()) / most
    return Race(size, {way: Timed(*map(float, some)) for way, some in quarters.items()}, gap)
