"""The measures of the diagonal: against plain loops, by hand, and where there is nothing to
measure.
"""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import Projections, SettingsError, ShapeError, attend, causal_mask, softmax
from attention_lab.diagonal.measures import (
    Square,
    gram_alignment,
    log_cross_ratios,
    margins,
    pair_excess,
    pair_violations,
    square_of,
    uniform_self_mass,
    worst_pair,
)
from attention_lab.diagonal.metrics import METRICS, measure, violation_rate
from attention_lab.diagonal.scenes import DiagonalScene, trace_of_scene
from tests.lab.refusal import refused

T = 5


def random_square(seed: int, causal: bool = False) -> Square:
    """Scores of any kind, not symmetric, with their softmax."""
    scores = np.random.default_rng(seed).normal(size=(T, T))
    scores = np.where(causal_mask(T), scores, -np.inf) if causal else scores
    return Square(scores, softmax(scores))


def by_loops(square: Square) -> dict[str, float]:
    """Every measure of an unmasked matrix, number by number from its definition."""
    s, a = square.scores.tolist(), square.probabilities.tolist()
    everyone = range(len(s))
    pairs = [(i, j) for i in everyone for j in everyone if i != j]
    own = [a[i][i] for i in everyone]
    margin = [s[i][i] - max(s[i][j] for j in everyone if j != i) for i in everyone]
    chi = [s[i][i] + s[j][j] - s[i][j] - s[j][i] for i, j in pairs]
    uniform = 1 / len(s)
    return {
        "self_mass": sum(own) / len(s),
        "excess_self_mass": (sum(own) / len(s) - uniform) / (1 - uniform),
        "argmax_rate": sum(m >= 0 for m in margin) / len(s),
        "majority_rate": sum(mass > 0.5 for mass in own) / len(s),
        "mean_margin": sum(margin) / len(s),
        "least_margin": min(margin),
        "violation_rate": sum(a[i][j] > max(own[i], own[j]) + 1e-12 for i, j in pairs) / len(pairs),
        "mean_log_cross_ratio": sum(chi) / len(chi),
        "negative_cross_ratios": sum(x < 0 for x in chi) / len(chi),
    }


@given(st.integers(0, 2**32 - 1))
def test_measures_against_loops(seed: int) -> None:
    """All measures of random scores are what their definitions give in plain loops."""
    square = random_square(seed)
    numbers = measure(square)
    assert numbers.pop("gram_alignment") is None
    assert numbers == pytest.approx(by_loops(square), abs=1e-12)


@given(st.integers(0, 2**32 - 1))
def test_a_stack_is_measured_like_its_matrices(seed: int) -> None:
    """Two matrices at once give the numbers of each."""
    squares = [random_square(seed), random_square(seed + 1)]
    stack = Square(
        *(np.stack([getattr(s, name) for s in squares]) for name in ("scores", "probabilities"))
    )
    for metric in METRICS[:-1]:
        assert metric.of(stack) == pytest.approx([float(metric.of(square)) for square in squares])


@given(st.integers(0, 2**32 - 1))
def test_measures_stay_in_their_range(seed: int) -> None:
    """Shares lie from 0 to 1, the excess above its lowest value, which no self-mass at all
    would give.
    """
    numbers = measure(random_square(seed))
    for name in (
        "self_mass",
        "argmax_rate",
        "majority_rate",
        "violation_rate",
        "negative_cross_ratios",
    ):
        assert 0 <= numbers[name] <= 1
    assert -(1 / T) / (1 - 1 / T) <= numbers["excess_self_mass"] <= 1


@given(st.integers(0, 2**32 - 1), st.floats(0.1, 10))
def test_temperature_moves_masses_only(seed: int, temperature: float) -> None:
    """The argmax rate and the signs of all margins are those at temperature 1; margins are
    divided by it.
    """
    square = random_square(seed)
    warm = Square(square.scores / temperature, softmax(square.scores / temperature))
    assert measure(warm)["argmax_rate"] == measure(square)["argmax_rate"]
    assert margins(warm.scores) == pytest.approx(margins(square.scores) / temperature)


