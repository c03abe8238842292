"""Training one layer on a task: a run is a sequence of checkpoints, each computed from the previous
one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from attention_core.attention import attend
from attention_core.checks import Array
from attention_core.initialisation import Stream, generator, orthonormal_columns
from attention_core.projections import Projections
from attention_lab.labs.gradients import Gradients

from .adam import Moments, adam_step, learning_rate_at
from .backward import layer_gradients
from .losses import LOSSES
from .stiefel_adam import first_moments, fused_matrix, head_matrices, stiefel_adam_step
from .tasks import Examples
from .training_settings import CONSTRAINTS, TrainingSettings, check_settings

TRAINED_ARRAYS = ("w_q", "w_k", "w_v", "w_o", "b_o")
STEPS_PER_CHECKPOINT = 10


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """A run after some steps: what a page draws, and everything needed to continue.

    loss: the mean over the steps since the previous checkpoint; at step 0 that of the initial
    weights. generator_state: of the random numbers from which the next sequences are drawn.
    """

    settings: TrainingSettings
    step: int
    loss: float
    projections: Projections
    moments: dict[str, Moments]
    generator_state: Mapping[str, Any]


def train_layer(
    settings: TrainingSettings, start: Checkpoint | None = None
) -> Iterator[Checkpoint]:
    """The checkpoints of a run, every ten steps, each computed on demand.

    start: a checkpoint of the same settings from which the run continues. Equal settings give equal
    numbers, whether the run was continued or not.
    Raises: SettingsError for columns that do not fit, and for a run that would take longer than a
    minute.

    >>> [point.step for point in train_layer(TrainingSettings(n_steps=25))]
    [0, 10, 20, 25]
    """
    check_settings(settings)
    point = first_checkpoint(settings) if start is None else start
    yield point
    while point.step < settings.last_step:
        yield (point := next_checkpoint(point))


def first_checkpoint(settings: TrainingSettings) -> Checkpoint:
    """The checkpoint at step 0. Free weights are normal with variance 1/inputs, constrained weights
    have orthonormal columns.
    """
    task, n_heads, (d_k, d_v) = settings.training_task, settings.n_heads, settings.widths
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
    """The checkpoint ten steps later, or at the last step. Each step uses new sequences."""
    settings, rng = point.settings, np.random.default_rng(0)
    rng.bit_generator.state = point.generator_state
    projections, moments, losses = point.projections, point.moments, []
    for number in range(
        point.step + 1, min(point.step + STEPS_PER_CHECKPOINT, settings.last_step) + 1
    ):
        loss, gradients = _loss_and_gradients(
            settings, projections, settings.training_task.draw(rng, settings.batch)
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
    loss = LOSSES[settings.training_task.loss]
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
    for name in TRAINED_ARRAYS:
        array, gradient = getattr(projections, name), gradients[name]
        if name in CONSTRAINTS[settings.constraint]:
            heads, head_gradients = (
                head_matrices(matrix, settings.n_heads) for matrix in (array, gradient)
            )
            heads, moved[name] = stiefel_adam_step(
                heads, head_gradients, moments[name], number, rate
            )
            weights[name] = fused_matrix(heads)
        else:
            weights[name], moved[name] = adam_step(array, gradient, moments[name], number, rate)
    return Projections(**weights, n_heads=settings.n_heads), moved


def _draw_heads(rng: np.random.Generator, shape: tuple[int, int, int], orthonormal: bool) -> Array:
    n_heads, d_model, width = shape
    if orthonormal:
        return np.stack([orthonormal_columns(rng, d_model, width) for _ in range(n_heads)])
    return rng.standard_normal(shape) / math.sqrt(d_model)
