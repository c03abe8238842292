"""Adam, formula by formula: how a gradient becomes a step. All arrays of a function have the same
shape.

Source: Kingma and Ba 2015, algorithm 1.
"""

from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array

from .formula import formulas_of

DECAY_FIRST, DECAY_SECOND, EPSILON = 0.9, 0.999, 1e-8


@dataclass(frozen=True, eq=False)
class Moments:
    """The running averages that Adam keeps of one array: of its gradients and of their squares."""

    first: Array
    second: Array


def first_moment(previous: Array, gradient: Array) -> Array:
    """The running average of the gradients."""
    average: Array = DECAY_FIRST * previous + (1 - DECAY_FIRST) * gradient
    return average


def second_moment(previous: Array, squared_gradient: Array) -> Array:
    """The running average of the squared gradients."""
    average: Array = DECAY_SECOND * previous + (1 - DECAY_SECOND) * squared_gradient
    return average


def correct_bias(moment: Array, decay: float, step: int) -> Array:
    """An average that starts at 0 is too small at first; this corrects it. The first step is 1."""
    corrected: Array = moment / (1 - decay**step)
    return corrected


def adam_direction(moments: Moments, step: int) -> Array:
    """The average gradient divided by its typical size, so that all numbers move at about the same
    speed.

    The epsilon is part of the algorithm: it bounds the step where all gradients were 0.
    """
    size = np.sqrt(correct_bias(moments.second, DECAY_SECOND, step)) + EPSILON
    scaled: Array = correct_bias(moments.first, DECAY_FIRST, step) / size
    return scaled


def adam_step(
    weights: Array, gradient: Array, moments: Moments, step: int, learning_rate: float
) -> tuple[Array, Moments]:
    """One step of Adam: the new weights and the new averages.

    >>> start = Moments(np.zeros(2), np.zeros(2))
    >>> adam_step(np.array([1.0, 1.0]), np.array([0.5, -8.0]), start, step=1,
    ...     learning_rate=0.1)[0].round(6).tolist()
    [0.9, 1.1]
    """
    moved = Moments(
        first_moment(moments.first, gradient), second_moment(moments.second, np.square(gradient))
    )
    return weights - learning_rate * adam_direction(moved, step), moved


def learning_rate_at(step: int, n_steps: int, learning_rate: float) -> float:
    """The schedule: constant for 70 % of the steps, then falling in a straight line to 2 %.

    >>> [round(learning_rate_at(step, 100, 1.0), 3) for step in (1, 70, 85, 100)]
    [1.0, 1.0, 0.51, 0.02]
    """
    fallen = max(0.0, (step - 0.7 * n_steps) / (0.3 * n_steps))
    return learning_rate * (1 - 0.98 * fallen)


ADAM = formulas_of("Adam")
