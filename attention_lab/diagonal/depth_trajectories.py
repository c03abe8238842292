"""How tokens change on their way through a stack of layers, and the stacks worth comparing."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..cache import cached
from ..words.embeddings import embed
from ..words.text import tokenize_at_most
from .depth import Stack, levels
from .token_matrices import MAX_TOKENS, gaussian_tokens

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
        distances = np.quantile([one.distances for one in self.trajectories], share, axis=0)
        self_masses = np.quantile([one.self_masses for one in self.trajectories], share, axis=0)
        return Trajectory(tuple(distances.tolist()), tuple(self_masses.tolist()))


def sample_trajectories(
    stack: Stack, d_model: int, text: str | None = None, n_samples: int = N_SAMPLES
) -> TrajectorySample:
    """The trajectories for consecutive seeds, the first of which is the stack's own.

    Layers without weights on the words of a text have nothing random: they give one trajectory.
    Raises: AttentionError.
    """
    if text is not None and stack.weights == "weightless":
        n_samples = 1
    seeds = range(stack.seed, stack.seed + n_samples)
    return TrajectorySample(
        tuple(trajectory(replace(stack, seed=seed), d_model, text) for seed in seeds)
    )


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
