"""The losses, Adam and its schedule: compared with PyTorch, and by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from attention_core import Projections, attend
from attention_lab.labs.adam import Moments, adam_step, learning_rate_at
from attention_lab.labs.backward import layer_gradients
from attention_lab.labs.losses import (
    LOSSES,
    cross_entropy,
    relative_error,
    relative_error_gradient,
    squared_error,
    squared_error_gradient,
)
from tests.lab.labs.gradient_golden import RECORD, TOLERANCE, arrays


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


def test_a_perfect_guess_has_no_gradient() -> None:
    target = np.array([[[[1.0, 0.0]]]])
    output = np.array([[[1000.0, 0.0]]])
    assert relative_error(output, target) == 0
    assert relative_error_gradient(output, target).tolist() == [[[0, 0]]]


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


def test_two_steps_of_adam_by_hand() -> None:
    weights, moments = adam_step(
        np.array([0.0]), np.array([1.0]), Moments(np.zeros(1), np.zeros(1)), 1, 1.0
    )
    assert weights.item() == pytest.approx(-1, abs=1e-7)
    weights, moments = adam_step(weights, np.array([3.0]), moments, 2, 1.0)
    assert (moments.first.item(), moments.second.item()) == pytest.approx((0.39, 0.009999))
    assert weights.item() == pytest.approx(
        -1 - (0.39 / 0.19) / math.sqrt(0.009999 / 0.001999), abs=1e-6
    )


def test_the_schedule_of_the_learning_rate() -> None:
    rates = [learning_rate_at(step, 100, 0.01) for step in range(1, 101)]
    assert rates[:70] == [0.01] * 70
    assert rates[-1] == pytest.approx(0.0002)
    assert np.allclose(np.diff(rates[70:]), -0.0098 / 30)
