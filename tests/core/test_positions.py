"""Rotary positions, QK-norm, the sink and ALiBi: what must hold for any numbers, and by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import (
    Projections,
    Rotary,
    Trace,
    alibi_bias,
    attend,
    causal_mask,
    reordered_pairs,
)
from attention_core.positions import alibi_slopes, pair_order
from tests.core.random_layers import assert_same

B, T, S, H, G, K, V, D = 2, 5, 7, 6, 3, 4, 11, 13
SEEDS = st.integers(0, 2**32 - 1)


def heads(seed: int, *shape: int) -> np.ndarray:
    """Normal numbers."""
    return np.random.default_rng(seed).normal(size=shape)


def layer(**options: Any) -> Trace:
    """Cross-attention with shared heads."""
    weights = Projections.random(D, H, d_k=K, d_v=V, n_kv_heads=G, bias=True)
    return attend(heads(0, B, T, D), weights, memory=heads(1, B, S, D), **options)


@given(SEEDS)
def test_the_layouts_of_pairs_differ_by_the_order_of_weights(seed: int) -> None:
    plain = Projections.random(D, H, d_k=6, n_kv_heads=G, bias=True, seed=seed)
    x = heads(seed, T, D)
    neighbours = attend(x, plain, rotary=Rotary())
    halves = attend(x, reordered_pairs(plain), rotary=Rotary(pairs="halves"))
    assert_same(halves.scores, neighbours.scores)
    assert_same(halves.output, neighbours.output)
    back = reordered_pairs(reordered_pairs(plain), "neighbours")
    assert all(np.array_equal(getattr(back, w), getattr(plain, w)) for w in ("w_q", "w_k", "b_q"))
    assert sorted(pair_order(6)) == list(range(6))


@pytest.mark.parametrize("sink", [-1000.0, 0.0, 1000.0])
def test_the_sink_takes_what_the_keys_do_not(sink: float) -> None:
    trace = layer(sink=sink, mask=np.arange(S) < np.arange(T)[:, np.newaxis], empty_rows="nan")
    assert trace.sink_share is not None
    assert_same(trace.probabilities.sum(axis=-1) + trace.sink_share, np.ones((B, H, T)))
    assert (trace.sink_share[..., 0] == 1).all()
    assert (trace.head_outputs[..., 0, :] == 0).all()
    assert layer().sink_share is None


def test_the_slopes_of_alibi() -> None:
    assert alibi_slopes(8).tolist() == [2.0**-n for n in range(1, 9)]
    assert alibi_slopes(1).tolist() == [1 / 256]
    assert alibi_slopes(2).tolist() == [1 / 16, 1 / 256]
    # What `get_slopes` of the paper's code gives for 12 heads.
    assert alibi_slopes(12)[8:] == pytest.approx([2**-0.5, 2**-1.5, 2**-2.5, 2**-3.5])
    assert (alibi_slopes(12)[:8] == alibi_slopes(8)).all()
    assert alibi_bias(2, 2, 3).tolist() == [
        [[0, -1 / 16, -2 / 16], [-1 / 16, 0, -1 / 16]],
        [[0, -1 / 256, -2 / 256], [-1 / 256, 0, -1 / 256]],
    ]


def test_the_two_causal_masks() -> None:
    for n_queries, n_keys in ((2, 5), (5, 2), (3, 3), (0, 2), (2, 0)):
        whole = np.tri(max(n_queries, n_keys), dtype=bool)
        last = causal_mask(n_queries, n_keys, align="bottom-right")
        assert np.array_equal(last, whole[len(whole) - n_queries :, len(whole) - n_keys :])
        assert np.array_equal(causal_mask(n_queries, n_keys), whole[:n_queries, :n_keys])
        assert np.array_equal(causal_mask(n_queries), whole[:n_queries, :n_queries])
