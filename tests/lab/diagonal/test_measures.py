"""The measures of the diagonal: against plain loops, by hand, under masks, and where there is
nothing to measure.
"""

from __future__ import annotations

import math
from itertools import permutations
from statistics import fmean as mean

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import Projections, SettingsError, attend, causal_mask, softmax
from attention_lab.diagonal.measures import (
    SelfAttention,
    diagonal_margins,
    gram_alignment,
    log_cross_ratios,
    pair_excess,
    pair_violations,
    self_attention_of,
    uniform_self_mass,
)
from attention_lab.diagonal.metrics import METRICS, measure_diagonal, violation_rate
from attention_lab.diagonal.settings import DiagonalSettings, trace_of_settings
from tests.lab.refusal import refused

T = 5


def random_square(seed: int, causal: bool = False) -> SelfAttention:
    """Scores of any kind, not symmetric, with their softmax."""
    scores = np.random.default_rng(seed).normal(size=(T, T))
    scores = np.where(causal_mask(T), scores, -np.inf) if causal else scores
    return SelfAttention(scores, softmax(scores))


def by_loops(square: SelfAttention) -> dict[str, float]:
    """Every measure of an unmasked matrix, number by number from its definition."""
    s, a = square.scores.tolist(), square.probabilities.tolist()
    pairs = list(permutations(range(T), 2))
    own = [a[i][i] for i in range(T)]
    margin = [min(s[i][i] - s[i][j] for j in range(T) if j != i) for i in range(T)]
    chi = [s[i][i] + s[j][j] - s[i][j] - s[j][i] for i, j in pairs]
    return {
        "self_mass": mean(own),
        "excess_self_mass": (mean(own) - 1 / T) / (1 - 1 / T),
        "argmax_rate": mean(m >= 0 for m in margin),
        "majority_rate": mean(mass > 0.5 for mass in own),
        "mean_margin": mean(margin),
        "least_margin": min(margin),
        "violation_rate": mean(a[i][j] > max(own[i], own[j]) + 1e-12 for i, j in pairs),
        "mean_log_cross_ratio": mean(chi),
        "negative_cross_ratios": mean(x < 0 for x in chi),
    }


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1))
def test_measures_against_loops(seed: int) -> None:
    square = random_square(seed)
    numbers = measure_diagonal(square)
    assert numbers.pop("gram_alignment") is None
    assert numbers == pytest.approx(by_loops(square), abs=1e-12)


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1))
def test_a_stack_is_measured_like_its_matrices(seed: int) -> None:
    squares = [random_square(seed), random_square(seed + 1)]
    pairs = zip(*((one.scores, one.probabilities) for one in squares), strict=True)
    stack = SelfAttention(*map(np.stack, pairs))
    for metric in METRICS[:-1]:
        assert metric.of(stack) == pytest.approx([float(metric.of(square)) for square in squares])


def test_one_two_three() -> None:
    trace = attend([[1], [2], [3]], Projections.weightless(1))
    square = self_attention_of(trace)
    assert np.argwhere(pair_violations(square.probabilities)).tolist() == [[0, 1]]
    assert pair_excess(square.probabilities).max() == pytest.approx(0.127418, abs=5e-7)
    assert diagonal_margins(square.scores).tolist() == [-2, -2, 3]
    assert log_cross_ratios(square.scores).tolist() == [[0, 1, 4], [1, 0, 1], [4, 1, 0]]
    known = {"argmax_rate": 1 / 3, "violation_rate": 1 / 6, "mean_margin": -1 / 3}
    known |= {"least_margin": -2, "mean_log_cross_ratio": 2, "gram_alignment": 1}
    assert measure_diagonal(square).items() >= known.items()


@pytest.mark.parametrize("weights", ["tied", "free", "orthonormal"])
def test_equal_tokens_tie(weights: str) -> None:
    for d_model in (5, 33, 64):
        equal = DiagonalSettings(text="the the the the the", d_model=d_model, weights=weights)
        trace = trace_of_settings(equal)
        scores, shares = trace.masked_scores[0, 0], trace.probabilities[0, 0]
        assert diagonal_margins(scores).tolist() == [0] * 5
        assert not pair_excess(shares).any()
        assert not log_cross_ratios(scores).any()


