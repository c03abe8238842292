"""Several heads as one matrix: means stay shares, maxima do not, and a mean looks wider than
its heads.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from attention_core import Projections, attend
from attention_lab.heads.all_heads import averaging_effect, maximum_of_heads, mean_of_heads
from attention_lab.heads.patterns import effective_tokens

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


def test_a_mean_is_never_narrower_by_entropy() -> None:
    x = np.random.default_rng(3).normal(size=(7, 10))
    trace = attend(x, Projections.random(10, 5, seed=2))
    for heads in ([0, 1], [0, 1, 2, 3, 4], [3]):
        lost = averaging_effect(trace, heads)
        assert lost.in_the_mean >= lost.in_a_head - 1e-12
        assert 1 <= lost.in_the_mean <= 7


def test_a_mean_is_not_narrower_than_a_sharp_and_an_even_head() -> None:
    x = 30 * np.eye(32)
    same, none = np.eye(32), np.zeros((32, 32))
    lost = averaging_effect(
        attend(x, Projections.from_heads([(same, same, same), (none, same, same)])), [0, 1]
    )
    assert lost.in_a_head == pytest.approx(32**0.5)
    assert lost.in_a_head < lost.in_the_mean < 12


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
