"""The measures of the diagonal where a mask hides something, and where there is one token alone."""

from __future__ import annotations

import math

import numpy as np
import pytest

from attention_core import Projections, attend
from attention_lab.diagonal.measures import (
    diagonal_margins,
    log_cross_ratios,
    pair_violations,
    self_attention_of,
    uniform_self_mass,
)
from attention_lab.diagonal.metrics import METRICS, measure_diagonal, violation_rate
from tests.lab.diagonal.measures_by_loops import T, random_square
from tests.lab.refusal import missing


def test_under_a_causal_mask() -> None:
    square = random_square(0, causal=True)
    assert uniform_self_mass(square.scores) == pytest.approx(
        (1 + 1 / 2 + 1 / 3 + 1 / 4 + 1 / 5) / 5
    )
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
    formulas = {metric.name: metric.formula for metric in METRICS}
    assert r"\#\{i \ne j : s_{ij} > -\infty\}" in formulas["violation_rate"]
    assert r"\#\{i \ne j : s_{ij}, s_{ji} > -\infty\}" in formulas["negative_cross_ratios"]


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
    assert (numbers["self_mass"], numbers["argmax_rate"], numbers["gram_alignment"]) == (1, 1, 1)
    names = (
        "excess_self_mass",
        "mean_margin",
        "least_margin",
        "violation_rate",
        "mean_log_cross_ratio",
    )
    assert {numbers[name] for name in names} == {None}


def test_what_a_mask_does_to_the_least_excess_self_mass() -> None:
    x = np.array([[3.0], [1.0]])
    plain, causal = (
        measure_diagonal(self_attention_of(attend(x, Projections.weightless(1), causal=mask)))[
            "excess_self_mass"
        ]
        for mask in (False, True)
    )
    own = 1 / (1 + math.exp(2))
    assert plain == pytest.approx(((1 / (1 + math.exp(-6)) + own) / 2 - 1 / 2) / (1 - 1 / 2))
    assert causal == pytest.approx(((1 + own) / 2 - 3 / 4) / (1 - 3 / 4))
    (says,) = (metric.meaning for metric in METRICS if metric.name == "excess_self_mass")
    assert missing(says, 0, "weights", "mask") == []
