"""Results that are kept: which, for whom, and how many."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from weakref import WeakSet

import numpy as np
import pytest

from attention_core import cache
from attention_core.cache import cached


def test_kept_results_tell_numbers_from_switches() -> None:
    """Equal arguments give the same object; 1, 1.0 and True are equal but kept apart, and lists
    reach the function.
    """
    calls: list[object] = []

    @cached(4)
    def kept(value: object) -> list[object]:
        calls.append(value)
        return [value]

    assert kept(1) is kept(1)
    assert [kept(value) for value in (1, 1.0, True, [2])] == [[1], [1.0], [True], [[2]]]
    assert [type(value) for value in calls] == [int, float, bool, list]


def test_kept_results_have_room() -> None:
    """Those last asked for stay, as far as their number and their bytes allow; the last one
    does in any case.
    """
    calls: list[int] = []

    @cached(3, most_bytes=40)
    def kept(n_numbers: int) -> dict[str, list[np.ndarray]]:
        calls.append(n_numbers)
        return {"zeros": [np.zeros(n_numbers)]}

    for n_numbers in (1, 2, 1, 3, 2, 1, 99, 99, 1):
        assert kept(n_numbers)["zeros"][0].shape == (n_numbers,)
    assert calls == [
        1,
        2,
        3,
        2,
        1,
        99,
        1,
    ], "8 bytes each: 3 takes the place of 2, 2 that of 1, 1 that of 3"

    small = cached(2)(lambda number: calls.append(number))
    calls.clear()
    for number in (1, 2, 3, 1, 3):
        small(number)
    assert calls == [1, 2, 3, 1]


def test_kept_results_are_the_same_for_all() -> None:
    """Who asks while another asks for the same gets the same object."""
    both = Barrier(2, timeout=60)

    @cached(4)
    def kept(value: int) -> list[int]:
        both.wait()
        return [value]

    with ThreadPoolExecutor(2) as threads:
        one, other = threads.map(kept, (1, 1))
    assert one is other is kept(1)


def test_all_functions_share_one_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all results together the one goes that was not asked for the longest, whichever function
    it is of; the last one stays however large it is.
    """
    monkeypatch.setattr(cache, "_everything", WeakSet())
    monkeypatch.setattr(cache, "MOST_BYTES_OF_ALL", 5 * 8)
    calls: list[tuple[str, int]] = []

    def keeping(name: str) -> Callable[[int], np.ndarray]:
        @cached(9)
        def kept(n_numbers: int) -> np.ndarray:
            calls.append((name, n_numbers))
            return np.zeros(n_numbers)

        return kept

    one, other = keeping("one"), keeping("other")
    for function, n_numbers in ((one, 1), (other, 2), (one, 1), (one, 2), (other, 1), (one, 1)):
        function(n_numbers)
    assert calls == [("one", 1), ("other", 2), ("one", 2), ("other", 1)]
    calls.clear()
    one(2), other(2)
    assert calls == [("other", 2)], "the room is 5: other 2 had gone for other 1, one 2 was kept"
    other(99), other(99), one(1)
    assert calls == [("other", 2), ("other", 99), ("one", 1)]
