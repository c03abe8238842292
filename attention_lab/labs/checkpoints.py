"""A run of training as a sequence of checkpoints, each computed from the previous one."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from attention_core.checks import Array
from attention_core.projections import Projections

from .adam import Moments, adam_step
from .circuit_settings import CircuitSettings
from .stack_settings import StackSettings
from .stiefel_adam import first_moments, fused_matrix, stiefel_adam_step
from .training_settings import TrainingSettings

Weights = dict[str, Array]
Settings = TrainingSettings | StackSettings | CircuitSettings
# Draws sequences, and finds the loss of the weights and its gradients.
Learn = Callable[[Weights, np.random.Generator], tuple[float, Weights]]
STEPS_PER_CHECKPOINT = 10


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """A run after some steps: what a page draws, and everything needed to continue.

    loss: the mean over the steps since the previous checkpoint; at step 0 that of the initial
    weights. weights: those whose columns stay orthonormal as stacks of the heads' matrices.
    generator_state: of the random numbers from which the next sequences are drawn.
    """

    settings: Settings
    step: int
    loss: float
    weights: Weights
    moments: dict[str, Moments]
    generator_state: Mapping[str, Any]

    @cached_property
    def projections(self) -> Projections:
        """The weights of a single layer."""
        return as_projections(self.weights, self.settings.n_heads)


def as_projections(weights: Weights, n_heads: int) -> Projections:
    """The weights of a single layer, those of the heads side by side."""
    fused: dict[str, Any] = {
        name: fused_matrix(array) if array.ndim == 3 else array for name, array in weights.items()
    }
    return Projections(**fused, n_heads=n_heads)


def stored_arrays(file: Path) -> dict[str, Weights]:
    """The arrays of a file, "run/array" there in 32 bits a number, by run and by name."""
    runs: dict[str, Weights] = {}
    with np.load(file, allow_pickle=False) as arrays:
        for name in arrays.files:
            run, own = name.split("/")
            runs.setdefault(run, {})[own] = arrays[name].astype(np.float64)
    return runs


def first_point(
    settings: Settings, weights: Weights, rng: np.random.Generator, learn: Learn
) -> Checkpoint:
    """The checkpoint at step 0."""
    moments = {
        name: first_moments(array)
        if name in settings.constrained
        else Moments(np.zeros_like(array), np.zeros_like(array))
        for name, array in weights.items()
    }
    state = rng.bit_generator.state
    return Checkpoint(settings, 0, learn(weights, rng)[0], weights, moments, state)


def points_from(point: Checkpoint, learn: Learn) -> Iterator[Checkpoint]:
    """A checkpoint and those that follow, every ten steps and after the last one, each computed on
    demand. Each step uses new sequences, and is one of Adam: on the Stiefel manifold for the
    constrained weights.
    """
    yield point
    settings, rng = point.settings, np.random.default_rng(0)
    while point.step < settings.last_step:
        rng.bit_generator.state = point.generator_state
        weights, moments, losses = dict(point.weights), dict(point.moments), []
        end = min(point.step + STEPS_PER_CHECKPOINT, settings.last_step)
        for step in range(point.step + 1, end + 1):
            loss, gradients = learn(weights, rng)
            losses.append(loss)
            rate = settings.rate_at(step)
            for name, array in weights.items():
                take_step = stiefel_adam_step if name in settings.constrained else adam_step
                weights[name], moments[name] = take_step(
                    array, gradients[name], moments[name], step, rate
                )
        mean, state = float(np.mean(losses)), rng.bit_generator.state
        yield (point := Checkpoint(settings, end, mean, weights, moments, state))