def test_one_two_three() -> None:
    """X = [1, 2, 3]: one violated cell, margins -2, -2, 3 and cross-ratios (i - j)²."""
    trace = attend([[1], [2], [3]], Projections.weightless(1))
    square = square_of(trace)
    assert np.argwhere(pair_violations(square.probabilities)).tolist() == [[0, 1]]
    assert pair_excess(square.probabilities).max() == pytest.approx(0.127418, abs=5e-7)
    assert margins(square.scores).tolist() == [-2, -2, 3]
    assert log_cross_ratios(square.scores).tolist() == [[0, 1, 4], [1, 0, 1], [4, 1, 0]]
    numbers = measure(square)
    assert (numbers["argmax_rate"], numbers["violation_rate"]) == (
        pytest.approx(1 / 3),
        pytest.approx(1 / 6),
    )
    assert (numbers["mean_margin"], numbers["least_margin"]) == (pytest.approx(-1 / 3), -2)
    assert (numbers["mean_log_cross_ratio"], numbers["gram_alignment"]) == (2, 1)


@pytest.mark.parametrize("weights", ["tied", "free", "orthonormal"])
def test_equal_tokens_tie(weights: str) -> None:
    """A repeated word scores with itself what it scores with its twins; their rounding is no
    margin and no excess.
    """
    for d_model in (5, 33, 64):
        trace = trace_of_scene(
            DiagonalScene(text="the the the the the", d_model=d_model, weights=weights)
        )
        scores, shares = trace.masked_scores[0, 0], trace.probabilities[0, 0]
        assert margins(scores).tolist() == [0] * 5
        assert not pair_excess(shares).any()
        assert not log_cross_ratios(scores).any()


def test_differences_beyond_the_range_of_float() -> None:
    """Finite scores whose difference is infinite are refused: an infinite margin means a token
    that sees no other.
    """
    large = np.array([[1e308, -1e308], [0.0, 0.0]])
    for measured in (margins, pair_excess, pair_violations, worst_pair):
        with refused(SettingsError, "float64"):
            measured(large)
    assert margins(large / 2).tolist() == [1e308, 0]


def test_under_a_causal_mask() -> None:
    """The baseline is (1 + 1/2 + ... + 1/5)/5; row 1 has no margin; no pair sees each other, so
    χ has no value.
    """
    square = random_square(0, causal=True)
    assert uniform_self_mass(square.scores) == pytest.approx(
        (1 + 1 / 2 + 1 / 3 + 1 / 4 + 1 / 5) / 5
    )
    margin = margins(square.scores)
    assert margin[0] == math.inf
    assert np.isfinite(margin[1:]).all()
    numbers = measure(square)
    assert numbers["mean_log_cross_ratio"] is numbers["negative_cross_ratios"] is None
    assert numbers["mean_margin"] == pytest.approx(margin[1:].mean())
    assert numbers["argmax_rate"] == (margin >= 0).mean()
    assert np.isnan(log_cross_ratios(square.scores)[0, 1])


def test_shares_of_pairs_count_those_that_are_seen() -> None:
    """Under a causal mask half of the pairs are seen; the formulas that are shown divide by as
    many as the numbers.
    """
    square = random_square(1, causal=True)
    broken = int(pair_violations(square.probabilities).sum())
    assert broken
    assert violation_rate(square) == broken / (T * (T - 1) / 2)
    formulas = {metric.name: metric.formula for metric in METRICS}
    assert r"\#\{i \ne j : s_{ij} > -\infty\}" in formulas["violation_rate"]
    assert r"\#\{i \ne j : s_{ij}, s_{ji} > -\infty\}" in formulas["negative_cross_ratios"]


def test_uniform_and_identity() -> None:
    """Uniform attention has no excess, the identity an excess of 1, one that never looks at
    itself the lowest.
    """
    shares = {
        "uniform": np.full((T, T), 1 / T),
        "identity": np.eye(T),
        "elsewhere": (1 - np.eye(T)) / (T - 1),
    }
    excess = {
        name: measure(Square(np.zeros((T, T)), a))["excess_self_mass"] for name, a in shares.items()
    }
    assert excess == pytest.approx({"uniform": 0, "identity": 1, "elsewhere": -1 / (T - 1)})


