"""Attention stacked upon attention: how fast the tokens become equal, and what delays it.

Source: Dong, Cordonnier and Loukas 2021: without skip connections and feed-forward parts, doubly
exponentially fast.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from attention_core.attention import attend
from attention_core.checks import (
    Array,
    as_stack,
    check_choice,
    check_switch,
    number_between,
    seed_number,
    whole_number,
)
from attention_core.limits import check_seconds
from attention_core.number_types import check_range
from attention_core.projections import Projections

from ..heads.measure_checks import unit_sized
from ..layer_norm import standardised
from .measures import diagonal

STACK_WEIGHTS = ("weightless", "random")
MAX_LAYERS = 64


@dataclass(frozen=True)
class Stack:
    """The same kind of layer again and again.

    weights: weightless in one head, or `n_heads` random ones with W_O, drawn afresh for each layer.
    gain: a factor on what attention adds. skip adds the layer's inputs. layer_norm normalises what
    comes out (post-LN), norm_before what attention reads (pre-LN), and not what the skip adds.
    Raises: SettingsError.
    """

    weights: str = "weightless"
    n_heads: int = 1
    n_layers: int = 24
    skip: bool = False
    gain: float = 1.0
    layer_norm: bool = False
    seed: int = 0
    norm_before: bool = False

    def __post_init__(self) -> None:
        check_choice("weights", self.weights, STACK_WEIGHTS)
        whole_number("n_heads", self.n_heads, 1)
        whole_number("n_layers", self.n_layers, 0, MAX_LAYERS)
        check_switch("skip", self.skip)
        check_switch("layer_norm", self.layer_norm)
        check_switch("norm_before", self.norm_before)
        number_between("gain", self.gain)
        seed_number(self.seed)


@dataclass(frozen=True, eq=False)
class Level:
    """The tokens after some layers, and how equal they are.

    Shapes: tokens (T, D). distance: to consensus, 0 (all tokens equal) to 1. self_mass: mean
    diagonal of the probabilities of the layer that follows, over its heads.
    """

    tokens: Array
    distance: float
    self_mass: float


def consensus_distance(x_XTD: Array) -> Array:
    """How far tokens are from all being their mean: |X - mean| / |X|, 0 for equal tokens (also when
    all are 0).

    Shapes: (..., T, D) -> (...). Source: Dong, Cordonnier and Loukas 2021, equation 2 (there with
    other norms).

    >>> float(consensus_distance(np.array([[1.0, 2.0], [1.0, 2.0]])))
    0.0
    """
    x_XTD = as_stack("x", x_XTD, 2)
    x_XTD = unit_sized("x", x_XTD)
    rest_X = np.linalg.norm(x_XTD - x_XTD.mean(axis=-2, keepdims=True), axis=(-2, -1))
    size_X = np.linalg.norm(x_XTD, axis=(-2, -1))
    distance_X: Array = np.divide(rest_X, size_X, out=np.zeros_like(rest_X), where=size_X > 0)
    return distance_X


def levels(x_TD: Array, stack: Stack) -> Iterator[Level]:
    """The tokens before the first layer, after it, after the second, and so on: n_layers + 1
    levels.

    Raises: SettingsError, ShapeError.
    """
    tokens_TD = as_stack("x", x_TD, 2, exactly=True)
    check_seconds(
        expected_depth_seconds(stack, *tokens_TD.shape), "choose fewer tokens, features or layers"
    )
    for layer in range(stack.n_layers + 1):
        read_TD = standardised(tokens_TD) if stack.norm_before else tokens_TD
        trace = attend(read_TD, layer_weights(stack, layer, tokens_TD.shape[-1]))
        self_mass = float(diagonal(trace.probabilities[0]).mean())
        yield Level(tokens_TD, float(consensus_distance(tokens_TD)), self_mass)
        with np.errstate(over="ignore"):
            mixed_TD = stack.gain * trace.output[0]
            tokens_TD = tokens_TD + mixed_TD if stack.skip else mixed_TD
        check_range(tokens_TD)
        tokens_TD = standardised(tokens_TD) if stack.layer_norm else tokens_TD


def expected_depth_seconds(stack: Stack, n_tokens: int, d_model: int) -> float:
    """About how long the levels take on one core: a fixed cost of a layer, its scores and its
    matrix products.
    """
    scores = n_tokens**2 * (1e-8 * stack.n_heads + 2e-10 * d_model)
    return (stack.n_layers + 1) * (2e-4 + scores + d_model**2 * (2e-8 + 1e-9 * n_tokens))


def layer_weights(stack: Stack, layer: int, d_model: int) -> Projections:
    """The weights of one layer; every layer of a random stack has its own. Raises:
    SettingsError.
    """
    if stack.weights == "weightless":
        return Projections.weightless(d_model, stack.n_heads)
    seed = int(
        np.random.SeedSequence([stack.seed, whole_number("layer", layer, 0)]).generate_state(1)[0]
    )
    return Projections.random(d_model, stack.n_heads, seed=seed)


def cubic_step(x_TD: Array, scale: float) -> Array:
    """What one weightless layer makes of small deviations from the mean: e_i becomes Cov·e_i·scale,
    a third power.

    Shapes: (T, D) -> (T, D), the deviations after the layer. Exact to leading order: where all rows
    of A are nearly uniform, a token moves from the mean only as far as its scores differ from those
    of the others. A deviation of size ε therefore becomes one of size ε³, and the exponent triples
    with each layer.
    """
    x_TD, scale = as_stack("x", x_TD, 2, exactly=True), number_between("scale", scale)
    with np.errstate(over="ignore", invalid="ignore"):
        deviation_TD = x_TD - x_TD.mean(axis=0)
        covariance_DD = deviation_TD.T @ deviation_TD / len(x_TD)
        predicted_TD: Array = scale * deviation_TD @ covariance_DD
    check_range(predicted_TD)
    return predicted_TD


def cubic_error(x_TD: Array) -> float:
    """How far the cubic prediction is from one weightless layer: |e' - predicted| / |e'|, in the
    Frobenius norm.

    It falls in proportion to the deviations (with their square when the mean is 0); 0 when nothing
    deviates.
    Shapes: (T, D).
    """
    x_TD = as_stack("x", x_TD, 2, exactly=True)
    trace = attend(x_TD, Projections.weightless(x_TD.shape[1]))
    after_TD = trace.output[0] - trace.output[0].mean(axis=0)
    size = float(np.linalg.norm(after_TD))
    return float(np.linalg.norm(after_TD - cubic_step(x_TD, trace.scale))) / size if size else 0.0
