"""Everything that decides the numbers, as plain values; equal scenarios give the same `Trace`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attention_core.attention import attend
from attention_core.cache import cached
from attention_core.checks import Array, check_choice, whole_number
from attention_core.embeddings import Embedding, embed
from attention_core.masks import padding_mask, window_mask
from attention_core.projections import MATRICES, Projections
from attention_core.text import Tokens, tokenize, tokenize_at_most
from attention_core.trace import Trace

from . import by_hand
from .choices import BY_HAND as BY_HAND
from .choices import CHOICES as CHOICES
from .choices import DRAWN as DRAWN
from .choices import FIELD_BOUNDS as FIELD_BOUNDS
from .choices import MASK_KINDS as MASK_KINDS
from .choices import MAX_TEXT as MAX_TEXT
from .choices import OUTPUT_MATRICES as OUTPUT_MATRICES
from .choices import SCALINGS as SCALINGS
from .choices import TRAINED as TRAINED
from .choices import WEIGHT_KINDS as WEIGHT_KINDS
from .trained.encoded_text import D_MODEL, pieces_of, trained_layer
from .user_data.edits import Edits, apply
from .user_data.matrix_names import MAX_TOKENS
from .user_data.own_fit import check_beside_drawn, check_beside_trained, check_residual
from .user_data.own_matrices import OwnMatrices
from .user_data.painted import painted_mask


@dataclass(frozen=True)
class Scenario:
    """What the user chose. 0 means: n_tokens like the sentence (up to 64), piece whole words, d_k
    and d_v D / heads, d_o D.

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
    d_o: int = 0
    weights: str = "random"
    layer: int = 0
    init: str = "xavier"
    seed: int = 0
    output_matrix: str = "W_O"
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


_own_at = cached(OwnMatrices.at)


def settled(scenario: Scenario) -> Scenario:
    """The scenario as it is run: with the sizes that a trained layer, or the user's own matrices,
    decide in place of the controls, and with random weights where those by hand do not fit.

    Raises: AttentionError.
    """
    if scenario.weights == "trained":
        scenario = _with(scenario, TRAINED)
        check_beside_trained(own_of(scenario), D_MODEL)
    if scenario.own:
        scenario = _with(scenario, _own_sizes(scenario))
    if scenario.weights != "by hand":
        return scenario
    return _with(scenario, BY_HAND if fits_by_hand(scenario) else {"weights": "random"})


def _own_sizes(scenario: Scenario) -> dict[str, int]:
    """The sizes that the user's own matrices decide."""
    joined = scenario.weights == "weightless" or scenario.output_matrix == "none"
    free = scenario.weights != "weightless" and bool(scenario.d_v if joined else scenario.d_o)
    return own_of(scenario).sizes(scenario.n_heads, joined=joined, free=free)


def fits_by_hand(scenario: Scenario) -> bool:
    """Whether the sizes are those of the weights made by hand."""
    widths = {scenario.d_k, scenario.d_v} <= {0, by_hand.WIDTH}
    widths = widths and scenario.d_o in (0, by_hand.D_MODEL)
    return widths and (scenario.d_model, scenario.n_heads) == (by_hand.D_MODEL, by_hand.N_HEADS)


def _with(scenario: Scenario, decided: Mapping[str, Any]) -> Scenario:
    return replace(scenario, **decided)


@cached
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


@cached
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


@cached
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
        return _joined(scenario, _trained(scenario).projections, own)
    if own.weights.keys() >= set(MATRICES):
        return Projections(**own.weights, n_heads=scenario.n_heads)
    drawn = settled(scenario)
    sizes = (drawn.d_model, drawn.n_heads, drawn.d_k, drawn.d_v)
    check_beside_drawn(own, drawn.weights, *sizes)
    return _joined(scenario, _projections(drawn), own)


def _joined(scenario: Scenario, drawn: Projections, own: OwnMatrices) -> Projections:
    """The user's own matrices in their places; without W_O and its bias where none is asked for,
    but with the user's own.
    """
    if check_choice("output_matrix", scenario.output_matrix, OUTPUT_MATRICES) == "none":
        drawn = replace(drawn, w_o=None, b_o=None)
    return replace(drawn, **own.weights)


def _projections(scenario: Scenario) -> Projections:
    s = scenario
    widths: dict[str, Any] = {"d_k": s.d_k or None, "d_v": s.d_v or None, "d_out": s.d_o or None}
    check_choice("weights", s.weights, WEIGHT_KINDS)
    if s.weights == "by hand":
        return by_hand.hand_made()
    if s.weights == "random":
        return Projections.random(s.d_model, s.n_heads, seed=s.seed, init=s.init, **widths)
    if s.weights in ("tied", "opposite"):
        tied = Projections.tied(s.d_model, s.n_heads, seed=s.seed, init=s.init, **widths)
        return tied if s.weights == "tied" else replace(tied, w_k=-tied.w_q)
    if s.weights == "orthonormal":
        return Projections.stiefel(s.d_model, s.n_heads, seed=s.seed, **widths)
    return Projections.weightless(s.d_model, s.n_heads)


def _trained(scenario: Scenario) -> Trace:
    return trained_layer(scenario.text, scenario.layer, settled(scenario).n_tokens)


def _scale(scenario: Scenario) -> float | None:
    factors = {"on": None, "off": 1.0, "custom": scenario.scale}
    return factors[check_choice("scaling", scenario.scaling, SCALINGS)]


def _mask(scenario: Scenario) -> Array | None:
    check_choice("mask", scenario.mask, MASK_KINDS)
    tokens = tokens_of(scenario)
    if scenario.mask == "padding":
        return padding_mask([tokens.n_real], len(tokens.tokens))
    if scenario.mask == "window":
        width = whole_number("window", scenario.window, 0)
        return window_mask(len(tokens.tokens), len(tokens.tokens), left=width, right=width)
    if scenario.mask == "painted":
        return painted_mask(scenario.painted, len(tokens.tokens))
    return None
