"""A sentence in the trained encoder: all layers, one of them, and attention without weights."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from attention_core.attention import attend
from attention_core.checks import Array, check_text, whole_number
from attention_core.masks import padding_mask
from attention_core.projections import Projections
from attention_core.trace import Trace

from ..cache import cached
from ..user_data.matrix_names import MAX_TOKENS
from .attention_maps import AttentionMaps
from .encoder import Encoded, encode
from .minilm import load_minilm, word_vectors
from .wordpiece import Pieces

N_LAYERS, N_HEADS, D_MODEL = 6, 12, 384


@dataclass(frozen=True, eq=False)
class WeightlessAttention:
    """Attention without weights over vectors of one kind, and the numbers that explain it.

    length: the mean squared length of a vector divided by √D, which is its scaled score with
    itself. others: the mean scaled score with the other tokens. share: the mean share that a token
    gives itself.
    """

    name: str
    trace: Trace
    length: float
    others: float
    share: float

    @property
    def even_share(self) -> float:
        """The share that a token would give itself if it read all tokens equally: 1/T."""
        return 1 / len(self.trace.tokens)

    @property
    def share_if_alike(self) -> float:
        """The share that a token would give itself if its score were `length` with itself and
        `others` with each other token.
        """
        return 1 / (1 + (len(self.trace.tokens) - 1) * math.exp(self.others - self.length))

    def times_as_long(self, other: WeightlessAttention) -> float:
        """The length of these vectors divided by that of another kind; both root mean squares."""
        return math.sqrt(self.length / other.length)


@cached
def pieces_of(text: str, n_tokens: int = 0) -> Pieces:
    """The tokens of a text, cut or filled with [PAD] to n_tokens; 0 takes all, up to `MAX_TOKENS`.

    Raises: TextError, SettingsError, FileError.
    """
    check_text("text", text)
    whole_number("n_tokens", n_tokens, 0, MAX_TOKENS)
    return load_minilm().wordpiece.read(text, n_tokens or MAX_TOKENS, fill=n_tokens > 0)


@cached
def encoded(text: str, n_tokens: int = 0) -> Encoded:
    """All six layers of a text, with every `Trace` (64 tokens: 8 MB). No token attends to the [PAD]
    at the end.

    Raises: TextError, SettingsError, FileError.
    """
    pieces, model = pieces_of(text, n_tokens), load_minilm()
    n_all = len(pieces.tokens)
    mask = padding_mask([pieces.n_real], n_all) if pieces.n_real < n_all else None
    return encode(word_vectors(model, pieces.ids).inputs, model.layers, pieces.tokens, mask)


@cached
def attention_of(text: str, n_tokens: int = 0) -> AttentionMaps:
    """The attention weights of all 72 heads. The text is cut to n_tokens, but no [PAD] is added.

    Raises: TextError, SettingsError, FileError.
    """
    return AttentionMaps.of_encoded(encoded_alone(text, n_tokens))


def encoded_alone(text: str, n_tokens: int = 0) -> Encoded:
    """All layers of a text that is cut to n_tokens but not filled with [PAD].

    Raises: TextError, SettingsError, FileError.
    """
    pieces = pieces_of(text, n_tokens)
    return encoded(text, n_tokens if pieces.n_real == len(pieces.tokens) else 0)


def trained_layer(text: str, layer: int, n_tokens: int = 0) -> Trace:
    """One layer with its weights, on the output of the layers before it.

    Raises: TextError, FileError, SettingsError.
    """
    return encoded(text, n_tokens).traces[whole_number("layer", layer, 0, N_LAYERS - 1)]


@cached
def attend_without_weights(text: str, n_tokens: int = 0) -> tuple[WeightlessAttention, ...]:
    """Attention with Q = K = V = X over three kinds of the model's vectors: the words, words with
    positions, and these after LayerNorm.

    The trained word vectors are short: their scaled scores are all below 0.2, so every share is
    nearly 1/T. LayerNorm makes them eight times as long, which multiplies every score by 64. Then a
    token's score with itself is 4 or 5. Its scores with others stay below 0.5, because they point
    elsewhere. Raises: TextError, SettingsError, FileError.
    """
    pieces = pieces_of(text, n_tokens)
    tokens = pieces.tokens[: pieces.n_real]
    vectors = word_vectors(load_minilm(), pieces.ids[: pieces.n_real])
    named = (
        ("words", vectors.words),
        ("words and positions", vectors.summed),
        ("after LayerNorm", vectors.inputs),
    )
    return tuple(_weightless_kind(name, x_TD, tokens) for name, x_TD in named)


def _weightless_kind(name: str, x_TD: Array, tokens: tuple[str, ...]) -> WeightlessAttention:
    trace = attend(x_TD, Projections.weightless(x_TD.shape[1])).labelled(tokens)
    scores_TS = trace.scaled_scores[0, 0]
    n_tokens = len(scores_TS)
    length = float(np.trace(scores_TS)) / n_tokens
    others = (float(scores_TS.sum()) - length * n_tokens) / max(1, n_tokens * (n_tokens - 1))
    share = float(np.trace(trace.probabilities[0, 0])) / n_tokens
    return WeightlessAttention(name, trace, length, others, share)
