"""A training run: it is reproducible, can be stopped and continued, and is refused if it would take
too long.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
import pytest

from attention_core import Projections, SettingsError, attend
from attention_lab.labs.adam import Moments, adam_step
from attention_lab.labs.backward import layer_gradients
from attention_lab.labs.losses import squared_error_gradient
from attention_lab.labs.stiefel import orthonormality_error
from attention_lab.labs.stiefel_adam import head_matrices
from attention_lab.labs.training import TRAINED_ARRAYS, Checkpoint, train_layer
from attention_lab.labs.training_settings import (
    TrainingSettings,
    models,
)
from tests.lab.refusal import Facts, refused

SHORT = TrainingSettings(n_steps=37, batch=5)


def assert_same_point(one: Checkpoint, other: Checkpoint) -> None:
    """Two checkpoints have the same numbers, bit for bit."""
    assert (one.step, one.loss) == (other.step, other.loss)
    for name in TRAINED_ARRAYS:
        assert (getattr(one.projections, name) == getattr(other.projections, name)).all(), name


def test_equal_settings_give_equal_runs() -> None:
    runs = [list(train_layer(SHORT)) for _ in range(2)]
    assert [point.step for point in runs[0]] == [0, 10, 20, 30, 37]
    for one, other in zip(*runs, strict=True):
        assert_same_point(one, other)
    assert next(train_layer(replace(SHORT, seed=1))).loss != runs[0][0].loss


def test_a_run_in_one_loop() -> None:
    settings = TrainingSettings("agreement", n_steps=13, batch=5, seed=7)
    task, rng = settings.training_task, np.random.default_rng(7)
    drawn = [rng.standard_normal((2, 9, width)) / 3 for width in (6, 6, 4)]
    weights = {
        name: np.hstack(list(heads))
        for name, heads in zip(("w_q", "w_k", "w_v"), drawn, strict=True)
    }
    weights |= {"w_o": rng.standard_normal((8, 8)) / np.sqrt(8), "b_o": np.zeros(8)}
    moments = {name: Moments(0 * array, 0 * array) for name, array in weights.items()}
    for step in range(1, 14):
        examples = task.draw(rng, 5)
        trace = attend(examples.inputs, Projections(**weights, n_heads=2))
        found = layer_gradients(trace, squared_error_gradient(trace.output, examples.targets))
        rate = 0.01 if step <= 9 else 0.01 * (1 - 0.98 * (step - 9.1) / 3.9)
        for name in weights:
            weights[name], moments[name] = adam_step(
                weights[name], found[name], moments[name], step, rate
            )
    *_, point = train_layer(settings)
    for name, array in weights.items():
        np.testing.assert_allclose(
            getattr(point.projections, name), array, rtol=0, atol=1e-12, err_msg=name
        )


@pytest.mark.parametrize("constraint", ["free", "orthonormal"])
def test_a_run_continues_where_it_stopped(constraint: str) -> None:
    settings = replace(SHORT, constraint=constraint, task="agreement")
    whole = list(train_layer(settings))
    *_, stopped = islice(train_layer(settings), 3)
    assert stopped.step == 20
    for one, other in zip(train_layer(settings, start=stopped), whole[2:], strict=True):
        assert_same_point(one, other)


def test_the_start_is_drawn_as_declared() -> None:
    big = TrainingSettings(n_heads=16, d_k=64, d_v=64)
    p = next(train_layer(replace(big, n_steps=1, batch=1))).projections
    assert p.w_q.shape == (10, 1024)
    assert p.w_q.std() == pytest.approx(10**-0.5, rel=0.02)
    assert p.w_o.std() == pytest.approx(1024**-0.5, rel=0.02)
    assert not p.b_o.any()


@pytest.mark.parametrize(
    ("constraint", "kept"), [("orthonormal", "w_q w_k w_v"), ("orthonormal values", "w_v")]
)
def test_columns_stay_orthonormal(constraint: str, kept: str) -> None:
    *_, point = train_layer(replace(SHORT, constraint=constraint))
    for name in ("w_q", "w_k", "w_v"):
        error = orthonormality_error(head_matrices(getattr(point.projections, name), 2))
        assert (error < 1e-14) == (name in kept.split()), name


def test_parameter_counts() -> None:
    counts = {
        task: [s.n_parameters for s in models(task).values()]
        for task in ("neighbours", "agreement")
    }
    assert counts == {"neighbours": [200, 392, 392, 776], "agreement": [184, 360, 360, 712]}
    point = next(train_layer(TrainingSettings()))
    assert sum(getattr(point.projections, name).size for name in TRAINED_ARRAYS) == 392


def test_compared_models() -> None:
    assert [s.n_heads for s in models("staircase", seed=4).values()] == [1, 2, 3, 4, 6]
    assert models("letters")["1 wide head"].widths == (12, 12)
    assert {s.seed for s in models("staircase", seed=4).values()} == {4}


@pytest.mark.parametrize(
    ("changes", "facts"),
    [
        (
            {"constraint": "orthonormal", "d_k": 11},
            ("w_q", 11, 10),
        ),
        (
            {"n_steps": 100_000, "n_heads": 16, "batch": 512},
            ("seconds", 60),
        ),
    ],
)
def test_settings_that_cannot_be_trained(changes: dict[str, Any], facts: Facts) -> None:
    with refused(SettingsError, *facts):
        next(train_layer(replace(TrainingSettings(), **changes)))


@pytest.mark.parametrize("constraint", ["free", "orthonormal"])
def test_extreme_settings_stay_finite(constraint: str) -> None:
    points = list(
        train_layer(replace(SHORT, learning_rate=1.0, temperature=0.001, constraint=constraint))
    )
    assert np.isfinite([point.loss for point in points]).all()
