"""A step with the cache: the rows of the full run, and what it keeps, saves and can get wrong."""

from __future__ import annotations

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
    np.testing.assert_array_equal(step.full_shares(2, 5), trace.probabilities[0, 5, -step.n_new :])


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


def test_each_weight_multiplies_once_for_each_new_token() -> None:
    weights = 2 * 64 * 64 + 2 * 64 * 32 + 3 * 64 * 172
    pairs = 2 * 64 * 16  # a product for each score and each share, of 64 features
    assert multiplications(MODEL.decoder, 3, 16, N_KV_HEADS) == 5 * 3 * (weights + pairs)
