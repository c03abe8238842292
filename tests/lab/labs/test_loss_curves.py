"""Curves of the loss on unseen sequences: their ends are the scores, and the reference losses are
exact.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attention_lab.labs.evaluation import score_layer
from attention_lab.labs.loss_curves import (
    MAX_CURVE_POINTS,
    constant_loss,
    loss_curve,
    one_answer_losses,
    unseen_loss,
    weightless_loss,
)
from attention_lab.labs.losses import cross_entropy
from attention_lab.labs.readouts import weightless_score
from attention_lab.labs.tasks import TRAINING_TASKS, unseen_examples
from attention_lab.labs.training import train_layer
from attention_lab.labs.training_settings import TrainingSettings, models

SHORT = TrainingSettings("agreement", n_steps=290, batch=2, data="common")


@pytest.mark.parametrize("n_steps", [10, 290])
def test_a_curve_ends_with_the_score(n_steps: int) -> None:
    settings = replace(SHORT, n_steps=n_steps)
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


@pytest.mark.parametrize("name", ["neighbours", "agreement", "conjunction", "staircase"])
def test_the_weightless_loss_is_its_score(name: str) -> None:
    assert weightless_loss(name, 3) == weightless_score(name, 3).total


def test_the_weightless_loss_of_letters() -> None:
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


def test_the_sequences_are_apart_from_the_weights() -> None:
    own, common = (next(train_layer(replace(SHORT, data=data))) for data in ("own", "common"))
    assert (own.projections.w_q == common.projections.w_q).all()
    assert own.loss != common.loss
