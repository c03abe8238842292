"""Memory that is used again: only when nobody reads it any more, and never by two at once."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from attention_core import Projections, SettingsError, attend, fast_heads
from attention_core.fast_heads import (
    MAX_KEPT_BUFFERS,
    MAX_POOLED_BYTES,
    MIB,
    MIN_POOLED_BYTES,
    pooled_array,
)

SHAPE = (3, 5, 7, 2819)  # of float32, a little above the least that is kept


@pytest.fixture(autouse=True)
def _nothing_kept() -> Iterator[None]:
    """Every test begins with nothing kept, and leaves nothing behind."""
    fast_heads._spare.clear()
    yield
    fast_heads._spare.clear()


def address(array: np.ndarray) -> int:
    """Where its numbers stand."""
    return int(array.__array_interface__["data"][0])


def test_a_dropped_array_leaves_its_memory_to_the_next() -> None:
    first = pooled_array(SHAPE, np.float32)
    place = address(first)
    del first
    assert len(fast_heads._spare) == 1
    second = pooled_array((3 * 5, 7 * 2819), np.float32)
    assert address(second) == place
    assert not fast_heads._spare


def test_a_view_keeps_its_memory() -> None:
    first = pooled_array(SHAPE, np.float32)
    first[...] = 3
    view = first[1].swapaxes(0, 1)[2:, :, ::5].T
    del first
    second = pooled_array(SHAPE, np.float32)
    second[...] = 4
    assert not np.shares_memory(view, second)
    assert (view == 3).all()


def test_another_size_gets_its_own() -> None:
    pooled_array(SHAPE, np.float32)
    other = pooled_array(SHAPE, np.float64)
    assert other.dtype == np.float64
    assert [memory.nbytes for memory in fast_heads._spare] == [other.nbytes // 2]


@pytest.mark.parametrize("kept", [MIN_POOLED_BYTES, MAX_POOLED_BYTES])
@pytest.mark.parametrize("other", [0, 4, MIN_POOLED_BYTES - 4, MAX_POOLED_BYTES + 4])
def test_small_and_huge_arrays_are_not_kept(kept: int, other: int) -> None:
    pooled_array((kept // 4,), np.float32)
    assert pooled_array((other // 4,), np.float32).flags.owndata
    assert [memory.nbytes for memory in fast_heads._spare] == [kept]


def test_only_so_much_is_kept() -> None:
    arrays = [
        pooled_array((MIB // 4 + extra,), np.float32) for extra in range(MAX_KEPT_BUFFERS + 3)
    ]
    while arrays:
        arrays.pop(0)
    assert [memory.nbytes - MIB for memory in fast_heads._spare] == [
        4 * extra for extra in range(3, MAX_KEPT_BUFFERS + 3)
    ]


def test_traces_never_share_their_numbers() -> None:
    weights = Projections.random(6, 3, seed=2)
    inputs = [np.random.default_rng(seed).normal(size=(211, 6)) for seed in (0, 1)]
    first = attend(inputs[0], weights)
    kept, scores = first.probabilities[0, 1], first.scores.copy()
    before = kept.copy()
    gone = weakref.ref(first)
    del first
    assert gone() is None
    attend(inputs[1], weights)
    attend(inputs[1], weights)
    assert np.array_equal(kept, before)
    del kept
    again = attend(inputs[0], weights)
    assert np.array_equal(again.scores, scores)
    assert np.array_equal(again.probabilities[0, 1], before)


def test_threads_do_not_meet() -> None:
    def keeps(number: int) -> bool:
        array = pooled_array((MIB // 4,), np.float32)
        array[...] = number
        return bool((array == number).all())

    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(keeps, range(240)))
    assert len(fast_heads._spare) <= MAX_KEPT_BUFFERS


def test_no_memory_left() -> None:
    with pytest.raises(
        SettingsError, match="no memory for 1048576 × 1099511627776 numbers: choose fewer tokens"
    ):
        pooled_array((2**20, 2**40), np.float32)
