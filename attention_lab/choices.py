"""The choices that decide the numbers, as plain values: what each may be, and which of them replace
others.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from attention_core.errors import AttentionError
from attention_core.initialisation import INITIALISATIONS

from . import by_hand
from .cache import cached
from .trained import encoded_text, language_model
from .user_data.edits import Edits
from .user_data.matrix_names import MAX_HEAD_WIDTH, MAX_HEADS, MAX_MATRIX_WIDTH, MAX_TOKENS
from .user_data.user_matrices import UserMatrices, check_beside_trained
from .words.embeddings import EMBEDDINGS

LANGUAGE_MODEL = "language model"
WEIGHT_KINDS = (
    *("random", "weightless", "tied", "opposite", "orthonormal", "trained", "by hand"),
    LANGUAGE_MODEL,
)
SEEDED_WEIGHTS = ("random", "tied", "opposite", "orthonormal")  # weights that a seed decides
# What a layer of a trained model decides in place of the controls: sizes, pieces, and what else the
# model was trained with.
MODEL_CHOICES: Mapping[str, Mapping[str, Any]] = {
    "trained": {
        "d_model": encoded_text.D_MODEL,
        "n_heads": encoded_text.N_HEADS,
        "d_k": encoded_text.D_MODEL // encoded_text.N_HEADS,
        "d_v": encoded_text.D_MODEL // encoded_text.N_HEADS,
        "d_o": 0,
        "piece": 0,
    },
    LANGUAGE_MODEL: {
        "d_model": language_model.D_MODEL,
        "n_heads": language_model.N_HEADS,
        "d_k": language_model.HEAD_WIDTH,
        "d_v": language_model.HEAD_WIDTH,
        "d_o": 0,
        "piece": 0,
        "residual": False,  # it follows in the step of the next token
        "rotary": "neighbours",
        "base": 10_000.0,
        "start": 0,
    },
}
# The columns of W_K and W_V of each model.
_KEY_COLUMNS = {
    "trained": encoded_text.D_MODEL,
    LANGUAGE_MODEL: language_model.N_KV_HEADS * language_model.HEAD_WIDTH,
}
# Weights made by hand read whole words, and have position codes of their own.
HANDMADE_CHOICES: Mapping[str, Any] = {"piece": 0, "embedding": "normal", "positions": True}
OUTPUT_MATRICES = ("W_O", "none")  # none: the heads are joined and not mixed
SCALINGS = ("on", "off", "custom")
ROTARY_KINDS = ("off", "neighbours", "halves")  # how features form the pairs that turn
MASK_KINDS = ("none", "causal", "padding", "window", "painted")
# The fields that are chosen from a list.
FIELD_CHOICES: Mapping[str, tuple[str, ...]] = {
    "embedding": EMBEDDINGS,
    "weights": WEIGHT_KINDS,
    "init": tuple(INITIALISATIONS),
    "without": ("none", *map(str, range(MAX_HEADS))),
    "output_matrix": OUTPUT_MATRICES,
    "scaling": SCALINGS,
    "mask": MASK_KINDS,
    "rotary": ROTARY_KINDS,
}
# The fields that are numbers.
FIELD_BOUNDS: Mapping[str, tuple[float, float]] = {
    "n_tokens": (0, MAX_TOKENS),
    "piece": (0, 12),
    "d_model": (1, MAX_MATRIX_WIDTH),
    "n_heads": (1, MAX_HEADS),
    "d_k": (0, MAX_HEAD_WIDTH),
    "d_v": (0, MAX_HEAD_WIDTH),
    "d_o": (0, MAX_HEAD_WIDTH),
    "layer": (0, max(encoded_text.N_LAYERS, language_model.N_LAYERS) - 1),
    "seed": (0, 2**53 - 1),  # the largest whole number a browser holds exactly
    "scale": (-100.0, 100.0),
    "window": (0, MAX_TOKENS),
    "start": (0, 1000),
    "gain": (0.0, 100.0),
    "sink_logit": (-100.0, 100.0),
    "cap": (0.1, 1000.0),
    "base": (1.0, 1e9),
}
MAX_TEXT_LENGTH = 1000  # characters


@dataclass(frozen=True)
class Scenario:
    """What the user chose.

    A size of 0 is decided elsewhere: n_tokens by the sentence (at most 64), d_k and d_v by
    D / heads, d_o by D; piece 0 means whole words.
    layer: which layer of the model, where weights are "trained" or "language model". The layers
    before it run as they were trained; mask, scale and residual belong to this layer alone.
    without: the head that is switched off, "none" for none. Weights "by hand" need their own sizes;
    at other sizes the weights are random, see `resolve`. edits and own are
    what `Edits.url_value` and `UserMatrices.url_value` return: texts that stand for numbers, "" for
    none. painted: what `mask_to_text` returns for the mask "painted"; "" hides nothing. batch:
    further sentences, one per line, see `attention_lab.sentences`. base: of the angles of rotary
    positions; start: the first position, for them; gain: of QK-norm, for every feature of queries
    and keys; cap: of the soft cap, which scaled scores come near to.
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
    without: str = "none"
    output_matrix: str = "W_O"
    scaling: str = "on"
    scale: float = 1.0
    mask: str = "none"
    window: int = 2
    residual: bool = False
    rotary: str = "off"
    base: float = 10_000.0
    start: int = 0
    qk_norm: bool = False
    gain: float = 1.0
    alibi: bool = False
    sink: bool = False
    sink_logit: float = 0.0
    softcap: bool = False
    cap: float = 5.0
    edits: str = ""
    own: str = ""
    painted: str = ""
    batch: str = ""


