"""A layer run again is the same layer, but for what is changed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import STEPS, Projections, SettingsError, attend
from attention_lab.heads.reruns import relative_change, rerun
from tests.core.random_layers import Layer, calls
from tests.lab.refusal import refused

X = np.random.default_rng(1).normal(size=(5, 6))


@settings(max_examples=40)
@given(calls(), st.sampled_from(["zero", "nan"]))
def test_nothing_changed_gives_the_same_numbers(
    call: tuple[Layer, dict[str, Any]], empty_rows: str
) -> None:
    layer, options = call
    trace = layer.run(**options, empty_rows=empty_rows)
    again = rerun(trace)
    for name in STEPS:
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
