"""The choices of the pages on the diagonal: tokens, weights and options of one head. Equal settings
give the same `Trace`.

At the end: tokens worth looking at, each with what it shows (`assets/data/diagonal_examples.csv`).
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from attention_core.attention import attend
from attention_core.checks import Array
from attention_core.projections import Projections
from attention_core.trace import Trace

from ..cache import cached
from ..home import read_table
from ..layer_norm import standardised
from ..words.embeddings import embed, sinusoidal_positions
from ..words.text import tokenize_at_most
from .token_matrices import MAX_TOKENS, gaussian_tokens, parse_tokens, stretch

TOKEN_SOURCES = ("sentence", "drawn", "numbers")
DIAGONAL_WEIGHTS = ("weightless", "tied", "angle", "free", "orthonormal", "tied orthonormal")
POSITIONS = ("none", "added", "concatenated")


@dataclass(frozen=True)
class DiagonalSettings:
    """What was chosen on the pages on the diagonal, as plain values.

    tokens: the words of `text`, `n_tokens` drawn Gaussian vectors, or the typed `numbers` (which
    bring their own sizes). spread stretches the tokens, positions come after, layer_norm last. d_k
    0 means d_model. angle, in degrees, turns W_K from tied (0) through unrelated (90) to opposite
    (180). temperature divides the scaled scores; unscaled ones are divided by the temperature
    alone.
    """

    tokens: str = "sentence"
    text: str = "The animal did not cross the street because it was too tired"
    numbers: str = "1; 2; 3"
    n_tokens: int = 16
    d_model: int = 16
    seed: int = 0
    spread: float = 0.0
    positions: str = "none"
    layer_norm: bool = False
    weights: str = "weightless"
    angle: float = 0.0
    d_k: int = 0
    scaled: bool = True
    temperature: float = 1.0
    causal: bool = False


@cached
def trace_of_settings(settings: DiagonalSettings) -> Trace:
    """One head of attention with some settings. Raises: AttentionError."""
    labels, x_TD = tokens_of_settings(settings)
    projections = projections_of_settings(settings, x_TD.shape[1])
    width = projections.d_k if settings.scaled else 1
    scale = 1.0 / (settings.temperature * math.sqrt(width))
    return attend(x_TD, projections, scale=scale, causal=settings.causal).labelled(labels)


def tokens_of_settings(settings: DiagonalSettings) -> tuple[tuple[str, ...], Array]:
    """The tokens' labels, and the matrix that attention reads. Shapes: (T, D). Raises:
    AttentionError.
    """
    labels, words_TD = _words(settings)
    x_TD = _with_positions(settings.positions, stretch(words_TD, settings.spread, settings.seed))
    return labels, standardised(x_TD) if settings.layer_norm else x_TD


def projections_of_settings(settings: DiagonalSettings, d_model: int) -> Projections:
    """The weights for tokens of a given width. Raises: SettingsError."""
    d_k = settings.d_k or d_model
    if settings.weights == "weightless":
        return Projections.weightless(d_model)
    if settings.weights in ("orthonormal", "tied orthonormal"):
        stiefel = Projections.stiefel(d_model, 1, d_k=d_k, d_v=d_model, seed=settings.seed)
        return stiefel if settings.weights == "orthonormal" else replace(stiefel, w_k=stiefel.w_q)
    degrees = {"tied": 0.0, "angle": settings.angle, "free": 90.0}
    return at_angle(d_model, d_k, degrees[settings.weights], settings.seed)


def at_angle(d_model: int, d_k: int, degrees: float, seed: int = 0) -> Projections:
    """One head whose keys are turned away from its queries: W_K = cos t · W_Q + sin t · U, with U
    drawn afresh.

    0 degrees is tied, 90 unrelated, 180 opposite (W_K = -W_Q). Entries have variance 1/d_model.
    Raises: SettingsError.

    >>> weights = at_angle(4, 2, 180)
    >>> bool((weights.w_k == -weights.w_q).all())
    True
    """
    free = Projections.random(d_model, 1, d_k=d_k, d_v=d_model, seed=seed, init="normal")
    # In quarter turns, so that 90 and 180 degrees are exact.
    quarter, rest = divmod(degrees, 90.0)
    sine, cosine = math.sin(math.radians(rest)), math.cos(math.radians(rest))
    for _ in range(int(quarter) % 4):
        sine, cosine = cosine, -sine
    return replace(free, w_k=cosine * free.w_q + sine * free.w_k)


def _words(settings: DiagonalSettings) -> tuple[tuple[str, ...], Array]:
    if settings.tokens == "sentence":
        labels = tokenize_at_most(settings.text, MAX_TOKENS).tokens
        return labels, embed(labels, settings.d_model, positions=False).words
    if settings.tokens == "drawn":
        x_TD = gaussian_tokens(settings.n_tokens, settings.d_model, settings.seed)
    else:
        x_TD = parse_tokens(settings.numbers)
    return tuple(map(str, range(len(x_TD)))), x_TD


def _with_positions(positions: str, x_TD: Array) -> Array:
    if positions == "none":
        return x_TD
    code_TD = sinusoidal_positions(*x_TD.shape)
    return x_TD + code_TD if positions == "added" else np.hstack([x_TD, code_TD])


@dataclass(frozen=True)
class DiagonalPreset:
    """Settings with a name for the menu and a hint: what to look at."""

    name: str
    title: str
    hint: str
    settings: DiagonalSettings


def settings_of_numbers(numbers: str) -> DiagonalSettings:
    """Weightless attention over typed tokens."""
    return DiagonalSettings(tokens="numbers", numbers=numbers)


DIAGONAL_PRESETS = tuple(
    DiagonalPreset(settings=settings_of_numbers(row.pop("numbers")), **row)
    for row in read_table("diagonal_examples")
)
