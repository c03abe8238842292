"""Stacks of attention layers: how fast their tokens become equal, what delays it, and how tokens
change on their way through the stacks worth comparing.

Source: Dong, Cordonnier and Loukas 2021: doubly exponentially fast without skip connections and
feed-forward parts.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from attention_core.attention import attend
from attention_core.checks import Array
from attention_core.numbers import check_range
from attention_core.projections import Projections

from ..cache import cached
from ..heads.number_range import scaled_to_one
from ..layer_norm import standardised
from ..time_limit import check_seconds
from ..words.embeddings import embed
from ..words.text import tokenize_at_most
from .measures import diagonal
from .token_matrices import MAX_TOKENS, gaussian_tokens

EQUAL_DISTANCE = 0.01  # below this the tokens count as equal
STACK_WEIGHTS = ("weightless", "random")


@dataclass(frozen=True)
class Stack:
    """A stack of layers of one kind.

    weights: weightless in one head, or `n_heads` random heads with W_O, new in each layer. gain: a
    factor on the output of attention. skip: adds the inputs of a layer to its output. layer_norm:
    normalises the output of a layer (post-LN). norm_before: normalises the input of attention, and
    not what the skip connection adds (pre-LN).
    """

    weights: str = "weightless"
    n_heads: int = 1
    n_layers: int = 24
    skip: bool = False
    gain: float = 1.0
    layer_norm: bool = False
    seed: int = 0
    norm_before: bool = False


@dataclass(frozen=True, eq=False)
class Level:
    """The tokens after some layers, and how different they are.

    Shapes: tokens (T, D). distance: from their mean, 0 (all tokens equal) to 1. self_mass: mean
    diagonal of the probabilities of the layer that follows, over its heads.
    """

    tokens: Array
    distance: float
    self_mass: float


def consensus_distance(x_XTD: Array) -> Array:
    """The distance of tokens from their mean: |X - mean| / |X|, 0 for equal tokens (also if all
    are 0).

    Shapes: (..., T, D) -> (...). Source: Dong, Cordonnier and Loukas 2021, equation 2 (there with
    other norms).

    >>> float(consensus_distance(np.array([[1.0, 2.0], [1.0, 2.0]])))
    0.0
    """
    x_XTD = scaled_to_one(x_XTD)
    rest_X = np.linalg.norm(x_XTD - x_XTD.mean(axis=-2, keepdims=True), axis=(-2, -1))
    size_X = np.linalg.norm(x_XTD, axis=(-2, -1))
    distance_X: Array = np.divide(rest_X, size_X, out=np.zeros_like(rest_X), where=size_X > 0)
    return distance_X


def levels(x_TD: Array, stack: Stack) -> Iterator[Level]:
    """The tokens before the first layer and after each: n_layers + 1 levels.

    Raises: SettingsError for numbers beyond the range of float, or a run that would take too long.
    """
    tokens_TD, seconds = x_TD, expected_depth_seconds(stack, *x_TD.shape)
    check_seconds(seconds, "choose fewer tokens, features or layers")
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
    """The approximate time of all levels on one core: of each layer a fixed cost, its scores and
    its matrix products.
    """
    scores = n_tokens**2 * (1e-8 * stack.n_heads + 2e-10 * d_model)
    return (stack.n_layers + 1) * (2e-4 + scores + d_model**2 * (2e-8 + 1e-9 * n_tokens))


def layer_weights(stack: Stack, layer: int, d_model: int) -> Projections:
    """The weights of one layer; every layer of a random stack has its own."""
    if stack.weights == "weightless":
        return Projections.weightless(d_model, stack.n_heads)
    seed = int(np.random.SeedSequence([stack.seed, layer]).generate_state(1)[0])
    return Projections.random(d_model, stack.n_heads, seed=seed)


def tokens_read_most(x_TD: Array) -> int:
    """How many different tokens are read most by some token, in a layer without weights.

    With skip connections and no LayerNorm, tokens grow until each row lies on its peak alone. Then
    tokens that read the same one keep their distance while their length doubles. So one token read
    most by all means that the distance from the mean halves with each layer.

    >>> tokens_read_most(np.array([[1.0, 1], [1, 2], [2, 1], [2, 2]]))
    1
    """
    scores_TT = x_TD @ x_TD.T
    return len(set(scores_TT.argmax(axis=-1).tolist()))


FOUR_TOKENS = np.array([[1.0, 1.0], [1.0, 2.0], [2.0, 1.0], [2.0, 2.0]])
N_SKIP_DRAWS = 20


@dataclass(frozen=True)
class SkipDraws:
    """Four random tokens of some width, drawn many times, after layers with skip connections and
    without weights. collapsed: draws whose tokens end nearer than 1 % to their mean. with_one_peak:
    draws whose tokens all read the same token most, in the end.
    """

    width: int
    draws: int
    collapsed: int
    with_one_peak: int
    both: int


@cached
def skip_draws(width: int, seed: int = 0) -> SkipDraws:
    """What becomes of four random tokens with skip connections, over consecutive seeds."""
    ends = [
        list(levels(gaussian_tokens(len(FOUR_TOKENS), width, seed + number), Stack(skip=True)))[-1]
        for number in range(N_SKIP_DRAWS)
    ]
    collapsed = [one.distance < EQUAL_DISTANCE for one in ends]
    one_peak = [tokens_read_most(one.tokens) == 1 for one in ends]
    both = sum(map(min, zip(collapsed, one_peak, strict=True)))
    return SkipDraws(width, len(ends), sum(collapsed), sum(one_peak), both)


def cubic_step(x_TD: Array, scale: float) -> Array:
    """One layer without weights on small deviations from the mean: e_i becomes Cov·e_i·scale.

    Shapes: (T, D) -> (T, D), the deviations after the layer. Exact to leading order: if all rows of
    A are nearly uniform, the differences of scores decide how far a token is from the mean. So a
    deviation of size ε becomes one of size ε³, and the exponent triples with each layer.
    """
    deviation_TD = x_TD - x_TD.mean(axis=0)
    covariance_DD = deviation_TD.T @ deviation_TD / len(x_TD)
    predicted_TD: Array = scale * deviation_TD @ covariance_DD
    return predicted_TD


def cubic_error(x_TD: Array) -> float:
    """The error of the cubic prediction for one layer without weights: |e' - predicted| / |e'|.

    In the Frobenius norm. It falls in proportion to the deviations (with their square if the mean
    is 0), and is 0 if nothing deviates. Shapes: (T, D).
    """
    trace = attend(x_TD, Projections.weightless(x_TD.shape[1]))
    after_TD = trace.output[0] - trace.output[0].mean(axis=0)
    size = float(np.linalg.norm(after_TD))
    return float(np.linalg.norm(after_TD - cubic_step(x_TD, trace.scale))) / size if size else 0.0


STACK_WIDTHS = (8, 16, 32, 64)
N_SAMPLES = 9  # seeds over which a median is taken
HALVED_GAIN = 0.5 * 0.5  # as if W_V and W_O were both half as large


@dataclass(frozen=True)
class Trajectory:
    """How different the tokens are before each layer, and how much each layer's tokens look at
    themselves.

    distances: of the tokens from their mean, 0 to 1. self_masses: of the layer that follows. Each
    holds one number for each of n_layers + 1 levels.
    """

    distances: tuple[float, ...]
    self_masses: tuple[float, ...]

    def layers_until(self, distance: float) -> int | None:
        """After how many layers the distance is first below a value; None if never.

        >>> Trajectory((0.9, 0.2, 0.01), (0.5, 0.5, 0.5)).layers_until(0.1)
        2
        """
        return next((layer for layer, d in enumerate(self.distances) if d < distance), None)


@cached
def trajectory(stack: Stack, d_model: int, text: str | None = None) -> Trajectory:
    """The trajectory of the words of a text, or of 16 Gaussian tokens without one. Raises:
    AttentionError.

    >>> trajectory(Stack(n_layers=2), 64).distances[0] > 0.9
    True
    """
    if text is None:
        x_TD = gaussian_tokens(16, d_model, stack.seed)
    else:
        x_TD = embed(tokenize_at_most(text, MAX_TOKENS).tokens, d_model, positions=False).words
    passed = list(levels(x_TD, stack))
    return Trajectory(
        tuple(level.distance for level in passed), tuple(level.self_mass for level in passed)
    )


@dataclass(frozen=True)
class TrajectorySample:
    """The trajectories of stacks that differ only in their seed; one where nothing is random."""

    trajectories: tuple[Trajectory, ...]

    @property
    def median(self) -> Trajectory:
        """The median of each number over the sample."""
        return self.quantile(0.5)

    def quantile(self, share: float) -> Trajectory:
        """The quantile of each number over the sample: 0 is the smallest, 1 the largest.

        >>> one, other = Trajectory((0.9,), (0.1,)), Trajectory((0.5,), (0.3,))
        >>> TrajectorySample((one, other)).quantile(1)
        Trajectory(distances=(0.9,), self_masses=(0.3,))
        """
        numbers = [(one.distances, one.self_masses) for one in self.trajectories]
        return Trajectory(*map(tuple, np.quantile(numbers, share, axis=0).tolist()))


def sample_trajectories(
    stack: Stack, d_model: int, text: str | None = None, n_samples: int = N_SAMPLES
) -> TrajectorySample:
    """The trajectories for consecutive seeds, the first of which is the stack's own.

    Layers without weights on the words of a text have nothing random: they give one trajectory.
    Raises: AttentionError.
    """
    if text is not None and stack.weights == "weightless":
        n_samples = 1
    stacks = (replace(stack, seed=stack.seed + number) for number in range(n_samples))
    return TrajectorySample(tuple(trajectory(one, d_model, text) for one in stacks))


def stack_variants(stack: Stack) -> dict[str, Stack]:
    """Stacks that differ in what delays or hastens the collapse, by name."""
    plain = Stack(n_layers=stack.n_layers, seed=stack.seed)
    heads = replace(plain, weights="random", n_heads=4)
    return {
        "weightless": plain,
        "with LayerNorm": replace(plain, layer_norm=True),
        "with skip": replace(plain, skip=True),
        "skip, LayerNorm after": replace(plain, skip=True, layer_norm=True),
        "skip, LayerNorm before": replace(plain, skip=True, norm_before=True),
        "4 random heads": heads,
        f"4 random heads, skip and gain {HALVED_GAIN}": replace(heads, skip=True, gain=HALVED_GAIN),
    }
