"""Several heads as one matrix, the keys that a head reads most, what the scale does, a layer run
again.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import Projections, SettingsError, Trace, attend, softmax
from attention_lab.diagonal.geometry import half_plane_of
from attention_lab.diagonal.measures import self_attention_of
from attention_lab.diagonal.propositions.checks import tokens_of_trace
from attention_lab.heads.keys_read import (
    averaging_effect,
    keys_read_most,
    maximum_of_heads,
    mean_of_heads,
    read_row,
    scale_effect,
)
from attention_lab.heads.patterns import effective_tokens
from attention_lab.heads.reruns import relative_change, rerun
from tests.core.random_layers import Layer, calls
from tests.lab.refusal import refused
from tests.lab.small_layer import SELF_LAYERS, D, K, S, T, cross_layer

HEADS = np.array([[[1.0, 0.0], [0.25, 0.75]], [[0.0, 1.0], [0.75, 0.25]], [[0.5, 0.5], [0.5, 0.5]]])


def test_mean_and_maximum_of_chosen_heads() -> None:
    assert mean_of_heads(HEADS, [0, 1]).tolist() == [[0.5, 0.5], [0.5, 0.5]]
    assert maximum_of_heads(HEADS, [0, 1]).tolist() == [[1.0, 1.0], [0.75, 0.75]]
    assert mean_of_heads(HEADS, [2]).tolist() == HEADS[2].tolist()
    hidden = np.array([[[-np.inf, 1.0]], [[-np.inf, 3.0]]])
    assert mean_of_heads(hidden, [0, 1]).tolist() == [[-np.inf, 2.0]]
    assert maximum_of_heads(hidden, [0, 1]).tolist() == [[-np.inf, 3.0]]


def test_the_mean_of_two_opposite_heads() -> None:
    x = 30 * np.array([[1.0, 0.0], [0.0, 1.0]])
    same, swapped = np.eye(2), np.eye(2)[::-1]
    weights = Projections.from_heads([(same, same, same), (same, swapped, same)])
    lost = averaging_effect(attend(x, weights), [0, 1])
    assert lost.in_a_head == pytest.approx(1.0)
    assert lost.in_the_mean == pytest.approx(2.0)
    assert lost.largest_sum == pytest.approx(2.0)
    alone = averaging_effect(attend(x, weights), [1])
    assert alone.in_a_head == pytest.approx(alone.in_the_mean) == pytest.approx(1.0)


def test_where_nothing_can_be_read() -> None:
    trace = attend([[1.0], [2.0]], Projections.weightless(1), mask=np.zeros((2, 2), dtype=bool))
    lost = averaging_effect(trace, [0])
    assert math.isnan(lost.in_a_head)
    assert math.isnan(lost.in_the_mean)
    assert lost.largest_sum == 0.0


def test_queries_that_see_nothing_do_not_count() -> None:
    x, weights = np.random.default_rng(3).normal(size=(5, 6)), Projections.random(6, 3, seed=2)
    whole = averaging_effect(attend(x, weights, mask=np.ones((5, 5), dtype=bool)), [0, 2])
    rows = np.arange(5)[:, np.newaxis] != 1
    trace = attend(x, weights, mask=np.broadcast_to(rows, (5, 5)))
    lost, seen = averaging_effect(trace, [0, 2]), trace.probabilities[0, [0, 2]][:, rows[:, 0]]
    assert lost.in_a_head == pytest.approx(
        float(np.exp(np.log(effective_tokens(seen)).mean(axis=0)).mean())
    )
    assert lost.in_the_mean == pytest.approx(float(effective_tokens(seen.mean(axis=0)).mean()))
    assert lost.in_the_mean != pytest.approx(whole.in_the_mean)


BOTH = pytest.mark.parametrize("trace", SELF_LAYERS, ids=["plain", "everything"])


@BOTH
def test_keys_that_are_read_equally(trace: Trace) -> None:
    for query in range(1, 7):
        assert keys_read_most(trace, 1, query) == (int(trace.probabilities[0, 1, query].argmax()),)
    equal_tokens = np.repeat(np.random.default_rng(3).normal(size=(2, 11)), [3, 2], axis=0)
    mask = np.ones((5, 5), dtype=bool)
    mask[4] = False
    for kind in (np.float64, np.float32):
        equal = attend(
            equal_tokens.astype(kind),
            Projections.random(11, 3, d_k=2, d_v=5).astype(kind),
            mask=mask,
        )
        assert {keys_read_most(equal, head, query) for head, query in np.ndindex(3, 4)} <= {
            (0, 1, 2),
            (3, 4),
        }
        assert keys_read_most(equal, 0, 4) == ()


@BOTH
def test_what_a_query_reads(trace: Trace) -> None:
    for head, query in np.ndindex(trace.scores.shape[1:3]):
        shares, found = trace.probabilities[0, head, query], read_row(trace, head, query)
        assert [share for _, share in found.strongest] == sorted(shares[shares > 0])[:-4:-1]
        assert all(shares[key] == share for key, share in found.strongest)
        assert found.total == pytest.approx(1, abs=1e-12)
        assert found.tied == len(keys_read_most(trace, head, query))
        assert len(found.strongest) + found.others == (shares > 0).sum()
        assert found.others + len(found.strongest) + found.hidden <= shares.size


def test_a_query_that_sees_no_key() -> None:
    mask = np.array([[False, False], [True, False]])
    blind = attend([[1.0], [2.0]], Projections.weightless(1), mask=mask)
    assert read_row(blind, 0, 0) == ([], 0, 0, 2, 0.0)
    assert read_row(blind, 0, 1) == ([(0, 1.0)], 1, 0, 1, 1.0)
    three = attend([[0.0]] * 3, Projections.weightless(1))
    assert read_row(three, 0, 1, count=1) == ([(0, pytest.approx(1 / 3))], 3, 2, 0, 1.0)


def test_the_scale_effect() -> None:
    trace = cross_layer()
    effect = scale_effect(trace, 4)
    assert effect.spread == pytest.approx(effect.spread_raw * K**-0.5)
    assert effect.spread_raw == pytest.approx(float(np.std(trace.scores[0, 4])))
    assert effect.top_raw == pytest.approx(
        float(np.mean([softmax(row).max() for row in trace.scores[0, 4]]))
    )
    assert effect.top == pytest.approx(float(trace.probabilities[0, 4].max(axis=-1).mean()))
    assert 1 / S <= effect.top < effect.top_raw <= 1


def test_the_scale_effect_ignores_the_mask() -> None:
    hidden = scale_effect(cross_layer(mask=np.arange(S) < 2), 1)
    assert vars(hidden) == vars(scale_effect(cross_layer(), 1))


@pytest.mark.parametrize(
    ("dtype", "size"), [("float32", 2.0**33), ("float64", 2.0**260), ("float64", 2.0**-300)]
)
def test_the_scale_effect_of_very_large_and_small_scores(dtype: str, size: float) -> None:
    numbers = np.random.default_rng(5).normal(size=(2, T, D)).astype(dtype)
    trace, larger = (
        attend(x, Projections.weightless(D).astype(dtype)) for x in (numbers, numbers * size)
    )
    assert scale_effect(larger, 0).spread_raw == scale_effect(trace, 0).spread_raw * size**2
    assert scale_effect(larger, 0).spread == scale_effect(trace, 0).spread * size**2


@pytest.mark.parametrize(
    "read",
    [
        lambda trace, batch: self_attention_of(trace, 1, batch).scores.tolist(),
        lambda trace, batch: half_plane_of(trace, 2, 1, batch).threshold,
        lambda trace, batch: tokens_of_trace(trace, 1, batch).scores.tolist(),
    ],
)
def test_of_a_batch_the_sequence_is_read_that_is_asked_for(
    read: Callable[[Trace, int], Any],
) -> None:
    second = np.random.default_rng(5).normal(size=(1, 3, 4))
    weights = Projections.random(4, 2, seed=1)
    both, alone = attend(np.concatenate([0 * second, second]), weights), attend(second, weights)
    assert read(both, 1) == read(alone, 0)
    assert read(both, 1) != read(both, 0)


X = np.random.default_rng(1).normal(size=(5, 6))


@settings(max_examples=40)
@given(calls(), st.sampled_from(["zero", "nan"]))
def test_nothing_changed_gives_the_same_numbers(
    call: tuple[Layer, dict[str, Any]], empty_rows: str
) -> None:
    layer, options = call
    trace = layer.run(**options, empty_rows=empty_rows)
    again = rerun(trace)
    for name in trace.steps:
        np.testing.assert_array_equal(getattr(again, name), getattr(trace, name))
    assert (again.memory is again.inputs) == (trace.memory is trace.inputs)


def test_labels_and_self_attention_stay() -> None:
    trace = attend([[1.0], [2.0]], Projections.weightless(1)).labelled(("a", "b"))
    again = rerun(trace, x=[[3.0], [4.0]])
    assert again.tokens == again.memory_tokens == ("a", "b")
    assert again.memory is again.inputs
    assert again.inputs.tolist() == [[[3.0], [4.0]]]


def test_empty_rows_stay_as_the_layer_sets_them() -> None:
    trace = attend(np.eye(3), Projections.weightless(3), empty_rows="nan")
    again = rerun(trace, mask=np.arange(3)[:, np.newaxis] != 1)
    assert np.isnan(again.probabilities[0, 0]).all(axis=-1).tolist() == [False, True, False]
    assert "row_sum == 0" not in again.code("probabilities")
    assert not np.isnan(rerun(again, empty_rows="zero").output).any()


def test_the_change_of_an_output() -> None:
    assert relative_change(X, np.zeros_like(X)) == 1.0
    assert relative_change(X, X) == 0.0
    assert relative_change(np.zeros(3), np.ones(3)) == 0.0


def test_a_change_of_very_small_numbers() -> None:
    assert relative_change(np.array([3e-160]), np.array([3e140])) == pytest.approx(1e300)
    assert relative_change(np.float32([2e-30]), np.float32([2e30])) == pytest.approx(1e60)
    assert relative_change(np.array([1e308, 0.0]), np.array([-1e308, 0.0])) == pytest.approx(2.0)
    with refused(SettingsError, "float64"):
        relative_change(np.array([1e-200]), np.array([1e200]))
