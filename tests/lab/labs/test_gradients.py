"""The gradients of the whole layer: against PyTorch's autograd, by finite differences, and by
hand.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from attention_core import STEPS, Projections, ShapeError, Trace, attend
from attention_core.projections import BIASES, MATRICES
from attention_lab.labs import gradients
from attention_lab.labs.backward import GRADIENTS, layer_gradients
from tests.core.random_layers import Layer, calls
from tests.lab.labs.gradient_golden import RECORD, TOLERANCE, arrays
from tests.lab.refusal import refused

WEIGHTS = MATRICES + BIASES


def golden_trace(case: dict[str, Any], given_arrays: dict[str, np.ndarray]) -> Trace:
    """The layer of a golden case, run by the engine."""
    options = case["options"]
    weights = {name: given_arrays[name] for name in WEIGHTS if name in given_arrays}
    n_heads = options.get("heads", 4)
    called = {name: given_arrays.get(name) for name in ("memory", "mask", "bias")}
    called |= {name: options.get(name) for name in ("scale", "softcap")}
    called |= {name: options.get(name, False) for name in ("causal", "residual")}
    projections = Projections(**weights, n_heads=n_heads, n_kv_heads=options.get("groups", n_heads))
    return attend(given_arrays["inputs"], projections, **called)


@pytest.mark.parametrize("name", RECORD["layers"])
def test_every_gradient_of_a_layer(name: str) -> None:
    case = RECORD["layers"][name]
    given_arrays, expected = arrays(case, "given"), arrays(case, "expected")
    found = layer_gradients(golden_trace(case, given_arrays), given_arrays["output_gradient"])
    assert set(found) == set(expected)
    for name, gradient in found.items():
        np.testing.assert_allclose(gradient, expected[name], rtol=0, atol=TOLERANCE, err_msg=name)


def test_the_golden_cases_cover_every_field() -> None:
    compared = {field for case in RECORD["layers"].values() for field in case["expected"]}
    assert set(GRADIENTS) <= compared


def changed(
    layer: Layer, weights: dict[str, np.ndarray], x: np.ndarray, memory: np.ndarray
) -> Layer:
    """The same layer with other numbers everywhere."""
    return replace(layer.changed(**weights), x=x, memory=memory)


@settings(max_examples=40)
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
        moved = changed(layer, weights, layer.x + size * step_x, layer.memory + size * step_memory)
        losses.append(float((moved.run(**options).output * wanted).sum()))
    expected = sum(float((found[name] * step[name]).sum()) for name in WEIGHTS)
    expected += float((found["inputs"] * step_x).sum() + (found["memory"] * step_memory).sum())
    assert (losses[0] - losses[1]) / 2e-5 == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_self_attention_adds_what_comes_back_through_keys_and_values() -> None:
    trace = attend([[3.0]], Projections([[1.0]], [[1.0]], [[2.0]], [[5.0]], n_heads=1))
    found = layer_gradients(trace, [[[1.0]]])
    by_hand = {"inputs": 10, "memory": 10, "queries": 0, "w_o": 6, "w_v": 15, "w_q": 0}
    assert {name: found[name].item() for name in by_hand} == by_hand


def test_the_softmax_gradient_by_hand() -> None:
    shares, wanted = np.array([[[[0.25, 0.75]]]]), np.array([[[[1.0, 0.0]]]])
    gradient = gradients.softmax_gradient(shares, wanted)
    assert gradient.tolist() == [[[[0.1875, -0.1875]]]]


def test_a_key_bias_learns_nothing() -> None:
    rng = np.random.default_rng(0)
    trace = attend(rng.normal(size=(2, 5, 6)), Projections.random(6, 3, bias=True))
    assert np.abs(layer_gradients(trace, rng.normal(size=trace.output.shape))["b_k"]).max() < 1e-14


def test_gradients_have_the_shapes_of_their_arrays() -> None:
    x = np.random.default_rng(1).normal(size=(2, 3, 5)).astype(np.float32)
    trace = attend(
        x,
        Projections.random(5, 4, n_kv_heads=2, d_k=7, d_v=3, bias=True).astype(np.float32),
        softcap=2.0,
    )
    found = layer_gradients(trace, np.ones(trace.output.shape))
    assert set(found) == set(GRADIENTS)
    for name in found:
        array = getattr(trace if name in STEPS else trace.projections, name)
        assert found[name].shape == array.shape, name
        assert found[name].dtype == np.float32, name


@pytest.mark.parametrize("name", GRADIENTS)
def test_every_gradient_names_its_forward_formula(name: str) -> None:
    step = GRADIENTS[name]
    assert step.name == name
    assert step.step in STEPS
    assert step.formula.startswith(step.symbol + " = ")
    assert step.sentence.endswith(".")


def test_a_gradient_of_another_shape() -> None:
    trace = attend([[1.0, 2.0]], Projections.weightless(2))
    with refused(ShapeError, "output_gradient", "(1, 2)", "(1, 1, 2)"):
        layer_gradients(trace, [[1.0, 2.0]])
