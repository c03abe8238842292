"""Similarity of heads: known values, agreement with plain loops, and an order with similar heads
next to each other.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import Projections, attend
from attention_lab.heads.patterns import Pattern, pattern_of
from attention_lab.heads.reruns import rerun
from attention_lab.heads.similarity import (
    centred_correlations,
    head_divergences,
    head_order,
    jensen_shannon,
    layer_divergence,
    max_distinct_heads,
    mean_head_divergence,
    most_alike,
    overlap,
)
from tests.core.random_layers import Layer, assert_same, calls


def heads(*shares: np.ndarray) -> Pattern:
    """A pattern of one sequence without a mask."""
    stacked = np.stack(shares)[np.newaxis]
    return Pattern(stacked, np.ones(stacked.shape, dtype=bool))


def test_heads_with_nothing_in_common() -> None:
    itself, shifted = np.eye(7), np.roll(np.eye(7), 1, axis=1)
    divergence = head_divergences(heads(itself, shifted))[0]
    assert divergence[0, 1] == pytest.approx(math.log(2), abs=1e-12)
    assert_same(overlap(divergence), np.eye(2))


def test_a_divergence_by_hand() -> None:
    expected = -(0.75 * math.log(0.75) + 0.25 * math.log(0.25)) - math.log(2) / 2
    assert float(jensen_shannon(np.array([1.0, 0.0]), np.array([0.5, 0.5]))) == pytest.approx(
        expected
    )


@settings(max_examples=20)
@given(calls())
def test_divergences_by_loops(call: tuple[Layer, dict[str, Any]]) -> None:
    layer, options = call
    trace = layer.run(**options)
    found = head_divergences(pattern_of(trace))
    n_batch, n_heads, n_queries = trace.scores.shape[:3]
    for b, g, h in np.ndindex(n_batch, n_heads, n_heads):
        rows = [t for t in range(n_queries) if not trace.empty_rows[b, [g, h], t].any()]
        each = [
            jensen_shannon(trace.probabilities[b, g, t], trace.probabilities[b, h, t]) for t in rows
        ]
        assert found[b, g, h] == pytest.approx(np.mean(each) if each else 0.0, abs=1e-12)
    assert ((found >= 0) & (found <= math.log(2))).all()


def test_two_heads_are_a_layer() -> None:
    rng = np.random.default_rng(2)
    two = heads(*rng.dirichlet(np.ones(5), size=(2, 3)))
    assert_same(layer_divergence(two), head_divergences(two)[:, 0, 1])
    apart = heads(*(np.roll(np.eye(7), shift, axis=1) for shift in range(5)))
    assert_same(layer_divergence(apart), [math.log(5)])
    assert max_distinct_heads(apart) == 5


def test_a_query_counts_only_where_all_heads_have_a_key_for_it() -> None:
    rng = np.random.default_rng(5)
    n_batch, n_heads, n_queries, n_keys = 2, 3, 7, 5
    mask = rng.random((n_batch, n_heads, n_queries, n_keys)) < 0.5
    mask[..., 0] = True
    mask[0, 0, 1] = mask[0, 1, 4] = mask[0, 2, 4] = mask[1, :, 2] = mask[1, 2, 6] = False
    layer = Projections.random(11, n_heads, d_k=2, d_v=2, d_memory=11)
    x, memory = rng.normal(size=(n_batch, n_queries, 11)), rng.normal(size=(n_batch, n_keys, 11))
    trace = attend(x, layer, memory=memory, mask=mask)
    found = layer_divergence(pattern_of(trace))
    for b, counted in enumerate(([0, 2, 3, 5, 6], [0, 1, 3, 4, 5])):
        each = []
        for t in counted:
            heads_HS = [[float(a) for a in trace.probabilities[b, h, t]] for h in range(n_heads)]
            mixture = [sum(column) / n_heads for column in zip(*heads_HS, strict=True)]
            spread, *spreads = (
                -sum(a * math.log(a) for a in row if a > 0) for row in (mixture, *heads_HS)
            )
            each.append(spread - sum(spreads) / n_heads)
        assert found[b] == pytest.approx(sum(each) / len(each), abs=1e-12)
    nowhere = heads(np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([[0.5, 0.5], [0.0, 0.0]]))
    allowed = nowhere.probabilities > 0
    assert layer_divergence(Pattern(nowhere.probabilities, allowed)).tolist() == [0.0]


def test_the_correlation_is_that_of_all_cells() -> None:
    pattern = heads(*np.random.default_rng(3).dirichlet(np.ones(5), size=(3, 7)))
    assert_same(
        centred_correlations(pattern)[0], np.corrcoef(pattern.probabilities[0].reshape(3, -1))
    )


def test_opposite_and_indifferent_heads() -> None:
    even = np.full((3, 4), 0.25)
    lean = np.array([0.1, -0.1, 0.05, -0.05])
    found = centred_correlations(heads(even + lean, even - lean, even))[0]
    assert_same(found[:2, :2], [[1, -1], [-1, 1]])
    assert np.isnan(found[2]).all()
    assert np.isnan(found[:, 2]).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rounding_is_no_preference(dtype: str) -> None:
    x = np.random.default_rng(1).normal(size=(13, 6)).astype(dtype)
    trace = attend(x, Projections.random(6, 2).astype(dtype), scale=0.0, causal=True)
    assert np.isnan(centred_correlations(pattern_of(trace))).all()


def test_the_two_answers_differ_for_random_heads() -> None:
    x = np.random.default_rng(0).normal(size=(24, 16, 32))
    pattern = pattern_of(attend(x, Projections.random(32, 4, init="normal")))
    pairs = np.triu_indices(4, k=1)
    share = head_divergences(pattern).mean(axis=0)[pairs] / math.log(2)
    assert ((share > 0.2) & (share < 0.3)).all()
    assert (np.abs(centred_correlations(pattern).mean(axis=0)[pairs]) < 0.05).all()


def clusters_of(distances: np.ndarray) -> list[frozenset[int]]:
    """Every cluster that average linkage makes, from the definition."""
    current = [frozenset([head]) for head in range(len(distances))]
    made = []
    while len(current) > 1:
        pair = min(
            combinations(current, 2),
            key=lambda p: np.mean([distances[a, b] for a in p[0] for b in p[1]]),
        )
        made.append(pair[0] | pair[1])
        current = [cluster for cluster in current if cluster not in pair] + [made[-1]]
    return made


@settings(max_examples=40)
@given(st.integers(1, 10), st.integers(0, 2**32 - 1))
def test_clusters_stay_together(n_heads: int, seed: int) -> None:
    random = np.random.default_rng(seed).random((n_heads, n_heads))
    distances = np.abs(random - random.T)
    order = head_order(distances)
    assert sorted(order) == list(range(n_heads))
    for cluster in clusters_of(distances):
        places = [order.index(head) for head in cluster]
        assert max(places) - min(places) == len(cluster) - 1


def test_points_on_a_line_are_put_in_line() -> None:
    """Heads that differ along one line come out along it, because the clusters are turned
    towards each other.
    """
    places = np.array([5.0, 0.0, 1.0, 9.0, 5.5, 0.4])
    order = head_order(np.abs(np.subtract.outer(places, places)))
    assert order in ((1, 5, 2, 0, 4, 3), (3, 4, 0, 2, 5, 1))


def test_no_more_heads_differ_than_keys_are_seen() -> None:
    every, past = np.ones((1, 4, 3, 2)), np.tile(np.tri(3), (1, 4, 1, 1))
    for allowed, most in ((every, 2), (past, 3)):
        shares = allowed / allowed.sum(axis=-1, keepdims=True)
        assert max_distinct_heads(Pattern(shares, allowed.astype(bool))) == most


def test_the_most_alike_pair() -> None:
    similarity = np.array([[9.0, -0.5, 0.1], [-0.5, 9.0, 0.4], [0.1, 0.4, 9.0]])
    assert most_alike(similarity) == (1, 2)
    assert most_alike(-similarity) == (0, 1)
    assert most_alike(np.full((3, 3), np.nan)) is None
    assert most_alike(np.ones((1, 1))) is None


def test_a_head_that_reads_another_token_is_1_apart() -> None:
    x = 30 * np.eye(2)
    trace = attend(x, Projections.weightless(2))
    assert mean_head_divergence(trace, rerun(trace, scale=-1.0)) == pytest.approx(1.0)
