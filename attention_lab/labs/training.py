"""Training one layer on a task: a run is a sequence of checkpoints, each made from the one
before.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from attention_core.attention import attend
from attention_core.checks import Array
from attention_core.errors import SettingsError
from attention_core.gradients import Gradients
from attention_core.initialisation import Stream, generator, orthonormal_columns
from attention_core.projections import Projections

from .adam import Moments, adam_step, learning_rate_at
from .backward import layer_gradients
from .losses import LOSSES
from .stiefel_adam import first_moments, fused_matrix, head_matrices, stiefel_adam_step
from .tasks import Examples
from .training_settings import CONSTRAINTS, TrainingSettings, check_settings

WEIGHTS = ("w_q", "w_k", "w_v", "w_o", "b_o")
CHECKPOINT_STEPS = 10


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """A run after some steps: what a page draws, and all that continuing needs.

    loss: the mean over the steps since the checkpoint before; at step 0 that of the weights as they
    were drawn. generator_state: of the random numbers from which the next sequences are drawn.
    """

    settings: TrainingSettings
    step: int
    loss: float
    projections: Projections
    moments: dict[str, Moments]
    generator_state: Mapping[str, Any]


def train(settings: TrainingSettings, start: Checkpoint | None = None) -> Iterator[Checkpoint]:
    """The checkpoints of a run, every ten steps, each computed when it is asked for; from `start`
    on when given.

    Whoever stops asking has stopped the run; the same settings always give the same numbers,
    continued or not.
    Raises: SettingsError, also for a run that would take longer than a minute and for a start from
    another run.

    >>> [point.step for point in train(TrainingSettings(n_steps=25))]
    [0, 10, 20, 25]
    """
    check_settings(settings)
    point = first_checkpoint(settings) if start is None else start
    if point.settings != settings:
        raise SettingsError(
            f"The checkpoint is of {point.settings}, not of {settings}: go on with the settings it"
            " was made by"
        )
    yield point
    while point.step < settings.last_step:
        yield (point := next_checkpoint(point))


def first_checkpoint(settings: TrainingSettings) -> Checkpoint:
    """The weights as they are drawn: normal with variance 1/inputs, the constrained ones with
    orthonormal columns.
    """
    task, n_heads, (d_k, d_v) = settings.lesson, settings.n_heads, settings.widths
    rng = np.random.default_rng(settings.seed)
    constrained = CONSTRAINTS[settings.constraint]
    weights: dict[str, Any] = {}
    moments: dict[str, Moments] = {}
    for name, width in (("w_q", d_k), ("w_k", d_k), ("w_v", d_v)):
        heads_HDK = _draw_heads(
            rng, (n_heads, task.d_model, width), orthonormal=name in constrained
        )
        weights[name] = fused_matrix(heads_HDK)
        if name in constrained:
            moments[name] = first_moments(heads_HDK)
    weights["w_o"] = rng.standard_normal((n_heads * d_v, task.d_out)) / math.sqrt(n_heads * d_v)
    weights["b_o"] = np.zeros(task.d_out)
    zeros = {
        name: Moments(np.zeros_like(array), np.zeros_like(array)) for name, array in weights.items()
    }
    projections = Projections(**weights, n_heads=n_heads)
    if settings.data == "common":
        rng = generator(settings.seed, Stream.SEQUENCES)
    state = rng.bit_generator.state
    loss, _ = _loss_and_gradients(settings, projections, task.draw(rng, settings.batch))
    return Checkpoint(settings, 0, loss, projections, zeros | moments, state)


def next_checkpoint(point: Checkpoint) -> Checkpoint:
    """The next ten steps, or all that are left; each uses sequences that no step saw before."""
    settings, rng = point.settings, np.random.default_rng(0)
    rng.bit_generator.state = point.generator_state
    projections, moments, losses = point.projections, point.moments, []
    for number in range(point.step + 1, min(point.step + CHECKPOINT_STEPS, settings.last_step) + 1):
        loss, gradients = _loss_and_gradients(
            settings, projections, settings.lesson.draw(rng, settings.batch)
        )
        rate = learning_rate_at(number, settings.last_step, settings.learning_rate)
        projections, moments = _step(settings, projections, gradients, moments, number, rate)
        losses.append(loss)
    step, state = point.step + len(losses), rng.bit_generator.state
    return Checkpoint(settings, step, float(np.mean(losses)), projections, moments, state)


def _loss_and_gradients(
    settings: TrainingSettings, projections: Projections, examples: Examples
) -> tuple[float, Gradients]:
    trace = attend(examples.inputs, projections, scale=settings.scale)
    loss = LOSSES[settings.lesson.loss]
    gradients = layer_gradients(trace, loss.gradient.compute(trace.output, examples.targets))
    return loss.value.compute(trace.output, examples.targets), gradients


def _step(
    settings: TrainingSettings,
    projections: Projections,
    gradients: Gradients,
    moments: dict[str, Moments],
    number: int,
    rate: float,
) -> tuple[Projections, dict[str, Moments]]:
    """One step of Adam for every matrix, on the Stiefel manifold for the constrained ones."""
    weights: dict[str, Any] = {}
    moved: dict[str, Moments] = {}
    for name in WEIGHTS:
        array, gradient = getattr(projections, name), gradients[name]
        if name in CONSTRAINTS[settings.constraint]:
            point, slope = (head_matrices(matrix, settings.n_heads) for matrix in (array, gradient))
            point, moved[name] = stiefel_adam_step(point, slope, moments[name], number, rate)
            weights[name] = fused_matrix(point)
        else:
            weights[name], moved[name] = adam_step(array, gradient, moments[name], number, rate)
    return Projections(**weights, n_heads=settings.n_heads), moved


def _draw_heads(rng: np.random.Generator, shape: tuple[int, int, int], orthonormal: bool) -> Array:
    n_heads, d_model, width = shape
    if orthonormal:
        return np.stack([orthonormal_columns(rng, d_model, width) for _ in range(n_heads)])
    return rng.standard_normal(shape) / math.sqrt(d_model)
