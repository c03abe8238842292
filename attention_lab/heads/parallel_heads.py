"""The scores of all heads one after the other, in parallel threads, and as one product: how long
each takes on this machine, and from which size threads pay.
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
from .measurement import ONE_AT_A_TIME

LOOP, THREADS, FUSED = "one after the other", "in parallel threads", "one product for all"
TOKENS = tuple(2**k for k in range(4, 11))
# One product may make so many numbers (32 MB) and multiply so often (about a tenth of a second);
# all together may take so many seconds.
MOST_NUMBERS, MOST_MULTIPLIES, MOST_SECONDS = 2**22, 2**29, 2.0
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
    """The three ways at one size. gap: how far their results are from one another, as a part of
    the largest score.
    """

    size: LayerSize
    times: dict[str, Timed]
    gap: float


@dataclass(frozen=True)
class Verdict:
    """What the times say of threads against one head after the other.

    A way is faster where the upper quartile of its runs lies below the lower one of the other's.
    faster, slower: at so many tokens. pays_from: faster at so many and at all more that were
    measured, or None. best: the largest speed-up by medians, at best_at tokens.
    """

    faster: tuple[int, ...]
    slower: tuple[int, ...]
    pays_from: int | None
    best: float
    best_at: int


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def n_threads(size: LayerSize) -> int:
    """One thread for each core, but no more than there are heads."""
    return min(cores(), size.n_heads)


def head_after_head(query_HTK: Array, key_HKS: Array, scores_HTS: Array) -> None:
    """One product for each head; the next begins when the one before has ended."""
    for query_TK, key_KS, scores_TS in zip(query_HTK, key_HKS, scores_HTS, strict=True):
        np.matmul(query_TK, key_KS, out=scores_TS)


def heads_in_threads(
    pool: ThreadPoolExecutor, query_HTK: Array, key_HKS: Array, scores_HTS: Array
) -> None:
    """One product for each head, handed to threads. NumPy gives up the interpreter's lock while it
    multiplies, so threads on several cores multiply at the same time.
    """
    tasks = [
        pool.submit(np.matmul, query_TK, key_KS, out=scores_TS)
        for query_TK, key_KS, scores_TS in zip(query_HTK, key_HKS, scores_HTS, strict=True)
    ]
    for task in tasks:
        task.result()


def all_in_one(query_HTK: Array, key_HKS: Array, scores_HTS: Array) -> None:
    """One call in which the head is one more axis."""
    np.matmul(query_HTK, key_HKS, out=scores_HTS)


def races(size: LayerSize, clock: Clock = time.perf_counter) -> tuple[Race, ...]:
    """The three ways with more and more tokens, on random queries and keys of the layer's heads,
    until the next size would be too large or take too long.

    The threads are started before, and the ways take turns, so that what else the machine does
    hits all three.
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
            if now - start + 4 * (now - before) > MOST_SECONDS:  # twice the tokens, four times that
                break
    return tuple(found)


def verdict(found: Sequence[Race]) -> Verdict:
    """From which number of tokens threads pay, by what was measured."""
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
    """How far the results of the ways are from one another at most; 0 within rounding."""
    gap = max(race.gap for race in found)
    return gap if gap > RELATIVE_ROUNDING[np.dtype(np.float64)] else 0.0


def _speed_up(race: Race) -> float:
    return race.times[LOOP].median / race.times[THREADS].median


def _is_small_enough(size: LayerSize) -> bool:
    numbers = size.n_heads * size.n_tokens**2
    return numbers <= MOST_NUMBERS and numbers * size.d_k <= MOST_MULTIPLIES


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