# The fields of what today's models add to the layer, with the values that leave it out.
MODERN_OFF: Mapping[str, Any] = {
    "rotary": "off",
    **dict.fromkeys(("qk_norm", "alibi", "sink", "softcap"), False),
}


def without_modern(scenario: Scenario) -> Scenario:
    """The scenario without rotary positions, QK-norm, ALiBi, sink and soft cap."""
    return replace(scenario, **MODERN_OFF)


def choices_of_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a scenario that switch on what a layer does besides its matrices; everything
    else of today's models is off.

    >>> choices_of_options({"sink": [0.5]})["sink"]
    True
    """
    found = dict(MODERN_OFF)
    if rotary := options.get("rotary"):
        found |= {"rotary": rotary.pairs, "base": rotary.base, "start": rotary.start}
    return found | {"qk_norm": "head_norm" in options, "sink": "sink" in options}


def options_on(scenario: Scenario) -> tuple[str, ...]:
    """What a scenario has that needs steps of its own: options of `attend`, and the language model
    around the layer.
    """
    is_language_model = scenario.weights == LANGUAGE_MODEL
    on = {
        "head_norm": scenario.qk_norm,
        "rotary": is_language_model or scenario.rotary != "off",
        LANGUAGE_MODEL: is_language_model,
    }
    return tuple(name for name, is_on in on.items() if is_on)


def edits_of(scenario: Scenario) -> Edits:
    """The user's edits. Raises: SettingsError."""
    return Edits.from_url(scenario.edits)


def user_matrices_of(scenario: Scenario) -> UserMatrices:
    """The user's own matrices. Raises: AttentionError."""
    return _matrices_from_url(scenario.own)


_matrices_from_url = cached(UserMatrices.from_url)


def resolve(scenario: Scenario) -> Scenario:
    """The scenario as it is run: with the sizes that a trained layer or the user's own matrices
    decide, and with random weights where those by hand do not fit.

    Raises: AttentionError.
    """
    if decided := MODEL_CHOICES.get(scenario.weights):
        own, width = user_matrices_of(scenario), decided["d_model"]
        check_beside_trained(own, width, _KEY_COLUMNS[scenario.weights])
        length = {} if own.x is None else {"n_tokens": len(own.x)}
        return _in_model(replace(scenario, **{**decided, **length}))
    if scenario.own:
        scenario = replace(scenario, **_sizes_of_matrices(scenario))
    if scenario.weights != "by hand":
        return scenario
    if has_handmade_sizes(scenario):
        return replace(scenario, **HANDMADE_CHOICES)
    return replace(scenario, weights="random")


def _in_model(scenario: Scenario) -> Scenario:
    """A language model looks at no later token, and has its own number of layers: beyond them the
    last one counts.
    """
    if scenario.weights != LANGUAGE_MODEL:
        return scenario
    mask = "causal" if scenario.mask in ("none", "padding") else scenario.mask
    return replace(scenario, mask=mask, layer=min(scenario.layer, language_model.N_LAYERS - 1))


def _sizes_of_matrices(scenario: Scenario) -> dict[str, Any]:
    """The sizes that the user's own matrices decide."""
    joined = scenario.weights == "weightless" or scenario.output_matrix == "none"
    free = scenario.weights != "weightless" and bool(scenario.d_v if joined else scenario.d_o)
    return user_matrices_of(scenario).sizes(scenario.n_heads, joined=joined, free=free)


def has_handmade_sizes(scenario: Scenario) -> bool:
    """Whether the sizes are those of a layer made by hand."""
    widths = {scenario.d_k, scenario.d_v} <= {0, by_hand.HEAD_WIDTH}
    fits = widths and scenario.d_o in (0, scenario.d_model)
    return fits and (scenario.d_model, scenario.n_heads) in by_hand.HANDMADE_LAYERS


def handmade_layer(scenario: Scenario) -> by_hand.HandmadeLayer:
    """The layer made by hand of a resolved scenario: its sizes decide which."""
    return by_hand.HANDMADE_LAYERS[scenario.d_model, scenario.n_heads]


def has_uneven_heads(scenario: Scenario) -> bool:
    """Whether heads do not divide the embedding size of a resolved scenario, and no width of a head
    is chosen.
    """
    has_widths = scenario.weights != "weightless" and (scenario.d_k or scenario.d_v)
    return bool(scenario.d_model % scenario.n_heads and not has_widths)


# The fields that decide how many heads a layer can have.
_DECIDE_HEADS = ("weights", "output_matrix", "d_model", "d_k", "d_v", "d_o", "own")


def fitting_heads(scenario: Scenario) -> tuple[int, ...]:
    """The numbers of heads with which the scenario makes a layer, all else as it is.

    >>> fitting_heads(Scenario(d_model=12)), len(fitting_heads(Scenario(d_model=12, d_k=5)))
    ((1, 2, 3, 4, 6, 12), 16)
    """
    return _fitting_heads(Scenario(**{name: getattr(scenario, name) for name in _DECIDE_HEADS}))


@cached
def _fitting_heads(scenario: Scenario) -> tuple[int, ...]:
    found = []
    for count in range(1, MAX_HEADS + 1):
        with suppress(AttentionError):
            if not has_uneven_heads(resolve(replace(scenario, n_heads=count))):
                found.append(count)
    return tuple(found)
