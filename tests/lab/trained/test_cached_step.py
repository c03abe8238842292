"""A step with the cache: the rows of the full run, and what it keeps, saves and can get wrong."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from itertools import product

import numpy as np
import pytest

from attention_lab.trained.cached_step import CachedStep, multiplications, numbers_kept
from attention_lab.trained.language_model import N_KV_HEADS, language_model

MODEL = language_model()
FROG = tuple(MODEL.encode("One day, a little frog was very sad. The"))


@pytest.mark.parametrize(("n_tokens", "n_first"), [(16, 8), (16, 16), (9, 1), (1, 1)])
def test_a_step_is_the_last_rows_of_the_full_run(n_tokens: int, n_first: int) -> None:
    step = CachedStep(FROG[:n_tokens], n_first)
    assert step.n_new == (n_first if n_tokens == n_first else 1)
    assert step.largest_gap < 1e-12
    trace = MODEL.run(FROG[:n_tokens]).traces[2]
    keys, values = step.kept(2)
    np.testing.assert_allclose(keys, trace.turned_keys[0], atol=1e-12)
    np.testing.assert_allclose(values, trace.value_heads[0], atol=1e-12)


@pytest.mark.parametrize("mistake", [{"restarts": True}, {"top_left": True}])
def test_a_mistake_changes_the_shares(mistake: dict[str, bool]) -> None:
    assert CachedStep(FROG, 8, **mistake).largest_gap > 0.05


def test_with_the_mask_at_the_top_left_a_new_token_sees_only_the_first_key() -> None:
    shares = CachedStep(FROG, 8, top_left=True).rows.probabilities
    np.testing.assert_array_equal(shares[..., 0, 0], 1)


def test_the_cache_holds_two_arrays_of_each_layer() -> None:
    step = CachedStep(FROG, 8)
    held = sum(array.size for layer in range(5) for array in step.kept(layer))
    assert numbers_kept(MODEL.decoder, len(FROG), N_KV_HEADS) == held


@dataclass
class Counter:
    """Counts multiplications one by one."""

    counts: dict[str, int] = field(default_factory=dict)

    def times(self, what: str, *sizes: int) -> None:
        for _ in product(*map(range, sizes)):
            self.counts[what] = self.counts.get(what, 0) + 1


def counted_in_loops(new: range, n_kv_heads: int) -> dict[str, int]:
    """A layer for the tokens at these positions, written as loops, and the logits of the last."""
    found, width = Counter(), 8
    for position in new:
        for head in range(8):
            found.times("queries", width, 64)
            found.times("rotary", width // 2, 4)
            for key in range(new.stop):
                found.times("scores", width)
                found.times("mixing", width)
                if key > position:
                    found.times("hidden", 2, width)
            found.times("output", width, 64)
            if head < n_kv_heads:
                found.times("keys", width, 64)
                found.times("values", width, 64)
                found.times("rotary", width // 2, 4)
        for _ in ("w_1", "w_3", "w_2"):
            found.times("feed_forward", 64, 172)
    found.times("logits", 512, 64)
    return {"hidden": 0} | found.counts


@pytest.mark.parametrize("n_kv_heads", [8, 4, 1])
@pytest.mark.parametrize(("n_new", "n_tokens"), [(1, 1), (3, 3), (1, 5), (2, 6)])
def test_every_multiplication_is_counted_once(n_new: int, n_tokens: int, n_kv_heads: int) -> None:
    found = multiplications(MODEL.decoder, n_new, n_tokens, n_kv_heads)
    loops = counted_in_loops(range(n_tokens - n_new, n_tokens), n_kv_heads)
    assert asdict(found) == loops | {"n_layers": 5}
    assert found.total == 5 * sum(found.of_layer.values()) + 512 * 64
    assert sum(found.of_layer.values()) == sum(loops.values()) - loops["hidden"] - loops["logits"]


@pytest.mark.parametrize(("n_tokens", "n_first"), [(1, 1), (4, 4), (6, 4), (3, 1)])
def test_the_counters_run_from_the_first_step(n_tokens: int, n_first: int) -> None:
    step = CachedStep(FROG[:n_tokens], n_first)
    kept, without, n_done = [], [], 0
    while n_done < n_tokens:
        n_new = 1 if n_done else n_first
        n_done += n_new
        kept.append(multiplications(MODEL.decoder, n_new, n_done, N_KV_HEADS).total)
        without.append(multiplications(MODEL.decoder, n_done, n_done, N_KV_HEADS).total)
    assert step.totals == (tuple(kept), tuple(without))
    assert step.counts.total == kept[-1]
    assert step.counts_without.total == without[-1]
    assert kept[0] == without[0]


@pytest.mark.parametrize("head", range(8))
def test_a_head_reads_the_keys_of_its_neighbours_group(head: int) -> None:
    """Eight heads on four sets: heads 2 and 3 read set 1, not sets 2 and 3."""
    step, trace = CachedStep(FROG, 8), MODEL.run(FROG).traces[3]
    for cached in (True, False):
        keys, values, _ = step.lines(3, head, cached)
        np.testing.assert_allclose(keys, trace.turned_keys[0, head // 2], atol=1e-12)
        np.testing.assert_allclose(values, trace.value_heads[0, head // 2], atol=1e-12)


def test_the_cache_saves_what_it_does_not_multiply() -> None:
    step = CachedStep(FROG, 8)
    saved = counted_in_loops(range(16), 4), counted_in_loops(range(15, 16), 4)
    all_rows, one_row = (
        5 * sum(v for name, v in one.items() if name not in ("hidden", "logits")) + one["logits"]
        for one in saved
    )
    assert step.saved == pytest.approx((all_rows - one_row) / all_rows)
    assert CachedStep(FROG[:8], 8).saved == 0
