"""The choices that decide the numbers, as plain values, and what is decided in their place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from attention_core.cache import cached

from . import by_hand
from .choices import BY_HAND, TRAINED
from .trained.encoded_text import D_MODEL
from .user_data.edits import Edits
from .user_data.own_fit import check_beside_trained
from .user_data.own_matrices import OwnMatrices


@dataclass(frozen=True)
class Scenario:
    """What the user chose. 0 means: n_tokens like the sentence (up to 64), piece whole words, d_k
    and d_v D / heads, d_o D.

    layer: which one of the trained model, where weights are "trained". The layers before it run as
    they were trained; mask, scale and residual are this layer's alone. Weights "by hand" need the
    sizes they were made for; at others the weights are random, see `settled`. edits and own are
    what `Edits.address` and `OwnMatrices.address` give: texts that stand for numbers, "" for none.
    painted: what `mask_to_text` gives of the mask "painted"; "" hides nothing. batch: further
    sentences, one on each line, see `attention_lab.sentences`.
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
    batch: str = ""


def edits_of(scenario: Scenario) -> Edits:
    """The user's edits. Raises: SettingsError."""
    return Edits.from_url(scenario.edits)


def own_of(scenario: Scenario) -> OwnMatrices:
    """The user's own matrices. Raises: AttentionError."""
    return _own_at(scenario.own)


_own_at = cached(OwnMatrices.from_url)


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
