"""Weightless attention with the best linear readout: how well a task can be done if attention
itself learns nothing.
"""

from __future__ import annotations

import numpy as np

from attention_core.attention import attend
from attention_core.checks import Array
from attention_core.projections import Projections

from .adam import Moments, adam_step
from .evaluation import Score, score_output
from .losses import cross_entropy_gradient
from .tasks import TRAINING_TASKS, Examples, TrainingTask, unseen_examples

# With 200 sequences the least-squares error is within half a percent of the best; the logistic
# readout needs more.
N_FIT, N_FIT_LOGISTIC = 200, 1200
N_LOGISTIC_STEPS = 150


def weightless_score(task: str, seed: int = 0) -> Score:
    """The score of Q = K = V = X with the best readout: least squares, or logistic regression for
    choices.

    The readout is fitted to sequences drawn from the seed. Source: slides on multi-head attention
    without weights.
    """
    return score_output(TRAINING_TASKS[task], weightless_output(task, seed))


def weightless_output(task: str, seed: int = 0) -> Array:
    """The output of Q = K = V = X with that readout on unseen sequences. Shapes: (400, T, P*F)."""
    training_task, readout, n_fit = TRAINING_TASKS[task], _least_squares_readout, N_FIT
    if training_task.by_accuracy:
        readout, n_fit = _logistic_readout, N_FIT_LOGISTIC
    weights_FO = readout(training_task, training_task.draw(np.random.default_rng(seed), n_fit))
    output_BTO: Array = _features(unseen_examples(task).inputs) @ weights_FO
    return output_BTO


def _features(inputs_BTD: Array) -> Array:
    """The output of weightless attention, and 1 for the bias. Shapes: (B, T, D) -> (B, T, D+1)."""
    mixed_BTD = attend(inputs_BTD, Projections.weightless(inputs_BTD.shape[2])).output
    return np.concatenate([mixed_BTD, np.ones((*mixed_BTD.shape[:2], 1))], axis=2)


def _least_squares_readout(task: TrainingTask, examples: Examples) -> Array:
    """The linear map from features to targets with the smallest squared error."""
    features_NF = _features(examples.inputs).reshape(-1, task.d_model + 1)
    targets_NO = examples.targets.reshape(len(features_NF), -1)
    weights_FO: Array = np.linalg.lstsq(features_NF, targets_NO, rcond=None)[0]
    return weights_FO


def _logistic_readout(task: TrainingTask, examples: Examples) -> Array:
    """The linear map from features to logits with the smallest cross-entropy, found by Adam; the
    problem is convex.
    """
    features_BTF = _features(examples.inputs)
    features_NF = features_BTF.reshape(-1, task.d_model + 1)
    weights_FO = np.zeros((features_NF.shape[1], task.d_out))
    moments = Moments(np.zeros_like(weights_FO), np.zeros_like(weights_FO))
    for step in range(1, N_LOGISTIC_STEPS + 1):
        logits_BTO = (features_NF @ weights_FO).reshape(*features_BTF.shape[:2], -1)
        gradient_BTO = cross_entropy_gradient(logits_BTO, examples.targets)
        gradient_FO = features_NF.T @ gradient_BTO.reshape(len(features_NF), -1)
        weights_FO, moments = adam_step(weights_FO, gradient_FO, moments, step, 0.1)
    return weights_FO
