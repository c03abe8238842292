"""The loss of layers on the unseen sequences as they learn, and the marks to measure it by."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from attention_core.checks import Array
from attention_core.projections import Projections

from .evaluation import best_possible, score_output, unseen_trace
from .losses import LOSSES
from .readouts import weightless_output
from .tasks import Task, task_named, unseen_examples
from .training_settings import TrainingSettings

Point = tuple[int, float]
MOST_POINTS = 27  # of a curve


def unseen_loss(task: Task, output: Array) -> float:
    """What an output on the unseen sequences costs: the squared error as a share of the target's
    variance, as the score has it; or the cross-entropy in nats.
    """
    if task.by_accuracy:
        return float(LOSSES[task.loss].value.compute(output, unseen_examples(task.name).targets))
    return score_output(task, output).total


def weightless_loss(task: str, seed: int = 0) -> float:
    """The loss of Q = K = V = X with the best readout, which takes no steps to find."""
    return unseen_loss(task_named(task), weightless_output(task, seed))


def constant_loss(task: str) -> float:
    """The loss that remains with the best constant answer: the variance, which counts as 1; or the
    entropy of a letter, each as likely as the others, ln 6 nats.

    >>> constant_loss("neighbours"), round(constant_loss("letters"), 3)
    (1.0, 1.792)
    """
    lesson = task_named(task)
    return math.log(lesson.n_features) if lesson.by_accuracy else 1.0


def floors(named: Iterable[TrainingSettings]) -> dict[int, float]:
    """What one answer per head leaves, by the number of heads, where it is known and more than 0.
    Values of heads that are wider than an answer bring no more of it.
    """
    found = {}
    for settings in named:
        if not settings.lesson.by_accuracy:
            left = best_possible(settings.task, settings.n_heads, settings.widths[1])
            if left > 0:
                found[settings.n_heads] = left
    return found


def loss_curve(
    settings: TrainingSettings, points: Sequence[tuple[int, Projections]]
) -> tuple[Point, ...]:
    """The loss on the unseen sequences at some steps of a run, also at its first and its last."""
    last = len(points) - 1
    chosen = sorted({round(i * last / (MOST_POINTS - 1)) for i in range(MOST_POINTS)})
    return tuple(
        (step, unseen_loss(settings.lesson, unseen_trace(settings, projections).output))
        for step, projections in (points[place] for place in chosen)
    )


def mean_curve(curves: Sequence[Sequence[Point]]) -> tuple[Point, ...]:
    """Several curves with the same steps as one: the mean loss at each step."""
    return tuple(
        (together[0][0], sum(loss for _, loss in together) / len(together))
        for together in zip(*curves, strict=True)
    )
