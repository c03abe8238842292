"""Training one layer on a task."""

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from attention_core.attention import attend
from attention_core.initialisation import Stream, generator, orthonormal_columns

from .backward import layer_gradients
from .checkpoints import Checkpoint, Weights, as_projections, first_point, points_from
from .losses import LOSSES
from .stiefel_adam import fused_matrix, head_matrices
from .training_settings import (
    KEYS_ARE_QUERIES,
    VALUES_ARE_INPUTS,
    TrainingSettings,
    check_settings,
)

TRAINED_ARRAYS = ("w_q", "w_k", "w_v", "w_o", "b_o")


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
    return points_from(start or first_checkpoint(settings), partial(_learn, settings))


def first_checkpoint(settings: TrainingSettings) -> Checkpoint:
    """The checkpoint at step 0. Free weights are normal with variance 1/inputs, constrained weights
    have orthonormal columns.
    """
    task, n_heads, (d_k, d_v) = settings.training_task, settings.n_heads, settings.widths
    rng = np.random.default_rng(settings.seed)
    weights: Weights = {}
    for name, width in (("w_q", d_k), ("w_k", d_k), ("w_v", d_v)):
        if name in settings.constrained:
            drawn = [orthonormal_columns(rng, task.d_model, width) for _ in range(n_heads)]
            weights[name] = np.stack(drawn)
        else:
            heads_HDK = rng.standard_normal((n_heads, task.d_model, width))
            weights[name] = fused_matrix(heads_HDK / math.sqrt(task.d_model))
    if settings.without == KEYS_ARE_QUERIES:
        weights["w_k"] = weights["w_q"].copy()
    if settings.without == VALUES_ARE_INPUTS:
        weights["w_v"] = np.eye(task.d_model, n_heads * d_v)
    weights["w_o"] = rng.standard_normal((n_heads * d_v, task.d_out)) / math.sqrt(n_heads * d_v)
    weights["b_o"] = np.zeros(task.d_out)
    if settings.data == "common":
        rng = generator(settings.seed, Stream.SEQUENCES)
    return first_point(settings, weights, rng, partial(_learn, settings))


def _learn(
    settings: TrainingSettings, weights: Weights, rng: np.random.Generator
) -> tuple[float, Weights]:
    examples = settings.training_task.draw(rng, settings.batch)
    layer = as_projections(weights, settings.n_heads)
    trace = attend(examples.inputs, layer, scale=settings.scale)
    loss = LOSSES[settings.training_task.loss]
    gradients = layer_gradients(trace, loss.gradient.compute(trace.output, examples.targets))
    if settings.without == KEYS_ARE_QUERIES:  # one matrix in two places
        gradients["w_q"] = gradients["w_k"] = gradients["w_q"] + gradients["w_k"]
    if settings.without == VALUES_ARE_INPUTS:
        gradients["w_v"] = np.zeros_like(gradients["w_v"])
    for name in settings.constrained:
        gradients[name] = head_matrices(gradients[name], settings.n_heads)
    return loss.value.compute(trace.output, examples.targets), gradients
