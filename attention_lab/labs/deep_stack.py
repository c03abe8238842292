"""Twelve layers of attention in four variants, where the manual of GeometricMachineLearning.jl
trains 16.

Each layer is attention without W_O and by default without residual connection, then x + tanh(x W +
b); the last token is classified. The variants differ only in the initial W_Q, W_K and W_V, and in
whether these stay orthonormal.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from attention_core.attention import attend
from attention_core.checks import Array
from attention_core.initialisation import orthonormal_columns, xavier
from attention_core.projections import Projections
from attention_core.trace import Trace

from . import gradients
from .adam import Moments, adam_step
from .backward import layer_gradients
from .losses import LOSSES
from .stack_settings import (
    N_CLASSES,
    STACK_VARIANTS,
    STACK_WIDTH,
    StackSettings,
    check_stack_settings,
    draw_textures,
)
from .stiefel_adam import first_moments, fused_matrix, head_matrices, stiefel_adam_step
from .tasks import UNSEEN_SEED
from .training import STEPS_PER_CHECKPOINT

Weights = dict[str, Array]
N_UNSEEN_PICTURES = 1000


@dataclass(frozen=True, eq=False)
class StackPass:
    """One forward pass of the stack.

    traces, tanh_outputs: of every layer; the latter (B, T, D). features: the output of the last
    layer (B, T, D). logits: of the ten classes, (B, 1, 10).
    """

    traces: tuple[Trace, ...]
    tanh_outputs: tuple[Array, ...]
    features: Array
    logits: Array


@dataclass(frozen=True, eq=False)
class StackCheckpoint:
    """A run after some steps. loss: the mean over the steps since the previous checkpoint.

    weights: w_q, w_k, w_v (layer, head, D, D/H), w_r (layer, D, D) and b_r of the tanh, and the
    classifier w_c.
    """

    settings: StackSettings
    step: int
    loss: float
    weights: Weights
    moments: dict[str, Moments]
    generator_state: Mapping[str, Any]


def train_stack(
    settings: StackSettings, start: StackCheckpoint | None = None
) -> Iterator[StackCheckpoint]:
    """The checkpoints of a run, every ten steps, each computed on demand.

    start: a checkpoint of the same settings from which the run continues. Raises: SettingsError for
    a run that would take longer than a minute.
    """
    check_stack_settings(settings)
    yield (point := start or first_stack(settings))
    while point.step < settings.last_step:
        yield (point := next_stack(point))


def first_stack(settings: StackSettings) -> StackCheckpoint:
    """The checkpoint at step 0: the initial weights of a variant."""
    rng = np.random.default_rng(settings.seed)
    n_layers, n_heads = settings.n_layers, settings.n_heads
    variant = STACK_VARIANTS[settings.variant]
    shape = (n_layers, n_heads, STACK_WIDTH, STACK_WIDTH // n_heads)
    weights = {
        name: _draw_heads(rng, shape, variant.orthonormal, variant.gain(n_heads))
        for name in ("w_q", "w_k", "w_v")
    }
    weights["w_r"] = np.stack([xavier(rng, STACK_WIDTH, STACK_WIDTH) for _ in range(n_layers)])
    weights["b_r"] = np.zeros((n_layers, STACK_WIDTH))
    weights["w_c"] = xavier(rng, STACK_WIDTH, N_CLASSES)
    moments = {
        name: (
            first_moments(array)
            if variant.constrained and array.ndim == 4
            else Moments(0 * array, 0 * array)
        )
        for name, array in weights.items()
    }
    state = rng.bit_generator.state
    inputs, target = draw_textures(rng, settings.batch)
    loss = LOSSES[settings.loss].value.compute(run_stack(settings, weights, inputs).logits, target)
    return StackCheckpoint(settings, 0, loss, weights, moments, state)


def next_stack(point: StackCheckpoint) -> StackCheckpoint:
    """The checkpoint ten steps later, or at the last step. Each step uses new pictures."""
    settings, rng = point.settings, np.random.default_rng(0)
    rng.bit_generator.state = point.generator_state
    weights, moments, losses = dict(point.weights), dict(point.moments), []
    loss = LOSSES[settings.loss]
    for number in range(
        point.step + 1, min(point.step + STEPS_PER_CHECKPOINT, settings.n_steps) + 1
    ):
        inputs, target = draw_textures(rng, settings.batch)
        forward = run_stack(settings, weights, inputs)
        losses.append(loss.value.compute(forward.logits, target))
        weight_gradients = stack_gradients(
            weights, forward, loss.gradient.compute(forward.logits, target)
        )
        for name in weights:
            constrained = STACK_VARIANTS[settings.variant].constrained and weights[name].ndim == 4
            take_step = stiefel_adam_step if constrained else adam_step
            weights[name], moments[name] = take_step(
                weights[name], weight_gradients[name], moments[name], number, settings.learning_rate
            )
    step = point.step + len(losses)
    return StackCheckpoint(
        settings, step, float(np.mean(losses)), weights, moments, rng.bit_generator.state
    )


def run_stack(settings: StackSettings, weights: Weights, inputs_BTD: Array) -> StackPass:
    """All layers, one after the other, then the classifier on the last token. The scores are
    divided by √D. Shapes: inputs (B, T, D).
    """
    w_q, w_k, w_v = (fused_matrix(weights[name]) for name in ("w_q", "w_k", "w_v"))
    traces, tanh_outputs, features_BTD = [], [], inputs_BTD
    for layer in range(settings.n_layers):
        projections = Projections(w_q[layer], w_k[layer], w_v[layer], n_heads=settings.n_heads)
        traces.append(
            attend(
                features_BTD,
                projections,
                scale=1 / math.sqrt(STACK_WIDTH),
                residual=settings.connection,
            )
        )
        tanh_outputs.append(
            np.tanh(traces[-1].output @ weights["w_r"][layer] + weights["b_r"][layer])
        )
        features_BTD = traces[-1].output + tanh_outputs[-1]
    return StackPass(
        tuple(traces), tuple(tanh_outputs), features_BTD, features_BTD[:, -1:] @ weights["w_c"]
    )


def stack_gradients(weights: Weights, forward: StackPass, logit_gradient: Array) -> Weights:
    """The gradients of all weights: back through the classifier, then layer by layer from the last
    to the first.

    Shapes: logit_gradient (B, 1, 10); the gradients have the shapes of the weights.
    """
    weight_gradients = {name: np.empty_like(array) for name, array in weights.items()}
    weight_gradients["w_c"] = gradients.weight_gradient(forward.features[:, -1:], logit_gradient)
    feature_gradient = np.zeros_like(forward.features)
    feature_gradient[:, -1:] = gradients.factor_gradient(logit_gradient, weights["w_c"])
    for layer in reversed(range(len(forward.traces))):
        trace, tanh_output = forward.traces[layer], forward.tanh_outputs[layer]
        before_tanh_gradient = tanh_gradient(tanh_output, feature_gradient)
        weight_gradients["w_r"][layer] = gradients.weight_gradient(
            trace.output, before_tanh_gradient
        )
        weight_gradients["b_r"][layer] = gradients.bias_gradient(before_tanh_gradient)
        back = layer_gradients(
            trace,
            feature_gradient
            + gradients.factor_gradient(before_tanh_gradient, weights["w_r"][layer]),
        )
        for name in ("w_q", "w_k", "w_v"):
            weight_gradients[name][layer] = head_matrices(back[name], trace.projections.n_heads)
        feature_gradient = back["inputs"]
    return weight_gradients


def tanh_gradient(tanh_output: Array, tanh_output_gradient: Array) -> Array:
    """The gradient passes tanh where it is steep and vanishes where it is flat: ∇ ∘ (1 - tanh²)."""
    gradient: Array = tanh_output_gradient * (1 - np.square(tanh_output))
    return gradient


def stack_accuracy(settings: StackSettings, weights: Weights) -> float:
    """The share of right classes on 1000 unseen pictures."""
    inputs, target = draw_textures(np.random.default_rng(UNSEEN_SEED), N_UNSEEN_PICTURES)
    class_B = run_stack(settings, weights, inputs).logits.argmax(axis=-1)[:, 0]
    return float((class_B == target.argmax(axis=-1)[:, 0, 0]).mean())


def activation_sizes(forward: StackPass) -> Array:
    """The root mean square of the input of each layer and of the output of the last one. Shapes:
    (layers + 1,).
    """
    sizes = [trace.inputs for trace in forward.traces] + [forward.features]
    return np.array([math.sqrt(float(np.square(array).mean())) for array in sizes])


def untrained_output_size(settings: StackSettings) -> float:
    """The root mean square of the output of the last layer of an untrained stack."""
    inputs_BTD, _ = draw_textures(np.random.default_rng(settings.seed), settings.batch)
    return float(
        activation_sizes(run_stack(settings, first_stack(settings).weights, inputs_BTD))[-1]
    )


def _draw_heads(
    rng: np.random.Generator, shape: tuple[int, ...], orthonormal: bool, gain: float
) -> Array:
    """One matrix per layer and head. Shapes: (layer, head, D, K)."""
    n_layers, n_heads, d_model, width = shape
    draw_one = orthonormal_columns if orthonormal else xavier
    return gain * np.stack(
        [draw_one(rng, d_model, width) for _ in range(n_layers * n_heads)]
    ).reshape(shape)
