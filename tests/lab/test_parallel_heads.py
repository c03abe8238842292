"""Heads one after the other, in threads, and as one product: equal results, bounded measurements,
and a verdict that follows from the times.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import count

import numpy as np
import pytest

from attention_lab.heads.counts import LayerSize
from attention_lab.heads.parallel_heads import (
    IN_THREADS,
    MAX_THREAD_SCORES,
    N_RUNS,
    ONE_BY_ONE,
    ONE_PRODUCT,
    TIMED_TOKEN_COUNTS,
    RunTimes,
    ThreadRuns,
    compare_threads,
    multiply_at_once,
    multiply_in_threads,
    multiply_one_by_one,
    n_cores,
    n_threads,
    time_threads,
)

SIZE = LayerSize(12, 15, 5, 5, 3, 3)


def test_three_ways_give_the_scores_of_a_loop() -> None:
    query_HTK = np.arange(2 * 3 * 5).reshape(2, 3, 5) - 7.0
    key_HSK = np.arange(2 * 7 * 5).reshape(2, 7, 5) % 11 - 4.0
    expected = [
        [[sum(a * b for a, b in zip(q, k, strict=True)) for k in keys] for q in queries]
        for queries, keys in zip(query_HTK, key_HSK, strict=True)
    ]
    with ThreadPoolExecutor(2) as pool:
        ways = (
            multiply_one_by_one,
            multiply_at_once,
            lambda *arrays: multiply_in_threads(pool, *arrays),
        )
        for way in ways:
            scores_HTS = np.full((2, 3, 7), np.nan)
            way(query_HTK, key_HSK.swapaxes(1, 2), scores_HTS)
            assert scores_HTS.tolist() == expected


def test_an_error_in_a_thread_is_seen() -> None:
    query_HTK, key_HKS = np.ones((2, 3, 5)), np.ones((2, 4, 7))
    with ThreadPoolExecutor(2) as pool, pytest.raises(ValueError, match="mismatch"):
        multiply_in_threads(pool, query_HTK, key_HKS, np.empty((2, 3, 7)))


def clock_of(seconds: float) -> object:
    """A clock that moves on by a fixed number of seconds each time that it is read."""
    ticks = count()
    return lambda: next(ticks) * seconds


def test_sizes_stay_within_their_bounds() -> None:
    """Tokens double until the scores of all heads would take more than 32 MB; every result agrees
    with the others.
    """
    many = LayerSize(12, 16, 16, 16, 1, 1)
    found = time_threads(many, clock_of(1e-6))  # type: ignore[arg-type]
    assert [run.size.n_tokens for run in found] == [16, 32, 64, 128, 256, 512]
    assert MAX_THREAD_SCORES == 16 * 512**2
    assert max(run.gap for run in found) < 1e-13


def test_measuring_ends_before_it_takes_too_long() -> None:
    """A size that would take four times as long as the last one, past two seconds in all, is not
    begun.
    """
    per_race = 2 * 3 * (N_RUNS + 1) + 2  # looks at the clock
    slow = time_threads(SIZE, clock_of(0.5 / per_race))  # type: ignore[arg-type]
    assert [run.size.n_tokens for run in slow] == [16]
    quick = time_threads(SIZE, clock_of(0.01 / per_race))  # type: ignore[arg-type]
    assert tuple(run.size.n_tokens for run in quick) == TIMED_TOKEN_COUNTS[: len(quick)]
    assert len(quick) == 6  # five heads at 1,024 tokens are more than 32 MB


def test_no_more_threads_than_heads_or_cores() -> None:
    assert n_threads(LayerSize(12, 16, 1, 1, 4, 4)) == 1
    assert n_threads(LayerSize(12, 1024, 1024, 1024, 1, 1)) == min(n_cores(), 1024)


def runs_at(n_tokens: int, loop: float, threads: float, spread: float = 0.1) -> ThreadRuns:
    """Times with quartiles at an equal distance on both sides of the median."""
    times = {
        way: RunTimes(t - spread, t, t + spread)
        for way, t in ((ONE_BY_ONE, loop), (IN_THREADS, threads), (ONE_PRODUCT, loop))
    }
    return ThreadRuns(LayerSize(n_tokens, 15, 5, 5, 3, 3), times, 0.0)


@pytest.mark.parametrize(
    ("times", "slower", "faster_from"),
    [
        ([(1, 2), (2, 2), (4, 3), (8, 5)], (16,), 64),
        ([(1, 2), (4, 3), (8, 8), (16, 9)], (16,), 128),  # not at all sizes from 32
        ([(1, 2), (4, 3), (8, 8)], (16,), None),
        ([(1, 2), (2, 3)], (16, 32), None),
        ([(2, 1.85), (2, 2.15)], (), None),  # within the quartiles
        ([(3, 1), (3, 1)], (), 16),
    ],
)
def test_from_which_size_threads_are_faster(
    times: list[tuple[float, float]], slower: tuple[int, ...], faster_from: int | None
) -> None:
    found = [runs_at(16 * 2**i, *pair) for i, pair in enumerate(times)]
    comparison = compare_threads(found)
    assert (comparison.slower, comparison.faster_from) == (slower, faster_from)
    best = max(loop / threads for loop, threads in times)
    assert comparison.best == pytest.approx(best)
    n_tokens = [16 * 2**i for i, (loop, threads) in enumerate(times) if loop / threads == best]
    assert comparison.best_at == n_tokens[0]
