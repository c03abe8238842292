"""The tolerance of a check: wide enough for rounding on any machine, and no wider than that."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import Projections, Trace, attend
from attention_core.trace import USUAL_STEPS
from attention_lab.export.step_code import comparison_line
from attention_lab.rounding import magnitudes, tolerance
from attention_lab.scenario import Scenario, trace_of
from tests.core.random_layers import Layer, calls
from tests.lab.script_cases import CASES, case


@settings(max_examples=50)
@given(calls(), st.integers(-6, 6))
def test_single_precision_stays_within_it(call: tuple[Layer, dict[str, Any]], power: int) -> None:
    layer, options = call
    layer = layer.astype("float32")
    given = {name: getattr(layer, name) * np.float32(10.0**power) for name in ("x", "memory")}
    rough = layer.run(**given, **options)
    same = {name: array.astype("float64") for name, array in given.items()}
    fine = layer.astype("float64").run(**same, **options)
    for field in rough.steps:
        found, expected, atol = getattr(rough, field), getattr(fine, field), tolerance(rough, field)
        np.testing.assert_allclose(found, expected, rtol=0, atol=atol, err_msg=field)


@pytest.mark.parametrize("seed", range(3))
def test_another_order_of_adding_stays_within_it(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, p = rng.normal(size=(61, 127)), Projections.random(127, 3, d_k=53, d_v=59, seed=seed)
    turned = Projections(p.w_q[::-1], p.w_k[::-1], p.w_v[::-1], p.w_o, n_heads=3)
    there, back = attend(x, p, scale=2.0), attend(x[:, ::-1], turned, scale=2.0)
    assert (there.output != back.output).any()
    for field in list(there.steps)[2:]:
        difference = np.abs(getattr(there, field) - getattr(back, field)).max()
        assert difference < tolerance(there, field), field


def test_magnitudes_by_hand() -> None:
    matrices = [[[-3.0], [1.0]], [[1.0], [1.0]], [[2.0], [-5.0]], [[-7.0, 3.0]]]
    weights = Projections(*matrices, n_heads=1, b_o=[1.0, -4.0])
    trace = attend([[1.0, -2.0]], weights, scale=-0.5, bias=[[0.25]], residual=True)
    expected = {"inputs": 2, "queries": 5, "keys": 3, "values": 12, "scores": 20}
    expected |= {"scaled_scores": 10, "masked_scores": 10.25, "probabilities": 2 * 10.25 + 1}
    expected |= {"head_outputs": 21.5 * 12 + 12, "output": 270 * 7 + 4 + 1}
    found = {field: magnitudes(trace)[field] for field in expected}
    assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("name", CASES)
def test_no_number_is_larger_than_what_it_is_added_up_from(name: str) -> None:
    trace = case(name)
    assert list(magnitudes(trace)) == list(trace.steps)
    for field, size in magnitudes(trace).items():
        numbers = getattr(trace, field)
        assert np.abs(numbers[np.isfinite(numbers)]).max() <= size * (1 + 1e-6)


def test_the_checks_of_the_app_are_strict() -> None:
    assert max(tolerance(trace_of(Scenario()), field) for field in USUAL_STEPS) < 2e-10


def test_the_tolerance_is_a_number() -> None:
    w_q, zeros = [[1.0], [-1.0]], np.zeros((2, 1))
    trace = attend([[1.2e308, 1.2e308]], Projections(w_q, zeros, zeros, n_heads=1), scale=0)
    assert np.isinf(magnitudes(trace)["queries"])
    assert np.isnan(magnitudes(trace)["scores"])
    assert all(np.isfinite(tolerance(trace, field)) for field in trace.steps)


def written_tolerances(trace: Trace) -> np.ndarray:
    """The tolerance of each field as code states it, in the type of the layer."""
    written = [comparison_line(trace, field).rpartition("atol=")[2][:-1] for field in trace.steps]
    return np.array(written, dtype=trace.output.dtype)


def test_the_tolerance_is_finite_as_it_is_written() -> None:
    large = attend(np.full((2, 1), 1e153), Projections([[1]], [[1]], [[1e154]], [[1]], n_heads=1))
    weights = Projections(*np.full((3, 1, 1), 1e4, "f4"), n_heads=1)
    single = attend(np.full((2, 1), 1e15, "f4"), weights)
    assert all(np.isfinite(written_tolerances(trace)).all() for trace in (large, single))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_subnormal_numbers_may_differ_by_a_few_steps(dtype: str) -> None:
    step = np.finfo(dtype).smallest_subnormal
    trace = attend(np.array([[5 * step]]), Projections.weightless(1).astype(dtype))
    assert (written_tolerances(trace) >= 50 * step).all()
