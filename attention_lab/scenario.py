"""Everything that decides the numbers, as plain values; equal scenarios give the same `Trace`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from attention_core.attention import attend
from attention_core.cache import remembered
from attention_core.checks import Array, one_of, whole_number
from attention_core.embeddings import EMBEDDINGS, Embedding, embed
from attention_core.initialisation import INITIALISATIONS
from attention_core.masks import padding_mask, window_mask
from attention_core.projections import MATRICES, Projections
from attention_core.text import Tokens, tokenize, tokenize_at_most
from attention_core.trace import Trace

from . import by_hand
from .trained.encoded_text import D_MODEL, N_HEADS, N_LAYERS, pieces_of, trained_layer
from .user_data.edits import Edits, apply
from .user_data.matrix_names import (
    MAX_HEAD_WIDTH,
    MAX_HEADS,
    MAX_TOKENS,
    MAX_WIDTH,
)
from .user_data.own_fit import check_beside_drawn, check_beside_trained, check_residual
from .user_data.own_matrices import OwnMatrices
from .user_data.painted import painted_mask

WEIGHTS = ("random", "weightless", "tied", "orthonormal", "trained", "by hand")
DRAWN = ("random", "tied", "orthonormal")  # weights that a seed decides
# What a trained layer decides in place of the controls: its sizes, its own cutting of words, its
# own vectors.
TRAINED = {
    "d_model": D_MODEL,
    "n_heads": N_HEADS,
    "d_k": D_MODEL // N_HEADS,
    "d_v": D_MODEL // N_HEADS,
    "piece": 0,
}
# What weights made by hand decide: they read whole words and have places of their own.
BY_HAND = {"piece": 0, "embedding": "normal", "positions": True}
SCALINGS = ("on", "off", "custom")
MASKS = ("none", "causal", "padding", "window", "painted")
# What each field may be, besides switches and texts that stand for numbers.
CHOICES: Mapping[str, tuple[str, ...]] = {
    "embedding": EMBEDDINGS,
    "weights": WEIGHTS,
    "init": tuple(INITIALISATIONS),
    "scaling": SCALINGS,
    "mask": MASKS,
}
LIMITS: Mapping[str, tuple[float, float]] = {
    "n_tokens": (0, MAX_TOKENS),
    "piece": (0, 12),
    "d_model": (1, MAX_WIDTH),
    "n_heads": (1, MAX_HEADS),
    "d_k": (0, MAX_HEAD_WIDTH),
    "d_v": (0, MAX_HEAD_WIDTH),
    "layer": (0, N_LAYERS - 1),
    "seed": (0, 2**53 - 1),  # the largest whole number a browser holds exactly
    "scale": (-100.0, 100.0),
    "window": (0, MAX_TOKENS),
}
MAX_TEXT = 1000  # characters


@dataclass(frozen=True)
class Scenario:
    """What the user chose. 0 means: n_tokens like the sentence (up to 64), piece whole words, d_k
    and d_v D / heads.

    layer: which one of the trained model, where weights are "trained". The layers before it run as
    they were trained; mask, scale and residual are this layer's alone. Weights "by hand" need the
    sizes they were made for; at others the weights are random, see `settled`. edits and own are
    what `Edits.address` and `OwnMatrices.address` give: texts that stand for numbers, "" for none.
    painted: what `mask_to_text` gives of the mask "painted"; "" hides nothing.
    """

    text: str = "The animal did not cross the street because it was too tired"
    n_tokens: int = 0
    piece: int = 0
    embedding: str = "normal"
    positions: bool = True
    d_model: int = 16
    n_heads: int = 4
    d_k: int = 0
    d_v: int = 0
    weights: str = "random"
    layer: int = 0
    init: str = "xavier"
    seed: int = 0
    scaling: str = "on"
    scale: float = 1.0
    mask: str = "none"
    window: int = 2
    residual: bool = False
    edits: str = ""
    own: str = ""
    painted: str = ""


def edits_of(scenario: Scenario) -> Edits:
    """The user's edits. Raises: SettingsError."""
    return Edits.at(scenario.edits)


def own_of(scenario: Scenario) -> OwnMatrices:
    """The user's own matrices. Raises: AttentionError."""
    return _own_at(scenario.own)


_own_at = lru_cache(maxsize=8)(OwnMatrices.at)


def settled(scenario: Scenario) -> Scenario:
    """The scenario as it is run: with the sizes that a trained layer, or the user's own matrices,
    decide in place of the controls, and with random weights where those by hand do not fit.

    Raises: AttentionError.
    """
    if scenario.weights == "trained":
        scenario = _with(scenario, TRAINED)
        check_beside_trained(own_of(scenario), D_MODEL)
    if scenario.own:
        joined = scenario.weights == "weightless"
        scenario = _with(scenario, own_of(scenario).sizes(scenario.n_heads, joined=joined))
    if scenario.weights != "by hand":
        return scenario
    return _with(scenario, BY_HAND if fits_by_hand(scenario) else {"weights": "random"})


