"""The server gives memory back when visitors have left."""

from __future__ import annotations

import pytest

from attention_lab import cache
from attention_ui import housekeeping
from attention_ui.housekeeping import AfterVisits


@pytest.mark.parametrize(
    ("counts", "given_back", "is_forgotten"),
    [
        ((0, 0, 0), 0, False),
        ((9, 12, 12), 0, False),
        ((12, 7, 7), 0, False),
        ((12, 6, 6, 6, 6), 2, False),
        ((12, 6, 4, 4, 3, 3), 4, False),
        ((12, 0, 0, 0, 0), 2, True),
        ((1, 0, 0, 0, 1, 0), 3, True),
    ],
)
def test_memory_is_given_back_when_half_have_left(
    counts: tuple[int, ...],
    given_back: int,
    is_forgotten: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What others may still ask for stays, until nobody is there."""
    collected: list[None] = []
    monkeypatch.setattr(housekeeping, "n_visits", iter(counts).__next__)
    monkeypatch.setattr(housekeeping.gc, "collect", lambda: collected.append(None))
    kept = cache.Cache[str, str]()
    after_visits = AfterVisits()
    kept.add("a", "run")
    for _ in counts:
        after_visits.look()
    assert len(collected) == given_back
    assert (kept.get("a") is None) == is_forgotten
