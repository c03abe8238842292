"""What training makes small: three losses with their gradients, one function per formula.

Shapes of all of them: target (B, T, P, F), P parts of F features; output the same numbers with the
parts joined, (B, T, P*F); gradients are shaped like the output. The cross-entropy and the relative
error read a part of the output as logits of F choices, of which the target marks one with 1. They
raise a ShapeError where the two do not fit, and a SettingsError for what are no finite numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array, as_numbers, as_stack
from attention_core.errors import ShapeError
from attention_core.formulas import softmax
from attention_core.number_types import check_range

from .formula import Formula


def squared_error(output: Array, target: Array) -> float:
    """The square of every miss, averaged."""
    parts_BTPF, target = _parts(output, target)
    miss_BTPF = parts_BTPF - target
    total = np.vdot(miss_BTPF, miss_BTPF)
    check_range(total)
    return float(total) / target.size


def squared_error_gradient(output: Array, target: Array) -> Array:
    """Every number should move against its own miss."""
    parts_BTPF, target = _parts(output, target)
    gradient: Array = (parts_BTPF - target) * (2 / target.size)
    return _joined(gradient)


def cross_entropy(output: Array, target: Array) -> float:
    """Minus the logarithm of the probability given to the right choice, averaged; in nats.

    Computed from the logits, so that a probability of 0 costs a finite number.
    """
    logits_BTPF, target = _parts(output, target)
    shifted_BTPF = logits_BTPF - logits_BTPF.max(axis=-1, keepdims=True)
    log_total_BTP = np.log(np.exp(shifted_BTPF).sum(axis=-1))
    n_choices = target.size // target.shape[-1]
    right = float(np.vdot(shifted_BTPF, target))
    return (float(log_total_BTP.sum()) - right) / int(n_choices)


def cross_entropy_gradient(output: Array, target: Array) -> Array:
    """Logits should move by what the probabilities lack of the target."""
    logits_BTPF, target = _parts(output, target)
    n_choices = target.size // target.shape[-1]
    return _joined((softmax(logits_BTPF) - target) / n_choices)


def relative_error(output: Array, target: Array) -> float:
    """The distance of all probabilities from the target, as a share of the target's own length.

    0 for a perfect guess, √1.8 = 1.34 when one class is named with certainty for all of ten.
    Source: GeometricMachineLearning.jl, FeedForwardLoss.
    """
    logits_BTPF, target = _parts(output, target)
    return float(np.linalg.norm(softmax(logits_BTPF) - target) / np.linalg.norm(target))


def relative_error_gradient(output: Array, target: Array) -> Array:
    """The direction of the miss, back through the softmax: nothing where the softmax is
    saturated.
    """
    logits_BTPF, target = _parts(output, target)
    share_BTPF = softmax(logits_BTPF)
    miss_BTPF = share_BTPF - target
    distance = float(np.linalg.norm(miss_BTPF))
    if distance == 0:
        return _joined(np.zeros_like(logits_BTPF))
    wanted_BTPF = miss_BTPF / (distance * float(np.linalg.norm(target)))
    gradient: Array = share_BTPF * (
        wanted_BTPF - (share_BTPF * wanted_BTPF).sum(axis=-1, keepdims=True)
    )
    return _joined(gradient)


def _parts(output: Array, target: Array) -> tuple[Array, Array]:
    """The output cut into the parts of the target, and the target. Shapes: (B, T, P, F) twice."""
    output, target = as_numbers("output", output), as_stack("target", target, 4, exactly=True)
    if output.shape != _joined(target).shape:
        raise ShapeError(
            f"output has shape {output.shape} but must have {_joined(target).shape}, like the"
            " target"
        )
    return output.reshape(target.shape), target


def _joined(parts_BTPF: Array) -> Array:
    """The parts side by side. Shapes: (B, T, P, F) -> (B, T, P*F)."""
    return parts_BTPF.reshape(*parts_BTPF.shape[:2], -1)


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
            "The direction of the miss, back through the softmax: nothing where the softmax is"
            " saturated.",
            relative_error_gradient,
        ),
    ),
}
