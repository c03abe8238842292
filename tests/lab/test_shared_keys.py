"""Shared keys and values: the counts are those of the arrays and of the arithmetic, and sharing
is averaging.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from attention_core import Projections, attend
from attention_lab.heads.counts import LayerSize, layer_size, total_count
from attention_lab.heads.shared_keys import CACHE, MULTIPLICATIONS, PARAMETERS, share_heads
from tests.core.counted_numbers import counted
from tests.core.random_layers import assert_same

T, D, K, V = 5, 7, 3, 2
GROUPS = [1, 2, 3, 6]
X = np.random.default_rng(0).normal(size=(T, D))


def layer(n_kv_heads: int) -> Projections:
    """Six heads with a number of shared keys and values."""
    return Projections.random(D, 6, d_k=K, d_v=V, n_kv_heads=n_kv_heads)


@pytest.mark.parametrize("n_kv_heads", GROUPS)
def test_parameters_and_cache_are_the_sizes_of_the_arrays(n_kv_heads: int) -> None:
    trace = attend(X, layer(n_kv_heads))
    p, size = trace.projections, layer_size(trace)
    assert [count.of(size) for count in PARAMETERS] == [
        matrix.size for matrix in (p.w_q, p.w_k, p.w_v, p.w_o)
    ]
    assert [count.of(size) for count in CACHE] == [trace.keys.size, trace.values.size]


@pytest.mark.parametrize("n_kv_heads", GROUPS)
def test_multiplications_are_counted_right(n_kv_heads: int) -> None:
    trace, tally = attend(X, layer(n_kv_heads)), Counter[str]()
    p, read = trace.projections, 6 // n_kv_heads
    key_heads, value_heads = (
        heads[0].repeat(read, axis=0) for heads in (trace.key_heads, trace.value_heads)
    )
    products = [
        (X, p.w_q),
        (X, p.w_k),
        (X, p.w_v),
        (trace.query_heads[0], key_heads.swapaxes(-1, -2)),
        (trace.probabilities[0], value_heads),
        (trace.merged[0], p.w_o),
    ]
    for count, (left, right) in zip(MULTIPLICATIONS, products, strict=True):
        tally.clear()
        np.matmul(counted(left, tally), counted(right, tally))
        assert count.of(layer_size(trace)) == tally["multiplications"]


@pytest.mark.parametrize("n_heads", [1, 2, 4, 8])
def test_heads_cost_nothing(n_heads: int) -> None:
    size = LayerSize(11, 16, n_heads, n_heads, 16 // n_heads, 16 // n_heads)
    assert total_count(MULTIPLICATIONS, size) == 4 * 11 * 16**2 + 2 * 11**2 * 16
    assert total_count(PARAMETERS, size) == 4 * 16**2


def test_the_width_of_the_values() -> None:
    assert total_count(PARAMETERS, LayerSize(1, 512, 8, 8, 64, 512)) == 4_718_592
    assert total_count(PARAMETERS, LayerSize(1, 512, 8, 8, 64, 64)) == 1_048_576


def test_the_cache_shrinks_with_the_groups() -> None:
    sizes = {g: total_count(CACHE, LayerSize(100, 64, 8, g, 8, 8)) for g in (8, 2, 1)}
    assert sizes == {8: 12_800, 2: 3_200, 1: 1_600}


@pytest.mark.parametrize("groups", GROUPS)
def test_shared_keys_and_values_are_means(groups: int) -> None:
    weights = Projections.random(D, 6, d_k=K, d_v=V, bias=True)
    before, after = attend(X, weights), attend(X, share_heads(weights, groups))
    assert after.sizes["G"] == groups
    for field in ("key_heads", "value_heads"):
        old = getattr(before, field)[0]
        expected = old.reshape(groups, 6 // groups, *old.shape[1:]).mean(axis=1)
        assert_same(getattr(after, field)[0], expected)
    assert (after.queries == before.queries).all()


def test_sharing_what_is_equal_changes_nothing() -> None:
    weights = layer(6)
    equal = replace(weights, w_k=np.tile(weights.w_k[:, :K], 6), w_v=np.tile(weights.w_v[:, :V], 6))
    assert_same(attend(X, share_heads(equal, 2)).output, attend(X, equal).output)
    assert_same(share_heads(share_heads(weights, 3), 1).w_k, share_heads(weights, 1).w_k)
    assert (
        np.abs(attend(X, share_heads(weights, 2)).output - attend(X, weights).output).max() > 0.01
    )