def fits_by_hand(scenario: Scenario) -> bool:
    """Whether the sizes are those of the weights made by hand."""
    widths = {scenario.d_k, scenario.d_v} <= {0, by_hand.WIDTH}
    return widths and (scenario.d_model, scenario.n_heads) == (by_hand.D_MODEL, by_hand.N_HEADS)


def _with(scenario: Scenario, decided: Mapping[str, Any]) -> Scenario:
    return replace(scenario, **decided)


@remembered(256)
def tokens_of(scenario: Scenario) -> Tokens:
    """The token sequence of a scenario; a fitting one ends at `MAX_TOKENS`. Raises: TextError,
    SettingsError.
    """
    scenario = settled(scenario)
    if scenario.weights == "trained":
        pieces = pieces_of(scenario.text, scenario.n_tokens)
        return Tokens(pieces.tokens, pieces.n_real, pieces.notes, pieces.n_left_out)
    if scenario.n_tokens:
        tokens = tokenize(scenario.text, piece=scenario.piece, n_tokens=scenario.n_tokens)
    else:
        tokens = tokenize_at_most(scenario.text, MAX_TOKENS, piece=scenario.piece)
    if scenario.weights != "by hand":
        return tokens
    return replace(tokens, notes=tokens.notes + by_hand.notes(len(tokens.tokens)))


@remembered(64)
def embedding_of(scenario: Scenario) -> Embedding:
    """The vectors of a scenario's tokens; those of a trained layer have no position codes of their
    own beside them, those of a layer made by hand are named features.

    Raises: TextError, SettingsError, FileError.
    """
    scenario = settled(scenario)
    if scenario.weights == "trained":
        inputs = _trained(scenario).inputs[0]
        return Embedding(inputs, np.zeros_like(inputs), inputs)
    tokens = tokens_of(scenario).tokens
    if scenario.weights == "by hand":
        return by_hand.named_vectors(tokens)
    return embed(tokens, scenario.d_model, kind=scenario.embedding, positions=scenario.positions)


@remembered(32)
def trace_of(scenario: Scenario) -> Trace:
    """The whole layer run on a scenario. Raises: AttentionError."""
    tokens = tokens_of(scenario).tokens
    own_x = own_of(scenario).x
    inputs = embedding_of(scenario).inputs if own_x is None else own_x
    inputs, projections = apply(edits_of(scenario), inputs, projections_of(scenario))
    check_residual(scenario.residual, inputs.shape[1], projections.d_out)
    trace = attend(
        inputs,
        projections,
        mask=_mask(scenario),
        causal=scenario.mask == "causal",
        scale=_scale(scenario),
        residual=scenario.residual,
    )
    return trace.labelled(tokens)


def projections_of(scenario: Scenario) -> Projections:
    """The weights a scenario asks for, the user's own in their places, without the edits.
    Raises: AttentionError.
    """
    own = own_of(scenario)
    if scenario.weights == "trained":
        return replace(_trained(scenario).projections, **own.weights)
    if own.weights.keys() >= set(MATRICES):
        return Projections(**own.weights, n_heads=scenario.n_heads)
    drawn = settled(scenario)
    sizes = (drawn.d_model, drawn.n_heads, drawn.d_k, drawn.d_v)
    check_beside_drawn(own, drawn.weights, *sizes)
    return replace(_projections(drawn), **own.weights)


def _projections(scenario: Scenario) -> Projections:
    s, d_k, d_v = scenario, scenario.d_k or None, scenario.d_v or None
    one_of("weights", s.weights, WEIGHTS)
    if s.weights == "by hand":
        return by_hand.hand_made()
    if s.weights == "random":
        return Projections.random(s.d_model, s.n_heads, d_k=d_k, d_v=d_v, seed=s.seed, init=s.init)
    if s.weights == "tied":
        return Projections.tied(s.d_model, s.n_heads, d_k=d_k, d_v=d_v, seed=s.seed, init=s.init)
    if s.weights == "orthonormal":
        return Projections.stiefel(s.d_model, s.n_heads, d_k=d_k, d_v=d_v, seed=s.seed)
    return Projections.weightless(s.d_model, s.n_heads)


def _trained(scenario: Scenario) -> Trace:
    return trained_layer(scenario.text, scenario.layer, settled(scenario).n_tokens)


def _scale(scenario: Scenario) -> float | None:
    factors = {"on": None, "off": 1.0, "custom": scenario.scale}
    return factors[one_of("scaling", scenario.scaling, SCALINGS)]


def _mask(scenario: Scenario) -> Array | None:
    one_of("mask", scenario.mask, MASKS)
    tokens = tokens_of(scenario)
    if scenario.mask == "padding":
        return padding_mask([tokens.n_real], len(tokens.tokens))
    if scenario.mask == "window":
        width = whole_number("window", scenario.window, 0)
        return window_mask(len(tokens.tokens), len(tokens.tokens), left=width, right=width)
    if scenario.mask == "painted":
        return painted_mask(scenario.painted, len(tokens.tokens))
    return None
