"""Why 1/√d_k: the variance of dot products, and how much of a change the softmax lets through."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import Projections, SettingsError, attend, softmax
from attention_lab.masks.temperature import (
    KEY_SIZES,
    at_temperature,
    jacobian_trace,
    score_spread,
    shares_at,
    sharpness,
    softmax_jacobian,
    two_token_derivative,
)
from tests.core.random_layers import assert_same
from tests.lab.refusal import refused

# d_k: largest share and trace of the Jacobian, of 32 keys, from an independent program.
RAW = {
    1: (0.14, 0.93),
    4: (0.34, 0.79),
    16: (0.63, 0.50),
    64: (0.82, 0.26),
    256: (0.91, 0.13),
    1024: (0.96, 0.06),
}
SCALED = {
    1: (0.14, 0.93),
    4: (0.16, 0.93),
    16: (0.16, 0.93),
    64: (0.16, 0.93),
    256: (0.17, 0.93),
    1024: (0.16, 0.93),
}
ROWS = st.lists(st.floats(-9, 9), min_size=1, max_size=7)


@pytest.mark.parametrize("d_k", KEY_SIZES)
def test_the_variance_is_the_width(d_k: int) -> None:
    found = score_spread(d_k)
    assert abs(found.variance - d_k) < 4 * found.standard_error
    assert found.standard_error < (0.05 if d_k > 1 else 0.1) * d_k


@pytest.mark.parametrize("d_k", KEY_SIZES)
@pytest.mark.parametrize(("kind", "table"), [("raw", RAW), ("scaled", SCALED)])
def test_the_table_of_saturation(d_k: int, kind: str, table: dict[int, tuple[float, ...]]) -> None:
    found, expected = getattr(score_spread(d_k), kind), table[d_k]
    assert (found.largest_share, found.jacobian_trace) == pytest.approx(expected, abs=0.012)


@settings(max_examples=40)
@given(ROWS)
def test_the_jacobian_by_finite_differences(row: list[float]) -> None:
    scores, step = np.array(row), 1e-5
    slope = softmax_jacobian(softmax(scores))
    for k in range(len(row)):
        nudge = step * (np.arange(len(row)) == k)
        moved = (softmax(scores + nudge) - softmax(scores - nudge)) / (2 * step)
        assert_same(slope[:, k], moved, 1e-9)


@settings(max_examples=40)
@given(ROWS)
def test_bounds_of_the_jacobian(row: list[float]) -> None:
    shares = softmax(row)
    slope = softmax_jacobian(shares)
    assert_same(slope.sum(axis=-1), np.zeros(len(row)))
    eigenvalues = np.linalg.eigvalsh(slope)
    assert eigenvalues.min() > -1e-12
    assert eigenvalues.max() < 0.5 + 1e-12
    assert_same(jacobian_trace(shares), np.trace(slope))


def test_the_steepest_softmax() -> None:
    assert np.linalg.norm(softmax_jacobian(np.array([0.5, 0.5])), 2) == pytest.approx(0.5)
    assert np.linalg.norm(softmax_jacobian(np.full(7, 1 / 7)), 2) == pytest.approx(1 / 7)


@pytest.mark.parametrize(
    ("gap", "slope"), [(0, 0.25), (1, 0.197), (2, 0.105), (4, 0.0177), (8, 0.00034)]
)
def test_two_tokens(gap: float, slope: float) -> None:
    assert two_token_derivative(gap) == pytest.approx(slope, rel=0.02)
    assert two_token_derivative(-gap) == pytest.approx(two_token_derivative(gap))


def test_the_sharpest_softmax() -> None:
    both = sharpness(np.array([[1e308, -1e308], [0.0, 0.0]]))
    assert (both.largest_share, both.jacobian_trace) == (0.75, 0.25)


@pytest.mark.parametrize("temperature", [0.25, 4.0])
def test_temperature_keeps_the_order_of_shares(temperature: float) -> None:
    x = np.random.default_rng(6).normal(size=(13, 8))
    before = attend(x, Projections.random(8, 2, bias=True), causal=True)
    after = at_temperature(before, temperature)
    assert_same(after.scaled_scores, before.scaled_scores / temperature)
    assert (np.argsort(after.probabilities) == np.argsort(before.probabilities)).all()
    tops = [trace.probabilities[:, :, 1:].max(axis=-1) for trace in (before, after)]
    assert ((tops[1] > tops[0]) == (temperature < 1)).all()


def test_what_does_not_fit_is_refused() -> None:
    with refused(SettingsError, "keys", 20_000):
        softmax_jacobian(np.full(20_000, 5e-5))
    with refused(SettingsError, "float64"):
        shares_at(np.array([1.0]), np.array([1e-320]))
