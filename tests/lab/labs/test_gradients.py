"""The gradients of the whole layer, the losses and Adam: against PyTorch 2.13 (values made by
scripts/make_torch_golden.py), by finite differences, and by hand.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from attention_core import HeadNorm, Projections, Rotary, ShapeError, Trace, attend
from attention_core.projections import BIASES, MATRICES
from attention_core.trace import STEPS
from attention_lab.labs.adam import Moments, adam_step, learning_rate_at
from attention_lab.labs.backward import gradient_formulas, layer_gradients
from attention_lab.labs.losses import (
    LOSSES,
    cross_entropy,
    relative_error,
    relative_error_gradient,
    squared_error,
    squared_error_gradient,
)
from tests.core.random_layers import Layer, calls
from tests.lab.refusal import refused

DATA = Path(__file__).resolve().parents[2] / "data"
RECORD: dict[str, Any] = json.loads((DATA / "gradient_golden.json").read_text(encoding="utf-8"))
TOLERANCE = 1e-10


@cache
def stored_arrays() -> dict[str, np.ndarray]:
    """All frozen arrays by key."""
    with np.load(DATA / "gradient_golden.npz", allow_pickle=False) as archive:
        return dict(archive)


def arrays(case: dict[str, Any], group: str) -> dict[str, np.ndarray]:
    """The inputs of a case, or the results of PyTorch."""
    return {name: stored_arrays()[key] for name, key in case[group].items()}


WEIGHTS = MATRICES + BIASES


def golden_trace(case: dict[str, Any], given_arrays: dict[str, np.ndarray]) -> Trace:
    """The layer of a golden case, run by the engine."""
    options = case["options"]
    weights = {name: given_arrays[name] for name in WEIGHTS if name in given_arrays}
    n_heads = options.get("heads", 4)
    called = {name: given_arrays.get(name) for name in ("memory", "mask", "bias")}
    called |= {name: options.get(name) for name in ("scale", "softcap")}
    called |= {name: options.get(name, False) for name in ("causal", "residual")}
    called["sink"] = given_arrays.get("sink")
    if "rotary" in options:
        called["rotary"] = Rotary(*options["rotary"])
    if "norm" in options:
        gains = (given_arrays["query_gain"], given_arrays["key_gain"])
        called["head_norm"] = HeadNorm(*gains, options["norm"])
    projections = Projections(**weights, n_heads=n_heads, n_kv_heads=options.get("groups", n_heads))
    return attend(given_arrays["inputs"], projections, **called)


@pytest.mark.parametrize("name", RECORD["layers"])
def test_every_gradient_of_a_layer(name: str) -> None:
    case = RECORD["layers"][name]
    given_arrays, expected = arrays(case, "given"), arrays(case, "expected")
    trace = golden_trace(case, given_arrays)
    found = layer_gradients(trace, given_arrays["output_gradient"])
    assert set(found) == set(expected) == set(gradient_formulas(trace))
    for name, gradient in found.items():
        np.testing.assert_allclose(gradient, expected[name], rtol=0, atol=TOLERANCE, err_msg=name)


def test_the_golden_cases_cover_every_field() -> None:
    compared = {field for case in RECORD["layers"].values() for field in case["expected"]}
    assert set(STEPS) <= compared


@settings(max_examples=20)
@given(calls())
def test_gradients_by_finite_differences(call: tuple[Layer, dict[str, Any]]) -> None:
    layer, options = call
    trace = layer.run(**options)
    wanted = layer.rng.normal(size=trace.output.shape)
    found = layer_gradients(trace, wanted)
    step = {name: layer.rng.normal(size=getattr(layer.projections, name).shape) for name in WEIGHTS}
    step_x, step_memory = (layer.rng.normal(size=array.shape) for array in (layer.x, layer.memory))
    losses = []
    for size in (1e-5, -1e-5):
        weights = {name: getattr(layer.projections, name) + size * step[name] for name in WEIGHTS}
        x, memory = layer.x + size * step_x, layer.memory + size * step_memory
        moved = replace(layer.changed(**weights), x=x, memory=memory)
        losses.append(float((moved.run(**options).output * wanted).sum()))
    expected = sum(float((found[name] * step[name]).sum()) for name in WEIGHTS)
    expected += float((found["inputs"] * step_x).sum() + (found["memory"] * step_memory).sum())
    assert (losses[0] - losses[1]) / 2e-5 == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_a_gradient_of_another_shape() -> None:
    trace = attend([[1.0, 2.0]], Projections.weightless(2))
    with refused(ShapeError, "output_gradient", "(1, 2)", "(1, 1, 2)"):
        layer_gradients(trace, [[1.0, 2.0]])


@pytest.mark.parametrize("name", LOSSES)
def test_losses_and_their_gradients(name: str) -> None:
    case = RECORD["losses"][name]
    given, expected = arrays(case, "given"), arrays(case, "expected")
    loss = LOSSES[name]
    assert loss.value.compute(given["output"], given["target"]) == pytest.approx(
        float(expected["loss"]), abs=1e-12
    )
    gradient = loss.gradient.compute(given["output"], given["target"])
    np.testing.assert_allclose(gradient, expected["gradient"], rtol=0, atol=TOLERANCE)


def test_a_certain_wrong_guess() -> None:
    target = np.eye(10)[:, np.newaxis, np.newaxis]
    output = np.zeros((10, 1, 10))
    output[..., 0] = 1000
    assert relative_error(output, target) == pytest.approx(math.sqrt(1.8))
    assert not relative_error_gradient(output, target).any()
    assert cross_entropy(output, target) == pytest.approx(900)
    assert relative_error(output[:1], target[:1]) == 0  # a perfect guess
    assert not relative_error_gradient(output[:1], target[:1]).any()


def test_six_steps_of_training_beside_pytorch() -> None:
    given, expected = arrays(RECORD["adam"], "given"), arrays(RECORD["adam"], "expected")
    weights = {name: given[name] for name in expected}
    moments = {name: Moments(0 * array, 0 * array) for name, array in weights.items()}
    for step, (x, target) in enumerate(
        zip(given["inputs"], given["targets"], strict=True), start=1
    ):
        trace = attend(x, Projections(**weights, n_heads=2))
        target = target[:, :, np.newaxis]
        assert squared_error(trace.output, target) > 0
        found = layer_gradients(trace, squared_error_gradient(trace.output, target))
        for name in weights:
            weights[name], moments[name] = adam_step(
                weights[name], found[name], moments[name], step, 0.03
            )
    for name, array in expected.items():
        np.testing.assert_allclose(weights[name], array, rtol=0, atol=TOLERANCE, err_msg=name)
        assert np.abs(array - given[name]).max() > 0.01


def test_the_schedule_of_the_learning_rate() -> None:
    rates = [learning_rate_at(step, 100, 0.01) for step in range(1, 101)]
    assert rates[:70] == [0.01] * 70
    assert rates[-1] == pytest.approx(0.0002)
    assert np.allclose(np.diff(rates[70:]), -0.0098 / 30)
