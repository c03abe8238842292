"""The data of the growth charts: curves over many widths, and the experiments beside them."""

from __future__ import annotations

from dataclasses import dataclass

from ..cache import cached
from .growth import Experiment
from .growth_curves import argmax_rate_exact, self_mass_bound, self_mass_exact, self_mass_rule

# Half octaves: enough for a smooth curve on a logarithmic axis.
CURVE_WIDTHS = (1, 2, 3, 4, 6, 8, 11, 16, 23, 32, 45, 64, 91, 128)
MEASURED_WIDTHS = (2, 4, 8, 16, 32, 64, 128)
TOKEN_COUNTS = (4, 16, 64, 256)
# Tied weights act on tokens of this width, with d_k up to it.
TIED_WIDTH = 32


@dataclass(frozen=True)
class Growth:
    """The choices of a growth chart. tied: with tied weights, against their width d_k; otherwise
    without weights, against the width of the tokens.
    """

    tied: bool = False
    scaled: bool = True
    causal: bool = False
    seed: int = 0

    @property
    def widths(self) -> tuple[int, ...]:
        """The widths that are measured on random tokens."""
        return tuple(width for width in MEASURED_WIDTHS if not self.tied or width <= TIED_WIDTH)

    def experiment(self, n_tokens: int, width: int) -> Experiment:
        """The experiment at one point of the chart.

        >>> Growth(tied=True).experiment(16, 8).d_model
        32
        """
        sizes = (TIED_WIDTH, width) if self.tied else (width, 0)
        return Experiment(n_tokens, *sizes, None if self.scaled else 1.0, self.causal, self.seed)


@dataclass(frozen=True)
class Curves:
    """Self-mass and argmax rate over the widths: exact, the lower bound, the one-line rule, and
    uniform attention.
    """

    widths: tuple[int, ...]
    self_mass: tuple[float, ...]
    bound: tuple[float, ...]
    rule: tuple[float, ...]
    argmax_rate: tuple[float, ...]
    uniform: float


@cached
def curves(n_tokens: int, *, scaled: bool = True, causal: bool = False) -> Curves:
    """The curves for Gaussian tokens without weights; for tied orthonormal weights the width is
    d_k.

    >>> round(curves(16).self_mass[5], 3), curves(4).uniform
    (0.423, 0.25)
    """
    scale = None if scaled else 1.0
    return Curves(
        CURVE_WIDTHS,
        tuple(
            self_mass_exact(n_tokens, width, scale=scale, causal=causal) for width in CURVE_WIDTHS
        ),
        tuple(
            self_mass_bound(n_tokens, width, scale=scale, causal=causal) for width in CURVE_WIDTHS
        ),
        tuple(
            self_mass_rule(n_tokens, width, scale=scale, causal=causal) for width in CURVE_WIDTHS
        ),
        tuple(argmax_rate_exact(n_tokens, width, causal=causal) for width in CURVE_WIDTHS),
        sum(1 / count for count in range(1, n_tokens + 1)) / n_tokens if causal else 1 / n_tokens,
    )
