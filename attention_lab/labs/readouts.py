"""Weightless attention with the best linear readout: how well a task can be done if attention
itself learns nothing.
"""

import numpy as np

from attention_core.attention import attend
from attention_core.checks import Array
from attention_core.projections import Projections

from ..cache import cached
from .adam import Moments, adam_step
from .evaluation import Score, score_output
from .losses import cross_entropy_gradient
from .tasks import TRAINING_TASKS, TrainingTask, unseen_examples

# With 200 sequences the least-squares error is within half a percent of the best; the logistic
# readout needs more.
N_FIT, N_FIT_LOGISTIC = 200, 1200
N_LOGISTIC_STEPS = 150


@cached
def weightless_score(task: str, seed: int = 0, own: bool = True, by_squares: bool = False) -> Score:
    """The score of Q = K = V = X with the best readout: least squares, or logistic regression for
    choices.

    The readout is fitted to sequences drawn from the seed. own: whether a token sees itself.
    by_squares: least squares for choices, too, which takes a fiftieth of the time and names as many
    letters. Source: slides on multi-head attention without weights.
    """
    return score_output(TRAINING_TASKS[task], weightless_output(task, seed, own, by_squares))


def weightless_output(
    task: str, seed: int = 0, own: bool = True, by_squares: bool = False
) -> Array:
    """The output of Q = K = V = X with that readout on unseen sequences. Shapes: (400, T, P*F)."""
    training_task, readout, n_fit = TRAINING_TASKS[task], _least_squares_readout, N_FIT
    if training_task.by_accuracy and not by_squares:
        readout, n_fit = _logistic_readout, N_FIT_LOGISTIC
    examples = training_task.draw(np.random.default_rng(seed), n_fit)
    weights_FO = readout(training_task, _features(examples.inputs, own), examples.targets)
    output_BTO: Array = _features(unseen_examples(task).inputs, own) @ weights_FO
    return output_BTO


def _features(inputs_BTD: Array, own: bool) -> Array:
    """The output of weightless attention, and 1 for the bias. Shapes: (B, T, D) -> (B, T, D+1)."""
    n_tokens, width = inputs_BTD.shape[1:]
    mask = None if own else ~np.eye(n_tokens, dtype=bool)
    mixed_BTD = attend(inputs_BTD, Projections.weightless(width), mask=mask).output
    return np.concatenate([mixed_BTD, np.ones((*mixed_BTD.shape[:2], 1))], axis=2)


def _least_squares_readout(task: TrainingTask, features_BTF: Array, targets: Array) -> Array:
    """The linear map from features to targets with the smallest squared error."""
    features_NF = features_BTF.reshape(-1, task.d_model + 1)
    targets_NO = targets.reshape(len(features_NF), -1)
    weights_FO: Array = np.linalg.lstsq(features_NF, targets_NO, rcond=None)[0]
    return weights_FO


def _logistic_readout(task: TrainingTask, features_BTF: Array, targets: Array) -> Array:
    """The linear map from features to logits with the smallest cross-entropy, found by Adam; the
    problem is convex.
    """
    features_NF = features_BTF.reshape(-1, task.d_model + 1)
    weights_FO = np.zeros((features_NF.shape[1], task.d_out))
    moments = Moments(np.zeros_like(weights_FO), np.zeros_like(weights_FO))
    for step in range(1, N_LOGISTIC_STEPS + 1):
        logits_BTO = (features_NF @ weights_FO).reshape(*features_BTF.shape[:2], -1)
        gradient_BTO = cross_entropy_gradient(logits_BTO, targets)
        gradient_FO = features_NF.T @ gradient_BTO.reshape(len(features_NF), -1)
        weights_FO, moments = adam_step(weights_FO, gradient_FO, moments, step, 0.1)
    return weights_FO
