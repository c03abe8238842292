"""What training makes small: three losses with their gradients, one function per formula.

Shapes of all of them: target (B, T, P, F), P parts of F features; output the same numbers with the parts joined,
(B, T, P*F); gradients are shaped like the output. The cross-entropy and the relative error read a part of the output
as logits of F choices, of which the target marks one with 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..checks import Array
from ..formulas import softmax
from .formula import Formula


def squared_error(output: Array, target: Array) -> float:
    """The square of every miss, averaged."""
    miss_BTPF = output.reshape(target.shape) - target
    return float(np.vdot(miss_BTPF, miss_BTPF)) / target.size


def squared_error_gradient(output: Array, target: Array) -> Array:
    """Every number should move against its own miss."""
    gradient: Array = (output - target.reshape(output.shape)) * (2 / target.size)
    return gradient


def cross_entropy(output: Array, target: Array) -> float:
    """Minus the logarithm of the probability given to the right choice, averaged; in nats.

    Computed from the logits, so that a probability of 0 costs a finite number.
    """
    logits_BTPF = output.reshape(target.shape)
    shifted_BTPF = logits_BTPF - logits_BTPF.max(axis=-1, keepdims=True)
    log_total_BTP = np.log(np.exp(shifted_BTPF).sum(axis=-1))
    n_choices = target.size // target.shape[-1]
    right = float(np.vdot(shifted_BTPF, target))
    return (float(log_total_BTP.sum()) - right) / int(n_choices)


def cross_entropy_gradient(output: Array, target: Array) -> Array:
    """Logits should move by what the probabilities lack of the target."""
    n_choices = target.size // target.shape[-1]
    gradient: Array = (softmax(output.reshape(target.shape)) - target) / n_choices
    return gradient.reshape(output.shape)


def relative_error(output: Array, target: Array) -> float:
    """The distance of all probabilities from the target, as a share of the target's own length.

    0 for a perfect guess, √1.8 = 1.34 when one class is named with certainty for all of ten.
    Source: GeometricMachineLearning.jl, FeedForwardLoss.
    """
    return float(np.linalg.norm(softmax(output.reshape(target.shape)) - target) / np.linalg.norm(target))


def relative_error_gradient(output: Array, target: Array) -> Array:
    """The direction of the miss, back through the softmax: nothing where the softmax is saturated."""
    share_BTPF = softmax(output.reshape(target.shape))
    miss_BTPF = share_BTPF - target
    distance = float(np.linalg.norm(miss_BTPF))
    if distance == 0:
        return np.zeros_like(output)
    wanted_BTPF = miss_BTPF / (distance * float(np.linalg.norm(target)))
    gradient: Array = share_BTPF * (wanted_BTPF - (share_BTPF * wanted_BTPF).sum(axis=-1, keepdims=True))
    return gradient.reshape(output.shape)


@dataclass(frozen=True)
class Loss:
    """A loss and its gradient with respect to the output."""

    value: Formula
    gradient: Formula


LOSSES = {
    "squared error": Loss(
        Formula(
            "Mean squared error",
            r"L = \frac1n \sum (Y - Z)^2",
            "The square of every miss, averaged.",
            squared_error,
        ),
        Formula(
            "its gradient",
            r"\nabla_Y = \frac2n (Y - Z)",
            "Every number should move against its own miss.",
            squared_error_gradient,
        ),
    ),
    "cross-entropy": Loss(
        Formula(
            "Cross-entropy",
            r"L = -\frac1n \sum \ln p_{\text{right}}, \quad p = \mathrm{softmax}(Y)",
            "Minus the logarithm of the probability given to the right choice, averaged.",
            cross_entropy,
        ),
        Formula(
            "its gradient",
            r"\nabla_Y = \frac1n (p - Z)",
            "Logits should move by what the probabilities lack of the target.",
            cross_entropy_gradient,
        ),
    ),
    "relative error": Loss(
        Formula(
            "Relative error",
            r"L = \frac{\lVert p - Z \rVert}{\lVert Z \rVert}, \quad p = \mathrm{softmax}(Y)",
            "The distance of all probabilities from the target, as a share of the target's length.",
            relative_error,
        ),
        Formula(
            "its gradient",
            r"\nabla_Y = p \circ \bigl(g - (p \cdot g)\,\mathbf 1\bigr), \quad "
            r"g = \frac{p - Z}{\lVert p - Z \rVert\,\lVert Z \rVert}",
            "The direction of the miss, back through the softmax: nothing where the softmax is saturated.",
            relative_error_gradient,
        ),
    ),
}
