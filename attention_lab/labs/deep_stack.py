"""Twelve layers of attention in four variants, where the manual of GeometricMachineLearning.jl
trains 16.

Each layer is attention without W_O and by default without residual connection, then x + tanh(x W +
b); the last token is classified. The variants differ only in the initial W_Q, W_K and W_V, and in
whether these stay orthonormal.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from attention_core.attention import attend
from attention_core.checks import Array
from attention_core.initialisation import orthonormal_columns, xavier
from attention_core.projections import Projections
from attention_core.trace import Trace

from ..time_limit import check_seconds
from . import gradients
from .backward import layer_gradients
from .checkpoints import Checkpoint, Weights, first_point, points_from
from .losses import LOSSES
from .stack_settings import (
    HEAD_WEIGHTS,
    N_CLASSES,
    STACK_VARIANTS,
    STACK_WIDTH,
    StackSettings,
    draw_textures,
    expected_stack_seconds,
)
from .stiefel_adam import fused_matrix, head_matrices
from .tasks import UNSEEN_SEED

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


def train_stack(settings: StackSettings, start: Checkpoint | None = None) -> Iterator[Checkpoint]:
    """The checkpoints of a run, every ten steps, each computed on demand.

    start: a checkpoint of the same settings from which the run continues. Raises: SettingsError for
    a run that would take longer than a minute.
    """
    remedy = "choose fewer steps, fewer layers or a smaller batch"
    check_seconds(expected_stack_seconds(settings), remedy)
    return points_from(start or first_stack(settings), partial(_learn, settings))


def first_stack(settings: StackSettings) -> Checkpoint:
    """The checkpoint at step 0: the initial weights of a variant: w_q, w_k, w_v (layer, head, D,
    D/H), w_r (layer, D, D) and b_r of the tanh, and the classifier w_c.
    """
    rng, width = np.random.default_rng(settings.seed), STACK_WIDTH
    n_layers, n_heads = settings.n_layers, settings.n_heads
    variant = STACK_VARIANTS[settings.variant]
    draw, d_k = orthonormal_columns if variant.orthonormal else xavier, width // n_heads
    weights = {}
    for name in HEAD_WEIGHTS:
        heads = np.stack([draw(rng, width, d_k) for _ in range(n_layers * n_heads)])
        weights[name] = variant.gain(n_heads) * heads.reshape(n_layers, n_heads, width, d_k)
    weights["w_r"] = np.stack([xavier(rng, width, width) for _ in range(n_layers)])
    weights["b_r"] = np.zeros((n_layers, width))
    weights["w_c"] = xavier(rng, width, N_CLASSES)
    return first_point(settings, weights, rng, partial(_learn, settings))


def _learn(
    settings: StackSettings, weights: Weights, rng: np.random.Generator
) -> tuple[float, Weights]:
    inputs, target = draw_textures(rng, settings.batch)
    forward, loss = run_stack(settings, weights, inputs), LOSSES[settings.loss]
    gradient = loss.gradient.compute(forward.logits, target)
    gradients = stack_gradients(weights, forward, gradient)
    return loss.value.compute(forward.logits, target), gradients


def run_stack(settings: StackSettings, weights: Weights, inputs_BTD: Array) -> StackPass:
    """All layers, one after the other, then the classifier on the last token. The scores are
    divided by √D. Shapes: inputs (B, T, D).
    """
    traces, tanh_outputs, features_BTD = [], [], inputs_BTD
    scale, residual = 1 / math.sqrt(STACK_WIDTH), settings.connection
    for layer in range(settings.n_layers):
        fused = (fused_matrix(weights[name][layer]) for name in HEAD_WEIGHTS)
        projections = Projections(*fused, n_heads=settings.n_heads)
        traces.append(attend(features_BTD, projections, scale=scale, residual=residual))
        bent = traces[-1].output @ weights["w_r"][layer] + weights["b_r"][layer]
        tanh_outputs.append(np.tanh(bent))
        features_BTD = traces[-1].output + tanh_outputs[-1]
    logits = features_BTD[:, -1:] @ weights["w_c"]
    return StackPass(tuple(traces), tuple(tanh_outputs), features_BTD, logits)


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
        bent = tanh_gradient(tanh_output, feature_gradient)
        weight_gradients["w_r"][layer] = gradients.weight_gradient(trace.output, bent)
        weight_gradients["b_r"][layer] = gradients.bias_gradient(bent)
        through_tanh = gradients.factor_gradient(bent, weights["w_r"][layer])
        back = layer_gradients(trace, feature_gradient + through_tanh)
        for name in HEAD_WEIGHTS:
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
    forward = run_stack(settings, first_stack(settings).weights, inputs_BTD)
    return float(activation_sizes(forward)[-1])
