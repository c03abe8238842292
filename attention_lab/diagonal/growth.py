"""How self-attention grows with the number of features, measured on random tokens in chunks.

The exact curves are in `growth_curves`. At the end: the data of the charts, curves over many widths
and the experiments beside them.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from time import monotonic

import numpy as np

from attention_core.attention import scaled_dot_product_attention
from attention_core.checks import Array
from attention_core.initialisation import Stream
from attention_core.numbers import check_room

from ..cache import Cache, cached
from ..time_limit import check_seconds
from .growth_curves import argmax_rate_exact, self_mass_bound, self_mass_exact, self_mass_rule
from .measures import SelfAttention
from .metrics import argmax_rate, self_mass

CHUNK_NUMBERS = 2**18  # about 2 MB for a score array; larger chunks do not fit the cache
MAX_DRAWS = 100_000


@dataclass(frozen=True)
class Experiment:
    """Attention of Gaussian tokens that are drawn again and again.

    Without weights if d_k is 0. Otherwise tied, Q = K = X W, with a new Gaussian W (entries of
    variance 1/d_model) in each draw. (Tied orthonormal weights give the numbers of d_model = d_k
    without weights.) scale: of the scores; None is 1/√(width of a query), 1.0 leaves them unscaled.
    Raises: SettingsError for sizes beyond the bound of memory.
    """

    n_tokens: int = 16
    d_model: int = 16
    d_k: int = 0
    scale: float | None = None
    causal: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        check_room(n_tokens=self.n_tokens, keys=self.n_tokens)
        check_room(n_tokens=self.n_tokens, d_model=self.d_model)
        check_room(d_model=self.d_model, d_k=self.d_k)


@dataclass(frozen=True)
class Estimate:
    """Means over the draws so far, each with its standard error (infinite after one draw)."""

    draws: int
    self_mass: float
    self_mass_error: float
    argmax_rate: float
    argmax_rate_error: float

    @property
    def error(self) -> float:
        """The larger of the two standard errors."""
        return max(self.self_mass_error, self.argmax_rate_error)


def estimates(
    experiment: Experiment, *, error: float = 0.004, at_least: int = 32, at_most: int = MAX_DRAWS
) -> Iterator[Estimate]:
    """Better and better estimates of self-attention mass and argmax rate, one for each chunk.

    Ends when both standard errors are at most `error` (after at_least draws), or after at_most
    draws. Raises: SettingsError for a run that would take too long.

    >>> *_, last = estimates(Experiment(n_tokens=2, d_model=64), error=0.01)
    >>> last.argmax_rate
    1.0
    """
    # The rows of a draw are nearly independent: N tokens bring the error of a share down to 1/2 by
    # the root of N draws.
    needed = 0.25 / experiment.n_tokens / (error * error) if error * error else math.inf
    seconds = min(at_most, max(at_least, needed)) * expected_draw_seconds(experiment)
    check_seconds(seconds, "choose fewer tokens, features or draws, or a larger error")
    draws, totals, squares = 0, np.zeros(2), np.zeros(2)
    for measured_2X in _chunks(experiment, at_most):
        draws += measured_2X.shape[1]
        totals += measured_2X.sum(axis=1)
        squares += (measured_2X**2).sum(axis=1)
        estimate = _estimate(draws, totals, squares)
        yield estimate
        if draws >= at_least and estimate.error <= error:
            return


def expected_draw_seconds(experiment: Experiment) -> float:
    """The approximate time of one draw on one core: its numbers and its matrix products."""
    e = experiment
    weights = e.d_model * e.d_k
    numbers = e.n_tokens * e.d_model + weights + e.n_tokens**2
    products = e.n_tokens * (e.n_tokens * (e.d_k or e.d_model) + weights)
    return 2e-6 + 2e-8 * numbers + 1e-10 * products


def _chunks(experiment: Experiment, at_most: int) -> Iterator[Array]:
    """Self-attention mass and argmax rate of each draw. Shapes: (2, draws of the chunk)."""
    e = experiment
    # Tokens and weights have a stream of numbers each, so that the result does not depend on the
    # size of the chunks; every choice of sizes has its own, so that the errors of neighbouring
    # points are independent.
    tokens, weights = (
        np.random.default_rng([e.seed, e.n_tokens, e.d_model, e.d_k, stream])
        for stream in (Stream.MEASURED_TOKENS, Stream.MEASURED_WEIGHTS)
    )
    size = max(1, CHUNK_NUMBERS // (e.n_tokens * max(e.n_tokens, e.d_model) + e.d_model * e.d_k))
    for first in range(0, at_most, size):
        n_draws = min(size, at_most - first)
        query_XTK = tokens.standard_normal((n_draws, e.n_tokens, e.d_model))
        if e.d_k:
            drawn_XDK = weights.standard_normal((n_draws, e.d_model, e.d_k))
            query_XTK = query_XTK @ (drawn_XDK / math.sqrt(e.d_model))
        yield _measured(query_XTK, e)


def _measured(query_XTK: Array, experiment: Experiment) -> Array:
    """Self-attention mass and argmax rate of queries that are also the keys. Shapes: (X, T, K) ->
    (2, X).
    """
    query_X1TK = query_XTK[:, np.newaxis]
    # The outputs are not used, so the values are as narrow as possible.
    values_X1T1 = np.zeros((*query_X1TK.shape[:3], 1))
    heads = scaled_dot_product_attention(
        query_X1TK, query_X1TK, values_X1T1, scale=experiment.scale, causal=experiment.causal
    )
    square = SelfAttention(heads.masked_scores[:, 0], heads.probabilities[:, 0])
    return np.stack([self_mass(square), argmax_rate(square)])


def _estimate(draws: int, totals_2: Array, squares_2: Array) -> Estimate:
    mean_2, error_2 = totals_2 / draws, np.full(2, math.inf)
    if draws > 1:
        variance_2 = np.maximum(squares_2 - draws * mean_2**2, 0.0) / (draws - 1)
        error_2 = np.sqrt(variance_2 / draws)
    (mass, argmax), (mass_error, argmax_error) = mean_2.tolist(), error_2.tolist()
    return Estimate(draws, mass, mass_error, argmax, argmax_error)


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

    def over_widths(height: Callable[..., float], **more: float | None) -> tuple[float, ...]:
        return tuple(height(n_tokens, width, causal=causal, **more) for width in CURVE_WIDTHS)

    scale = None if scaled else 1.0
    seen_T = np.arange(1, n_tokens + 1) if causal else np.array([n_tokens])
    return Curves(
        over_widths(self_mass_exact, scale=scale),
        over_widths(self_mass_bound, scale=scale),
        over_widths(self_mass_rule, scale=scale),
        over_widths(argmax_rate_exact),
        float((1 / seen_T).mean()),
    )


@dataclass
class _Measured:
    """One point, whose estimate gets better whenever somebody waits for it."""

    chunks: Iterator[Estimate]
    latest: Estimate | None = None
    done: bool = False


# Equal experiments give equal numbers, so all visitors share them.
_kept: Cache[tuple[Experiment, float], _Measured] = Cache()


@dataclass(frozen=True)
class Measurements:
    """The points of a chart, by number of tokens and width."""

    places: dict[tuple[int, int], _Measured]

    @property
    def points(self) -> dict[tuple[int, int], Estimate]:
        """The points that have been measured."""
        return {place: one.latest for place, one in self.places.items() if one.done and one.latest}

    @property
    def missing(self) -> int:
        """How many points are still to be measured."""
        return len(self.places) - len(self.points)

    def measure(self, seconds: float) -> None:
        """Measure points that are missing for some seconds. Raises: SettingsError for a run that
        would take too long.
        """
        end = monotonic() + seconds
        for one in self.places.values():
            while not one.done and monotonic() <= end:
                latest = next(one.chunks, None)
                one.latest, one.done = latest or one.latest, latest is None


def measurements(growth: Growth, counts: Sequence[int], error: float) -> Measurements:
    """The points of a chart, as far as anybody has measured them, with standard errors of at most
    `error`.
    """
    places = {}
    for place in product(counts, growth.widths):
        key = growth.experiment(*place), error
        known = _kept.get(key)
        places[place] = known or _kept.add(key, _Measured(estimates(key[0], error=error)))
    return Measurements(places)
