"""The loss of layers on the unseen sequences while they learn, and losses to compare it with."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from attention_core.checks import Array
from attention_core.projections import Projections

from .evaluation import one_answer_score, score_output, unseen_trace
from .losses import LOSSES
from .readouts import weightless_output
from .tasks import TRAINING_TASKS, TrainingTask, unseen_examples
from .training_settings import TrainingSettings

LossPoint = tuple[int, float]
MAX_CURVE_POINTS = 27  # of a curve


def unseen_loss(task: TrainingTask, output: Array) -> float:
    """The loss of an output on the unseen sequences: the squared error divided by the variance of
    the target, like the score, or the cross-entropy in nats.
    """
    if task.by_accuracy:
        return float(LOSSES[task.loss].value.compute(output, unseen_examples(task.name).targets))
    return score_output(task, output).total


def weightless_loss(task: str, seed: int = 0) -> float:
    """The loss of Q = K = V = X with the best readout, which needs no training of the layer."""
    return unseen_loss(TRAINING_TASKS[task], weightless_output(task, seed))


def constant_loss(task: str) -> float:
    """The loss of the best constant answer: the variance, which counts as 1, or the entropy of a
    letter, ln 6 nats if all six are equally likely.

    >>> constant_loss("neighbours"), round(constant_loss("letters"), 3)
    (1.0, 1.792)
    """
    training_task = TRAINING_TASKS[task]
    return math.log(training_task.n_features) if training_task.by_accuracy else 1.0


def one_answer_losses(models: Iterable[TrainingSettings]) -> dict[int, float]:
    """The loss that remains with one answer per head, by the number of heads, if it is known and
    above 0.
    """
    losses = {
        one.n_heads: one_answer_score(one.task, one.n_heads, one.widths[1])
        for one in models
        if not one.training_task.by_accuracy
    }
    return {n_heads: loss for n_heads, loss in losses.items() if loss > 0}


def loss_curve(
    settings: TrainingSettings, points: Sequence[tuple[int, Projections]]
) -> tuple[LossPoint, ...]:
    """The loss on the unseen sequences at some steps of a run, including the first and the last."""
    last = len(points) - 1
    places = sorted({round(i * last / (MAX_CURVE_POINTS - 1)) for i in range(MAX_CURVE_POINTS)})
    return tuple(
        (step, unseen_loss(settings.training_task, unseen_trace(settings, projections).output))
        for step, projections in (points[place] for place in places)
    )
