"""A training run is reproducible, can be stopped and continued; its tasks by plain loops; its
curves end with the scores.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
import pytest

from attention_core import SettingsError
from attention_lab.labs.checkpoints import Checkpoint
from attention_lab.labs.evaluation import score_layer
from attention_lab.labs.losses import cross_entropy
from attention_lab.labs.readouts import weightless_score
from attention_lab.labs.stiefel_adam import head_matrices
from attention_lab.labs.tasks import (
    TRAINING_TASKS,
    ring_positions,
    target_variance,
    unseen_examples,
)
from attention_lab.labs.training import TRAINED_ARRAYS, train_layer
from attention_lab.labs.training_runs import (
    MAX_CURVE_POINTS,
    constant_loss,
    loss_curve,
    one_answer_losses,
    unseen_loss,
    weightless_loss,
)
from attention_lab.labs.training_settings import TrainingSettings, models
from tests.lab.labs.orthonormal import orthonormality_error
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


@pytest.mark.parametrize(
    ("changes", "facts"),
    [
        ({"constraint": "orthonormal", "d_k": 11}, ("w_q", 11, 10)),
        ({"n_steps": 100_000, "n_heads": 16, "batch": 512}, ("seconds", 60)),
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


N = 7


@pytest.mark.parametrize(
    ("name", "offsets"),
    [("neighbours", (-1, 1)), ("staircase", (-2, -1, 1, 2)), ("letters", (-1, 1))],
)
def test_targets_of_ring_tasks(name: str, offsets: tuple[int, ...]) -> None:
    examples = TRAINING_TASKS[name].draw(np.random.default_rng(0), N)
    contents = examples.inputs[..., :-6]
    for b, i in np.ndindex(N, 12):
        for part, offset in enumerate(offsets):
            assert (examples.targets[b, i, part] == contents[b, (i + offset) % 12]).all()
    assert (examples.inputs[..., -6:] == ring_positions()).all()


@pytest.mark.parametrize("name", ["agreement", "conjunction"])
def test_targets_of_word_tasks(name: str) -> None:
    examples = TRAINING_TASKS[name].draw(np.random.default_rng(0), N)
    for b, i in np.ndindex(N, 10):
        words = examples.inputs[b]
        gender = [j for j in range(10) if (words[j, :3] == words[i, :3]).all()]
        number = [j for j in range(10) if (words[j, 3:5] == words[i, 3:5]).all()]
        chosen = [gender, number] if name == "agreement" else [[j for j in gender if j in number]]
        for part, members in enumerate(chosen):
            assert i in members
            np.testing.assert_allclose(
                examples.targets[b, i, part], words[members, 5:].mean(axis=0), atol=1e-12
            )


def test_the_error_that_counts_as_one() -> None:
    assert target_variance("neighbours") == pytest.approx(1, abs=0.03)
    assert target_variance("agreement", 4000) == pytest.approx(0.245, abs=0.01)


CURVE_RUN = TrainingSettings("agreement", n_steps=290, batch=2, data="common")


@pytest.mark.parametrize("n_steps", [10, 290])
def test_a_curve_ends_with_the_score(n_steps: int) -> None:
    settings = replace(CURVE_RUN, n_steps=n_steps)
    points = [(point.step, point.projections) for point in train_layer(settings)]
    curve = loss_curve(settings, points)
    steps = [step for step, _ in curve]
    assert (steps[0], steps[-1]) == (0, n_steps)
    assert len(set(steps)) == len(curve) == min(MAX_CURVE_POINTS, len(points))
    assert curve[-1][1] == score_layer(settings, points[-1][1]).total
    assert curve[0][1] == score_layer(settings, points[0][1]).total


def test_a_point_for_letters_is_the_cross_entropy() -> None:
    task, targets = TRAINING_TASKS["letters"], unseen_examples("letters").targets
    joined = targets.reshape(*targets.shape[:2], -1)
    assert unseen_loss(task, 0 * joined) == pytest.approx(math.log(6))
    assert unseen_loss(task, 1e3 * joined) == pytest.approx(0)
    assert unseen_loss(task, 2 * joined) == cross_entropy(2 * joined, targets)


@pytest.mark.parametrize("name", TRAINING_TASKS)
def test_no_constant_is_better_than_the_best(name: str) -> None:
    task, targets = TRAINING_TASKS[name], unseen_examples(name).targets
    mean_PF = targets.mean(axis=(0, 1))
    best = np.log(mean_PF) if task.by_accuracy else mean_PF
    constant = np.broadcast_to(best.reshape(-1), (*targets.shape[:2], task.d_out))
    assert unseen_loss(task, constant) == pytest.approx(constant_loss(name), rel=2e-3)
    for shift in (-0.1, 0.1):
        moved = constant.copy()
        moved[..., 0] += shift
        assert unseen_loss(task, moved) > unseen_loss(task, constant)


def test_losses_of_one_answer_per_head() -> None:
    assert one_answer_losses(models("staircase").values()) == {1: 0.75, 2: 0.5, 3: 0.25}
    assert one_answer_losses(models("neighbours").values()) == {1: 0.5}
    assert one_answer_losses(models("letters").values()) == {}


def test_the_weightless_loss_is_its_score_but_for_letters() -> None:
    assert weightless_loss("conjunction", 3) == weightless_score("conjunction", 3).total
    assert 1.5 < weightless_loss("letters") < constant_loss("letters")


def test_models_of_a_seed_learn_from_the_same_sequences() -> None:
    def drawn(settings: TrainingSettings) -> list[Any]:
        found = []
        for point in itertools.islice(train_layer(replace(settings, n_steps=20)), 3):
            rng = np.random.default_rng(0)
            rng.bit_generator.state = point.generator_state
            found.append(settings.training_task.draw(rng, 2).inputs.tolist())
        return found

    for task in TRAINING_TASKS:
        first, *others = (drawn(settings) for settings in models(task).values())
        assert all(one == first for one in others)
        assert drawn(models(task, seed=1)["1 head"]) != first
    own = [drawn(TrainingSettings(n_heads=n_heads)) for n_heads in (1, 2)]
    assert own[0] != own[1]
