"""Attention without weights, given the best readout there is: what a task costs when nothing
can be learnt inside.
"""

from __future__ import annotations

import numpy as np

from attention_core.attention import attend
from attention_core.checks import Array, seed_number
from attention_core.projections import Projections

from .adam import Moments, adam_step
from .evaluation import Score, score_output
from .losses import cross_entropy_gradient
from .tasks import Examples, Task, task_named, unseen_examples

# 200 sequences leave the least-squares error within half a percent of its best; the logistic
# readout needs more.
N_FIT, N_FIT_LOGISTIC = 200, 1200
N_LOGISTIC_STEPS = 150


def weightless_score(task: str, seed: int = 0) -> Score:
    """How far Q = K = V = X gets with the best readout: least squares, or logistic regression for
    choices.

    Source: slides on multi-head attention without weights; the readout is fitted to sequences of
    the seed.
    Raises: SettingsError.
    """
    return score_output(task_named(task), weightless_output(task, seed))


def weightless_output(task: str, seed: int = 0) -> Array:
    """What Q = K = V = X with that readout says about the unseen sequences. Shapes: (400, T, P*F).

    Raises: SettingsError.
    """
    lesson = task_named(task)
    n_fit = N_FIT_LOGISTIC if lesson.by_accuracy else N_FIT
    examples = lesson.draw(np.random.default_rng(seed_number(seed)), n_fit)
    readout = _logistic_readout if lesson.by_accuracy else _least_squares_readout
    weights_FO = readout(lesson, examples)
    output_BTO: Array = _features(unseen_examples(task).inputs) @ weights_FO
    return output_BTO


def _features(inputs_BTD: Array) -> Array:
    """What weightless attention makes of the sequences, with a 1 for the bias. Shapes: (B, T,
    D) -> (B, T, D+1).
    """
    mixed_BTD = attend(inputs_BTD, Projections.weightless(inputs_BTD.shape[2])).output
    return np.concatenate([mixed_BTD, np.ones((*mixed_BTD.shape[:2], 1))], axis=2)


def _least_squares_readout(task: Task, examples: Examples) -> Array:
    """The linear map from features to targets with the smallest squared error."""
    features_NF = _features(examples.inputs).reshape(-1, task.d_model + 1)
    weights_FO: Array = np.linalg.lstsq(
        features_NF, examples.targets.reshape(len(features_NF), -1), rcond=None
    )[0]
    return weights_FO


def _logistic_readout(task: Task, examples: Examples) -> Array:
    """The linear map from features to logits with the smallest cross-entropy, found by Adam
    (the problem is convex).
    """
    features_BTF = _features(examples.inputs)
    features_NF = features_BTF.reshape(-1, task.d_model + 1)
    weights_FO = np.zeros((features_NF.shape[1], task.d_out))
    moments = Moments(np.zeros_like(weights_FO), np.zeros_like(weights_FO))
    for step in range(1, N_LOGISTIC_STEPS + 1):
        logits_BTO = (features_NF @ weights_FO).reshape(*features_BTF.shape[:2], -1)
        gradient_NO = cross_entropy_gradient(logits_BTO, examples.targets).reshape(
            len(features_NF), -1
        )
        weights_FO, moments = adam_step(weights_FO, features_NF.T @ gradient_NO, moments, step, 0.1)
    return weights_FO
