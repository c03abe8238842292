"""Results that are kept: which, for whom, and how many."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import numpy as np
import pytest

from attention_core import Projections, attend
from attention_lab import cache
from attention_lab.cache import ENTRY_BYTES, Cache, cached

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("Array", "ndarray", "Trace", "Projections", "UserMatrices")


@pytest.fixture(autouse=True)
def _empty() -> Iterator[None]:
    """Nothing is kept before a test, nor after it."""
    cache.clear()
    yield
    cache.clear()


def test_kept_results_tell_numbers_from_switches() -> None:
    calls: list[object] = []

    @cached
    def kept(value: object) -> list[object]:
        calls.append(value)
        return [value]

    assert kept(1) is kept(1)
    assert [kept(value) for value in (1, 1.0, True, [2])] == [[1], [1.0], [True], [[2]]]
    assert [type(value) for value in calls] == [int, float, bool, list]
    assert [kept(value=value) for value in (1, 2)] == [[1], [2]]


def test_kept_results_are_the_same_for_all() -> None:
    both = Barrier(2, timeout=60)

    @cached
    def kept(value: int) -> list[int]:
        both.wait()
        return [value]

    with ThreadPoolExecutor(2) as threads:
        one, other = threads.map(kept, (1, 1))
    assert one is other is kept(1)


def test_all_caches_share_one_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "ENTRY_BYTES", 0)
    monkeypatch.setattr(cache, "CACHE_BYTES", 5 * 8)
    calls: list[tuple[str, int]] = []

    def keeping(name: str) -> Callable[[int], np.ndarray]:
        @cached
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


def test_what_arguments_hold_counts_and_what_has_grown_is_counted_anew() -> None:
    trace = attend(np.ones((3, 4)), Projections.weightless(4))

    @cached
    def heads(given: object) -> int:
        return 1

    heads(trace)
    assert cache._shared.n_bytes == ENTRY_BYTES + cache.n_bytes(trace) > ENTRY_BYTES
    runs: Cache[str, list[np.ndarray]] = Cache()
    points = [np.zeros(3)]
    before = cache._shared.n_bytes
    assert runs.add("a", points) is points
    points.append(np.zeros(5))
    assert runs.add("a", points) is runs.get("a") is points
    assert cache._shared.n_bytes - before == ENTRY_BYTES + 8 * 8
    assert runs.get("b") is None
    cache.clear()
    assert (cache._shared.n_bytes, runs.get("a")) == (0, None)


def test_results_without_arrays_find_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "CACHE_BYTES", 10 * ENTRY_BYTES)
    calls: list[int] = []

    @cached
    def square(number: int) -> int:
        calls.append(number)
        return number**2

    for number in (*range(15), 14, 5, 4):
        square(number)
    assert calls == [*range(15), 4]


def test_nothing_with_arrays_is_kept_beside_the_budget() -> None:
    heavy: list[str] = []
    for package in ("attention_core", "attention_lab", "attention_viz", "attention_ui", "pages"):
        for file in (ROOT / package).rglob("*.py"):
            source = file.read_text(encoding="utf-8")
            assert "st.cache_" not in source, file
            for node in ast.walk(ast.parse(source)):
                if isinstance(node, ast.FunctionDef) and any(
                    "lru_cache" in ast.unparse(one) for one in node.decorator_list
                ):
                    signature = f"{ast.unparse(node.args)} {ast.unparse(node.returns or node)}"
                    heavy += [node.name for word in HEAVY if word in signature]
    assert heavy == []
