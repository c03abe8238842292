"""The deep stack: its gradients, its initial weights, and the differences between its variants."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attention_core import SettingsError
from attention_lab.labs.deep_stack import (
    activation_sizes,
    first_stack,
    run_stack,
    stack_accuracy,
    stack_gradients,
    train_stack,
)
from attention_lab.labs.losses import LOSSES
from attention_lab.labs.stack_settings import (
    STACK_VARIANTS,
    StackSettings,
    draw_textures,
    expected_stack_seconds,
)
from tests.lab.labs.orthonormal import orthonormality_error
from tests.lab.labs.test_gradients import RECORD, TOLERANCE, arrays
from tests.lab.refusal import refused

SHORT = StackSettings(n_layers=3, n_steps=23, batch=5)


def test_gradients_of_two_layers() -> None:
    given, expected = arrays(RECORD["stack"], "given"), arrays(RECORD["stack"], "expected")
    weights = {name: given[name] for name in expected}
    passed = run_stack(StackSettings(n_layers=2), weights, given["inputs"])
    gradient = LOSSES["cross-entropy"].gradient.compute(
        passed.logits, given["target"][:, np.newaxis, np.newaxis]
    )
    gradients = stack_gradients(weights, passed, gradient)
    for name, array in expected.items():
        np.testing.assert_allclose(gradients[name], array, rtol=0, atol=TOLERANCE, err_msg=name)


def test_gradients_with_a_connection() -> None:
    settings = replace(SHORT, connection=True, variant="orthonormal")
    rng = np.random.default_rng(0)
    inputs, target = draw_textures(rng, 5)
    weights = first_stack(settings).weights
    loss = LOSSES["relative error"]
    passed = run_stack(settings, weights, inputs)
    gradients = stack_gradients(weights, passed, loss.gradient.compute(passed.logits, target))
    step = {name: rng.normal(size=array.shape) for name, array in weights.items()}
    losses = [
        loss.value.compute(
            run_stack(
                settings, {name: weights[name] + size * step[name] for name in weights}, inputs
            ).logits,
            target,
        )
        for size in (1e-6, -1e-6)
    ]
    expected = sum(float((gradients[name] * step[name]).sum()) for name in weights)
    assert (losses[0] - losses[1]) / 2e-6 == pytest.approx(expected, rel=1e-5)


def test_the_growth_of_the_variants() -> None:
    inputs, _ = draw_textures(np.random.default_rng(1), 32)
    last = {}
    for variant in STACK_VARIANTS:
        stacks = [StackSettings(variant=variant, seed=seed) for seed in range(3)]
        runs = [run_stack(one, first_stack(one).weights, inputs) for one in stacks]
        sizes = [activation_sizes(run) for run in runs]
        assert np.shape(sizes) == (3, 13)
        last[variant] = float(np.mean(sizes, axis=0)[-1])
    assert last["glorot"] > 5 * last["scaled"]
    assert last["orthonormal"] == last["stiefel"]
    assert max(last["scaled"], last["stiefel"]) < 4


def test_only_the_last_variant_stays_orthonormal() -> None:
    errors = {}
    for variant in ("orthonormal", "stiefel"):
        first, *_, last = train_stack(replace(SHORT, variant=variant))
        errors[variant] = [
            max(orthonormality_error(p.weights[name]) for name in ("w_q", "w_k", "w_v"))
            for p in (first, last)
        ]
    assert max(errors["stiefel"]) < 1e-14
    assert errors["orthonormal"][0] < 1e-14 < 1e-3 < errors["orthonormal"][1]


@pytest.mark.parametrize("variant", STACK_VARIANTS)
def test_a_checkpoint_holds_all_that_continuing_needs(variant: str) -> None:
    whole = list(train_stack(replace(SHORT, variant=variant)))
    assert [point.step for point in whole] == [0, 10, 20, 23]
    *_, last = train_stack(whole[1].settings, start=whole[1])
    assert last.loss == whole[-1].loss
    for name, array in whole[-1].weights.items():
        assert (last.weights[name] == array).all(), name


@pytest.mark.parametrize("n_heads", [2, 4])
def test_the_variance_of_the_variants(n_heads: int) -> None:
    for variant, variance in (("glorot", 2 / (16 + 16 / n_heads)), ("scaled", 1 / 16)):
        settings = StackSettings(variant=variant, n_layers=24, n_heads=n_heads)
        drawn = first_stack(settings).weights["w_q"]
        assert drawn.var() == pytest.approx(variance, rel=0.03)


def accuracies(variant: str, n_seeds: int) -> list[float]:
    """The accuracy of whole runs with the package's loss."""
    found = []
    for seed in range(n_seeds):
        settings = StackSettings(variant=variant, seed=seed)
        *_, point = train_stack(settings)
        found.append(stack_accuracy(settings, point.weights))
    return found


@pytest.mark.every_situation
def test_the_start_decides() -> None:
    glorot = accuracies("glorot", 3)
    assert glorot[0] < 0.7
    assert 0.55 < np.mean(glorot) < 0.62
    for variant in ("scaled", "orthonormal", "stiefel"):
        assert accuracies(variant, 1)[0] > 0.99, variant


def test_a_run_that_takes_too_long_is_refused() -> None:
    with refused(SettingsError, "seconds", 60):
        next(train_stack(StackSettings(n_steps=10_000)))
    assert expected_stack_seconds(StackSettings()) < 10
