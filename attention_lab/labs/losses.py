"""What training minimises: three losses with their gradients, one function per formula.

Shapes of all of them: target (B, T, P, F), P parts of F features; output (B, T, P*F), with the
parts side by side; gradients like the output. Cross-entropy and relative error read each part of
the output as logits of F choices; the target marks the right one with 1.
"""

from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array
from attention_core.formulas import softmax

from .formula import ComputedFormula, computed_formulas


def squared_error(output: Array, target: Array) -> float:
    """The mean of the squared errors."""
    error_BTPF = output.reshape(target.shape) - target
    return float(np.vdot(error_BTPF, error_BTPF)) / target.size


def squared_error_gradient(output: Array, target: Array) -> Array:
    """Every number should move against its own error."""
    gradient: Array = (output.reshape(target.shape) - target) * (2 / target.size)
    return _join_parts(gradient)


def cross_entropy(output: Array, target: Array) -> float:
    """The mean of minus the logarithm of the probability of the right choice, in nats.

    It is computed from the logits, so that it is finite even for a probability of 0.
    """
    logits_BTPF = output.reshape(target.shape)
    shifted_BTPF = logits_BTPF - logits_BTPF.max(axis=-1, keepdims=True)
    log_total_BTP = np.log(np.exp(shifted_BTPF).sum(axis=-1))
    n_choices = target.size // target.shape[-1]
    right = float(np.vdot(shifted_BTPF, target))
    return (float(log_total_BTP.sum()) - right) / int(n_choices)


def cross_entropy_gradient(output: Array, target: Array) -> Array:
    """Logits should move by the difference between target and probabilities."""
    logits_BTPF = output.reshape(target.shape)
    n_choices = target.size // target.shape[-1]
    return _join_parts((softmax(logits_BTPF) - target) / n_choices)


def relative_error(output: Array, target: Array) -> float:
    """The distance of all probabilities from the target, divided by the norm of the target.

    0 if all choices are right; √1.8 = 1.34 if one class is named with certainty for all of ten.
    Source: GeometricMachineLearning.jl, FeedForwardLoss.
    """
    probabilities_BTPF = softmax(output.reshape(target.shape))
    return float(np.linalg.norm(probabilities_BTPF - target) / np.linalg.norm(target))


def relative_error_gradient(output: Array, target: Array) -> Array:
    """The direction of the error, back through the softmax: 0 where the softmax is saturated."""
    p_BTPF = softmax(output.reshape(target.shape))
    error_BTPF = p_BTPF - target
    distance = float(np.linalg.norm(error_BTPF))
    if distance == 0:
        return np.zeros_like(output)
    g_BTPF = error_BTPF / (distance * float(np.linalg.norm(target)))
    gradient: Array = p_BTPF * (g_BTPF - (p_BTPF * g_BTPF).sum(axis=-1, keepdims=True))
    return _join_parts(gradient)


def _join_parts(parts_BTPF: Array) -> Array:
    """The parts side by side. Shapes: (B, T, P, F) -> (B, T, P*F)."""
    return parts_BTPF.reshape(*parts_BTPF.shape[:2], -1)


@dataclass(frozen=True)
class Loss:
    """A loss and its gradient with respect to the output."""

    value: ComputedFormula
    gradient: ComputedFormula


_VALUES = {
    "squared error": squared_error,
    "cross-entropy": cross_entropy,
    "relative error": relative_error,
}
_GRADIENTS = {
    "squared error": squared_error_gradient,
    "cross-entropy": cross_entropy_gradient,
    "relative error": relative_error_gradient,
}
_GRADIENT_FORMULAS = computed_formulas("gradient of a loss", _GRADIENTS)
LOSSES = {
    name: Loss(value, _GRADIENT_FORMULAS[name])
    for name, value in computed_formulas("loss", _VALUES).items()
}