def test_ties_are_hits() -> None:
    """A row whose largest score is the diagonal one and another counts for the argmax rate."""
    assert measure(Square(np.zeros((T, T)), np.full((T, T), 1 / T)))["argmax_rate"] == 1
    numbers = measure(square_of(attend(np.full((T, 3), 1 / 3), Projections.weightless(3))))
    assert (numbers["argmax_rate"], numbers["negative_cross_ratios"]) == (1, 0)


@pytest.mark.parametrize("hidden", [[0], [0, 1, 2, 3, 4]])
def test_a_token_that_may_not_see_itself(hidden: list[int]) -> None:
    """It is never its own favourite, its margin is -inf and not NaN, and an empty row has no
    part in the baseline.
    """
    allowed = np.ones((T, T), dtype=bool)
    allowed[0, hidden] = False
    square = square_of(attend(np.eye(T), Projections.weightless(T), mask=allowed))
    assert margins(square.scores)[0] == -math.inf
    assert measure(square)["argmax_rate"] == pytest.approx(1 - 1 / T)
    assert uniform_self_mass(square.scores) == pytest.approx((T - 1) / T**2)
    assert all(value is not None for value in measure(square).values())


def test_one_token_alone() -> None:
    """A single token has all its attention and nothing to compare it with."""
    numbers = measure(square_of(attend([[2.0]], Projections.weightless(1))))
    assert (numbers["self_mass"], numbers["argmax_rate"], numbers["gram_alignment"]) == (1, 1, 1)
    names = (
        "excess_self_mass",
        "mean_margin",
        "least_margin",
        "violation_rate",
        "mean_log_cross_ratio",
    )
    assert {numbers[name] for name in names} == {None}


def test_alignment_and_the_heads_of_a_trace() -> None:
    """The alignment is the cosine of W_Q and W_K of that head: 1, 0 and -1 in a layer of three
    heads.
    """
    one, other = np.array([[1.0], [2.0]]), np.array([[2.0], [-1.0]])
    weights = Projections.from_heads([(one, one, one), (one, other, one), (one, -3 * one, one)])
    trace = attend([[1.0, 2.0], [3.0, 5.0]], weights)
    assert [
        measure(square_of(trace, head))["gram_alignment"] for head in range(3)
    ] == pytest.approx([1, 0, -1])
    assert (square_of(trace, 1).scores == trace.masked_scores[0, 1]).all()
    assert gram_alignment(one, 0 * one) == 0


def test_cross_attention_has_no_diagonal() -> None:
    """Queries of one sequence and keys of another have no diagonal, also where they are as many."""
    for n_keys in (2, 3):
        with refused(ShapeError, "diagonal"):
            square_of(attend(np.eye(3), Projections.weightless(3), memory=np.eye(3)[:n_keys]))


def test_every_metric_is_declared_in_full() -> None:
    """Each has a name of its own, a title, a symbol, a formula, a range and a sentence."""
    assert len({metric.name for metric in METRICS}) == len(METRICS) == 10
    for metric in METRICS:
        assert all((metric.title, metric.symbol, metric.formula, metric.range))
        assert metric.says.endswith(".")
        assert not re.search(r"-\d", metric.says)  # a true minus sign, as in numbers


def test_what_a_mask_does_to_the_least_excess_self_mass() -> None:
    """Without weights it is at least 0, but not under a causal mask: a longer token before
    outweighs a later one.
    """
    x = np.array([[3.0], [1.0]])
    plain, causal = (
        measure(square_of(attend(x, Projections.weightless(1), causal=mask)))["excess_self_mass"]
        for mask in (False, True)
    )
    own = 1 / (1 + math.exp(2))
    assert plain == pytest.approx(((1 / (1 + math.exp(-6)) + own) / 2 - 1 / 2) / (1 - 1 / 2))
    assert causal == pytest.approx(((1 + own) / 2 - 3 / 4) / (1 - 3 / 4))
    (says,) = (metric.says for metric in METRICS if metric.name == "excess_self_mass")
    assert says.endswith("without weights and mask at least 0.")
