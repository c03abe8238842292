"""The kinds of weights, and the choices of weights.

A kind knows what it asks for, what it decides in the place of the controls, how it reads a sentence
and where its numbers come from. A new one is an entry of `WEIGHTS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from attention_core.checks import check_choice
from attention_core.initialisation import INITIALISATIONS
from attention_core.projections import Projections
from attention_core.trace import Trace

from . import by_hand
from .control import Control
from .size_choices import SizeChoices
from .trained import encoded_text, language_model, language_text
from .trained.allowed_models import ALLOWED, STORIES, AllowedModel
from .user_data.matrix_names import MAX_HEADS, MAX_TOKENS
from .user_data.user_matrices import check_beside_identities, check_beside_orthonormal
from .words.embeddings import Embedding, embed
from .words.text import Tokens, tokenize, tokenize_at_most

_OF_WORDS = ("positions", "embedding")
_HANDMADE_SIZES = " or ".join(
    f"embedding size {width} and {count} heads" for width, count in by_hand.HANDMADE_LAYERS
)


@dataclass(frozen=True, eq=False)
class WeightKind:
    """A kind of weights. Methods get the choices of one sentence as they are run.

    name: as URLs and files have it. help: what it is, for the help of the control. caption: how a
    caption says it. asks: the choices without effect for other kinds. decides: the values of
    choices that it leaves no choice. check_beside: what must hold beside matrices of the user, with
    the sizes; raises ShapeError.
    """

    name: str
    help: str = ""
    caption: str = ""
    asks: tuple[str, ...] = ()
    decides: Mapping[str, Any] = field(default_factory=dict)
    check_beside: Callable[..., None] = field(default=lambda *_, **__: None, kw_only=True)

    @property
    def is_drawn(self) -> bool:
        """Whether a seed decides the weights, so that they mean nothing."""
        return "seed" in self.asks

    @property
    def leaves_widths(self) -> bool:
        """Whether the widths of a head can be chosen."""
        return "d_k" not in self.decides

    @property
    def writes(self) -> bool:
        """Whether the weights are those of a language model, which says what comes next."""
        return self.name == LANGUAGE_MODEL.name

    def tokens(self, chosen: SizeChoices) -> Tokens:
        """The tokens of the sentence, at most `MAX_TOKENS`. Raises: AttentionError."""
        if chosen.n_tokens:
            return tokenize(chosen.text, piece=chosen.piece, n_tokens=chosen.n_tokens)
        return tokenize_at_most(chosen.text, MAX_TOKENS, piece=chosen.piece)

    def embedding(self, chosen: WeightChoices) -> Embedding:
        """The vectors of the tokens. Raises: AttentionError."""
        tokens = self.tokens(chosen).tokens
        return embed(tokens, chosen.d_model, kind=chosen.embedding, positions=chosen.positions)

    def projections(self, chosen: WeightChoices) -> Projections:
        """The weights. Raises: SettingsError for a name that no kind has."""
        check_choice("weights", self.name, WEIGHTS)
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class DrawnWeights(WeightKind):
    """Weights that the sizes, and mostly a seed, decide. draw: makes them."""

    draw: Callable[[WeightChoices], Projections] = field(kw_only=True)

    def projections(self, chosen: WeightChoices) -> Projections:
        """See `WeightKind`."""
        return self.draw(chosen)


class WeightsByHand(WeightKind):
    """Weights made by hand, at the sizes that they are made for."""

    def tokens(self, chosen: SizeChoices) -> Tokens:
        """See `WeightKind`."""
        tokens = super().tokens(chosen)
        return replace(tokens, notes=tokens.notes + by_hand.position_notes(len(tokens.tokens)))

    def embedding(self, chosen: WeightChoices) -> Embedding:
        """Named features. See `WeightKind`."""
        return by_hand.named_vectors(self.tokens(chosen).tokens, self.layer(chosen))

    def projections(self, chosen: WeightChoices) -> Projections:
        """See `WeightKind`."""
        return by_hand.handmade_projections(self.layer(chosen))

    def layer(self, chosen: SizeChoices) -> by_hand.HandmadeLayer:
        """The layer that is made for the sizes, which must be those of one."""
        return by_hand.HANDMADE_LAYERS[chosen.d_model, chosen.n_heads]

    def fits(self, chosen: SizeChoices) -> bool:
        """Whether the sizes are those of a layer made by hand."""
        widths = {chosen.d_k, chosen.d_v} <= {0, by_hand.HEAD_WIDTH}
        fits = widths and chosen.d_o in (0, chosen.d_model)
        return fits and (chosen.d_model, chosen.n_heads) in by_hand.HANDMADE_LAYERS


@dataclass(frozen=True, eq=False)
class ModelWeights(WeightKind):
    """A layer of a trained model, on the output of the layers before it.

    n_layers: of the model. first_layer: one that is worth a look. key_columns: of W_K and W_V.
    read, run: the tokens of a text cut or filled to a length, and the trace of one layer on them.
    is_causal: whether no token sees a later one. is_whole: whether the trace has all that the layer
    does, so that it need not be run again where nothing is chosen beside the layer. options: what a
    layer does besides its matrices, as options of `attend`, where choices do not say it. windows:
    how many tokens a query of each layer sees at most; empty for all.
    """

    n_layers: int = field(kw_only=True)
    first_layer: int = field(kw_only=True)
    key_columns: int = field(kw_only=True)
    read: Callable[[str, int], Tokens] = field(kw_only=True)
    run: Callable[[str, int, int], Trace] = field(kw_only=True)
    is_causal: bool = False
    is_whole: bool = False
    options: Callable[[int], dict[str, Any]] = lambda _: {}
    windows: Sequence[int | None] = ()

    def tokens(self, chosen: SizeChoices) -> Tokens:
        """See `WeightKind`."""
        return self.read(chosen.text, chosen.n_tokens)

    def embedding(self, chosen: WeightChoices) -> Embedding:
        """Without separate codes of positions. See `WeightKind`."""
        inputs_TD = self.trace(chosen).inputs[0]
        return Embedding(inputs_TD, np.zeros_like(inputs_TD), inputs_TD)

    def projections(self, chosen: WeightChoices) -> Projections:
        """See `WeightKind`."""
        return self.trace(chosen).projections

    def trace(self, chosen: WeightChoices) -> Trace:
        """The layer as it was trained. Raises: AttentionError."""
        return self.run(chosen.text, chosen.layer, chosen.n_tokens)


def _of_sizes(make: Callable[..., Projections], *asks: str) -> Callable[..., Projections]:
    """What draws weights of the sizes that are chosen, with the named choices."""

    def draw(chosen: WeightChoices) -> Projections:
        widths = {"d_k": chosen.d_k or None, "d_v": chosen.d_v or None, "d_out": chosen.d_o or None}
        named = {name: getattr(chosen, name) for name in asks}
        return make(chosen.d_model, chosen.n_heads, **named, **widths)

    return draw


def _opposite(*sizes: int, **about: Any) -> Projections:
    tied = Projections.tied(*sizes, **about)
    return replace(tied, w_k=-tied.w_q)


def _drawn(
    make: Callable[..., Projections], name: str, about: str, *asks: str, **more: Any
) -> DrawnWeights:
    caption, draw = f"{name} weights", _of_sizes(make, *asks)
    return DrawnWeights(name, about, caption, (*_OF_WORDS, *asks), draw=draw, **more)


_OF_MODELS = {"piece": 0, "d_k": 0, "d_v": 0, "d_o": 0}  # 0: of a head, embedding / heads
BY_HAND = WeightsByHand(
    "by hand",
    f"named features and heads that can be read, for {_HANDMADE_SIZES}",
    "weights made by hand",
    # They read whole words, and have position codes of their own.
    decides={"piece": 0, "embedding": "normal", "positions": True},
)
LANGUAGE_MODEL = ModelWeights(
    "language model",
    "a layer of a small model that writes children’s stories",
    "weights of the language model",
    ("layer", "model"),
    _OF_MODELS
    | {
        "d_model": language_model.D_MODEL,
        "n_heads": language_model.N_HEADS,
        "residual": False,  # it follows in the step of the next token
        "rotary": "neighbours",
        "base": 10_000.0,
        "start": 0,
    },
    n_layers=language_model.N_LAYERS,
    first_layer=language_model.N_LAYERS - 1,
    key_columns=language_model.N_KV_HEADS * language_model.HEAD_WIDTH,
    read=language_text.language_tokens,
    run=language_text.language_layer,
    is_causal=True,
    is_whole=True,
)


def _of_folder(name: str, model: AllowedModel) -> ModelWeights:
    """A language model from a folder, in the place of the one that comes with the app."""
    config, rotary = model.config, model.config.rotary
    widths = dict.fromkeys(("d_k", "d_v"), config.d_head)
    if config.d_head * config.n_heads == config.d_model:
        widths = {}
    sizes = {"d_model": config.d_model, "n_heads": config.n_heads}
    decides = {**LANGUAGE_MODEL.decides, **sizes, **widths}
    if rotary:
        decides |= {"rotary": rotary.pairs, "base": rotary.base}
    else:  # what a model does not have can be tried
        decides = {one: decides[one] for one in decides.keys() - {"rotary", "base", "start"}}
    if config.has_head_norm:
        decides["qk_norm"] = True
    return replace(
        LANGUAGE_MODEL,
        caption=f"weights of {name}",
        decides=decides,
        n_layers=config.n_layers,
        first_layer=config.n_layers - 1,
        key_columns=config.n_kv_heads * config.d_head,
        read=partial(language_text.language_tokens, model=name),
        run=partial(language_text.language_layer, model=name),
        options=partial(language_text.language_options, model=name),
        windows=config.windows,
    )


# The language models by the names by which they are chosen.
WRITERS = {STORIES: LANGUAGE_MODEL} | {name: _of_folder(name, one) for name, one in ALLOWED.items()}
TRAINED = ModelWeights(
    "trained",
    "a layer of all-MiniLM-L6-v2, which brings its own word pieces, vectors and sizes",
    "trained weights",
    ("layer",),
    _OF_MODELS | {"d_model": encoded_text.D_MODEL, "n_heads": encoded_text.N_HEADS},
    n_layers=encoded_text.N_LAYERS,
    first_layer=3,  # in its head 1 a pronoun attends to its noun
    key_columns=encoded_text.D_MODEL,
    read=encoded_text.pieces_of,
    run=encoded_text.trained_layer,
)
WEIGHTLESS = DrawnWeights(
    "weightless",
    "Q = K = V = X",
    "weightless",
    _OF_WORDS,
    {"output_matrix": "none", "d_k": 0, "d_v": 0, "d_o": 0},
    draw=lambda chosen: Projections.weightless(chosen.d_model, chosen.n_heads),
    check_beside=check_beside_identities,
)
RANDOM = _drawn(Projections.random, "random", "", "seed", "init")
ORTHONORMAL = _drawn(
    Projections.stiefel,
    "orthonormal",
    "each head's columns are",
    "seed",
    check_beside=check_beside_orthonormal,
)
WEIGHTS: Mapping[str, WeightKind] = {
    kind.name: kind
    for kind in (
        RANDOM,
        WEIGHTLESS,
        _drawn(Projections.tied, "tied", "W_K = W_Q", "seed", "init"),
        _drawn(_opposite, "opposite", "W_K = −W_Q", "seed", "init"),
        ORTHONORMAL,
        TRAINED,
        BY_HAND,
        LANGUAGE_MODEL,
    )
}
MODELS = {name: kind for name, kind in WEIGHTS.items() if isinstance(kind, ModelWeights)}


def _help() -> str:
    about = (f"{kind.name}: {kind.help}" if kind.help else kind.name for kind in WEIGHTS.values())
    return "; ".join(about) + "."


_EVERY_MODEL = (TRAINED, *WRITERS.values())
_MOST_LAYERS = max(model.n_layers for model in _EVERY_MODEL)
_MOST_HEADS = max(MAX_HEADS, *(model.decides["n_heads"] for model in _EVERY_MODEL))
_HEADS, _LACKS_HEAD = ("none", *map(str, range(_MOST_HEADS))), "without head {without}"
_DRAWN_FROM = tuple(INITIALISATIONS)
_of = partial(Control, group="Weights")


@dataclass(frozen=True)
class WeightChoices(SizeChoices):
    """layer: which layer of the model, where the weights are those of one. The layers before it run
    as they were trained; mask, scale and residual belong to this layer alone. without: the head
    that is switched off, "none" for none.
    """

    weights: str = _of(
        RANDOM.name,
        "Weights",
        options=tuple(WEIGHTS),
        compared=tuple(name for name in WEIGHTS if name not in MODELS),
        other=(RANDOM.name, WEIGHTLESS.name),
        told="{weights}",
    ).explained(_help())
    model: str = _of(
        STORIES,
        "Model that writes",
        options=tuple(WRITERS),
        group="Weights" if ALLOWED else "",
    ).explained(
        "The language model of this section and of the weights *language model*:"
        f" {STORIES} comes with the app, the others are from your own folder or folders."
    )
    layer: int = _of(
        0, "Layer of the model", (0, _MOST_LAYERS - 1), other=3, told="layer {layer}"
    ).explained(
        "Which of the model's layers, counted from 0: the trained model has"
        f" {TRAINED.n_layers}, the language model {LANGUAGE_MODEL.n_layers}"
        + "".join(f", {name} {one.config.n_layers}" for name, one in ALLOWED.items())
        + "."
    )
    without: str = _of(
        "none", "Head switched off", options=_HEADS, other=("0", "1"), caption=_LACKS_HEAD
    ).explained(
        "The rows of W_O that belong to this head are 0, so that it adds nothing to the output."
    )
    init: str = _of(
        "xavier", "Drawn from", options=_DRAWN_FROM, other="normal", caption="{init}"
    ).explained(
        "xavier: uniform ±√(6/(in+out)); normal: variance 1/in; small: spread 0.02; orthogonal: all"
        " singular values equal; integers: −1, 0, 1."
    )
    # The largest seed is the largest whole number a browser holds exactly.
    seed: int = _of(0, "Seed", (0, 2**53 - 1), other=1, told="seed {seed}").explained(
        "The same seed gives the same weights; another version of NumPy may draw others."
    )
    output_matrix: str = _of(
        "W_O", "Output matrix", options=("W_O", "none"), other="none", caption="no W_O"
    ).explained(
        "W_O: it mixes the heads. none: the heads side by side are the output, as in the manual of"
        " GeometricMachineLearning.jl."
    )
