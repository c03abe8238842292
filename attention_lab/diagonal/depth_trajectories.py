"""The way of tokens through a stack of layers as two rows of numbers, and the stacks worth
comparing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from attention_core.cache import cached
from attention_core.checks import number_between
from attention_core.embeddings import embed
from attention_core.text import tokenize_at_most

from .depth import Stack, levels
from .token_matrices import MAX_TOKENS, gaussian_tokens

WIDTHS = (8, 16, 32, 64)
DRAWS = 9  # how many seeds a median is taken over
HALVED_GAIN = 0.5 * 0.5  # what attention adds when W_V and W_O are both drawn half as large


@dataclass(frozen=True)
class Trajectory:
    """How equal the tokens are before each layer, and how much each layer's tokens look at
    themselves.

    distances: to consensus, 0 to 1; self_masses: of the layer that follows; one number for each of
    n_layers + 1 levels.
    """

    distances: tuple[float, ...]
    self_masses: tuple[float, ...]

    def layers_until(self, distance: float) -> int | None:
        """After how many layers the distance is first below a value; None if never.

        >>> Trajectory((0.9, 0.2, 0.01), (0.5, 0.5, 0.5)).layers_until(0.1)
        2
        """
        number_between("distance", distance)
        return next((layer for layer, d in enumerate(self.distances) if d < distance), None)


@cached
def course(stack: Stack, d_model: int, text: str | None = None, n_tokens: int = 16) -> Trajectory:
    """The course of the words of a text, or without one (None) of drawn Gaussian tokens. Raises:
    AttentionError.

    >>> course(Stack(n_layers=2), 64).distances[0] > 0.9
    True
    """
    if text is None:
        x_TD = gaussian_tokens(n_tokens, d_model, stack.seed)
    else:
        x_TD = embed(tokenize_at_most(text, MAX_TOKENS).tokens, d_model, positions=False).words
    passed = list(levels(x_TD, stack))
    return Trajectory(
        tuple(level.distance for level in passed), tuple(level.self_mass for level in passed)
    )


@dataclass(frozen=True)
class TrajectorySample:
    """The courses of stacks that differ in their seed alone; one where nothing is drawn."""

    courses: tuple[Trajectory, ...]

    @property
    def median(self) -> Trajectory:
        """The median of each number over the draws."""
        return self.quantile(0.5)

    def quantile(self, share: float) -> Trajectory:
        """The quantile of each number over the draws: 0 is the smallest, 1 the largest.

        >>> TrajectorySample((Trajectory((0.9,), (0.1,)), Trajectory((0.5,), (0.3,)))).quantile(1)
        Trajectory(distances=(0.9,), self_masses=(0.3,))
        """
        number_between("share", share, 0, 1)
        rows = ([one.distances for one in self.courses], [one.self_masses for one in self.courses])
        return Trajectory(
            *(
                tuple(float(number) for number in np.quantile(numbers, share, axis=0))
                for numbers in rows
            )
        )


def draws(
    stack: Stack, d_model: int, text: str | None = None, n_draws: int = DRAWS
) -> TrajectorySample:
    """The courses for so many seeds from the stack's own on; weightless layers on a text draw
    nothing.

    Raises: AttentionError.
    """
    seeds = range(
        stack.seed,
        stack.seed + (1 if text is not None and stack.weights == "weightless" else n_draws),
    )
    return TrajectorySample(
        tuple(course(replace(stack, seed=seed), d_model, text) for seed in seeds)
    )


def remedies(stack: Stack) -> dict[str, Stack]:
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