def test_differences_beyond_the_range_of_float() -> None:
    large = np.array([[1e308, -1e308], [0.0, 0.0]])
    with refused(SettingsError, "float64"):
        diagonal_margins(large)
    assert diagonal_margins(large / 2).tolist() == [1e308, 0]


def test_ties_are_hits() -> None:
    trace = attend(np.full((T, 3), 1 / 3), Projections.weightless(3))
    for tied in (SelfAttention(np.zeros((T, T)), np.full((T, T), 1 / T)), self_attention_of(trace)):
        assert measure_diagonal(tied).items() >= {("argmax_rate", 1), ("negative_cross_ratios", 0)}


def test_alignment_and_the_heads_of_a_trace() -> None:
    one, other = np.array([[1.0], [2.0]]), np.array([[2.0], [-1.0]])
    weights = Projections.from_heads([(one, one, one), (one, other, one), (one, -3 * one, one)])
    trace = attend([[1.0, 2.0], [3.0, 5.0]], weights)
    squares = [self_attention_of(trace, head) for head in range(3)]
    found = [measure_diagonal(square)["gram_alignment"] for square in squares]
    assert found == pytest.approx([1, 0, -1])
    assert (squares[1].scores == trace.masked_scores[0, 1]).all()
    assert gram_alignment(one, 0 * one) == 0


def test_under_a_causal_mask() -> None:
    square = random_square(0, causal=True)
    uniform = (1 + 1 / 2 + 1 / 3 + 1 / 4 + 1 / 5) / 5
    assert uniform_self_mass(square.scores) == pytest.approx(uniform)
    margin = diagonal_margins(square.scores)
    assert margin[0] == math.inf
    assert np.isfinite(margin[1:]).all()
    numbers = measure_diagonal(square)
    assert numbers["mean_log_cross_ratio"] is numbers["negative_cross_ratios"] is None
    assert numbers["mean_margin"] == pytest.approx(margin[1:].mean())
    assert numbers["argmax_rate"] == (margin >= 0).mean()
    assert np.isnan(log_cross_ratios(square.scores)[0, 1])


def test_shares_of_pairs_count_those_that_are_seen() -> None:
    square = random_square(1, causal=True)
    broken = int(pair_violations(square.probabilities).sum())
    assert broken
    assert violation_rate(square) == broken / (T * (T - 1) / 2)


@pytest.mark.parametrize("hidden", [[0], [0, 1, 2, 3, 4]])
def test_a_token_that_may_not_see_itself(hidden: list[int]) -> None:
    allowed = np.ones((T, T), dtype=bool)
    allowed[0, hidden] = False
    square = self_attention_of(attend(np.eye(T), Projections.weightless(T), mask=allowed))
    assert diagonal_margins(square.scores)[0] == -math.inf
    assert measure_diagonal(square)["argmax_rate"] == pytest.approx(1 - 1 / T)
    assert uniform_self_mass(square.scores) == pytest.approx((T - 1) / T**2)
    assert all(value is not None for value in measure_diagonal(square).values())


def test_one_token_alone() -> None:
    numbers = measure_diagonal(self_attention_of(attend([[2.0]], Projections.weightless(1))))
    measured = {name: value for name, value in numbers.items() if value is not None}
    assert measured == {"self_mass": 1, "argmax_rate": 1, "majority_rate": 1, "gram_alignment": 1}


def test_what_a_mask_does_to_the_least_excess_self_mass() -> None:
    own = 1 / (1 + math.exp(2))
    plain = ((1 / (1 + math.exp(-6)) + own) / 2 - 1 / 2) / (1 - 1 / 2)
    masked = ((1 + own) / 2 - 3 / 4) / (1 - 3 / 4)
    for causal, expected in ((False, plain), (True, masked)):
        trace = attend([[3.0], [1.0]], Projections.weightless(1), causal=causal)
        found = measure_diagonal(self_attention_of(trace))["excess_self_mass"]
        assert found == pytest.approx(expected)
