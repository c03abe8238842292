"""Tokens become vectors: a fixed vector for each word, plus a code for its position."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array, as_labels, check_choice, check_switch, whole_number
from attention_core.derivation import Derivation, expand
from attention_core.errors import SettingsError
from attention_core.numbers import check_room
from attention_core.rules import Rule, read
from attention_core.trace import Trace

from ..cache import cached

EMBEDDINGS = ("normal", "integers")
# The layer's input is made before the layer: a word's vector plus its position's.
INPUT_RULE = Rule("sum", (read("words", 1, 2),), adds=(read("positions", 1, 2),))


@dataclass(frozen=True, eq=False)
class Embedding:
    """The inputs of the layer, and the two parts that add up to them. Shapes: each (T, D)."""

    words: Array
    positions: Array
    inputs: Array


def embed(
    tokens: Sequence[str], d_model: int, *, kind: str = "normal", positions: bool = True
) -> Embedding:
    """The vectors of a sequence of tokens; without positions their code is zero.

    Shapes: T tokens -> (T, D). Raises: SettingsError, TextError.
    """
    check_switch("positions", positions)
    check_choice("embedding", kind, EMBEDDINGS)
    if not (labels := as_labels("tokens", tokens)):
        raise SettingsError("tokens is empty; give at least one")
    check_room(tokens=len(labels), d_model=whole_number("d_model", d_model, 1))
    words_TD = np.stack([word_vector(label, d_model, kind) for label in labels])
    positions_TD = (
        sinusoidal_positions(len(labels), d_model) if positions else np.zeros_like(words_TD)
    )
    return Embedding(words_TD, positions_TD, words_TD + positions_TD)


@cached
def word_vector(token: str, d_model: int, kind: str = "normal") -> Array:
    """The vector of a word: drawn at random with the hash of the word as the seed.

    The same word has the same vector in every session, on every machine. It means nothing: only a
    trained model knows that cat is close to dog. kind: "normal" (mean 0, variance 1) or "integers"
    (-2 to 2, for paper).
    Shapes: (D,), read-only.

    >>> word_vector("cat", 4, "integers").tolist() == word_vector("cat", 6, "integers")[:4].tolist()
    True
    """
    digest = hashlib.blake2b(token.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    rng = np.random.default_rng(int.from_bytes(digest, "little"))
    if kind == "normal":
        vector_D = rng.standard_normal(d_model)
    else:
        vector_D = np.floor(5 * rng.random(d_model)) - 2
    vector_D.setflags(write=False)  # it is cached
    return vector_D


def sinusoidal_positions(n_tokens: int, d_model: int) -> Array:
    """A code for each position: sines and cosines of slower and slower waves, in turn.

    Shapes: (T, D). Units or range: -1 to 1; every row has length √(D/2) when D is even.
    Source: Vaswani et al. 2017, section 3.5.

    >>> sinusoidal_positions(2, 4).round(2).tolist()
    [[0.0, 1.0, 0.0, 1.0], [0.84, 0.54, 0.01, 1.0]]
    """
    position_T1 = np.arange(n_tokens)[:, np.newaxis]
    feature_D = np.arange(d_model)
    angle_TD = position_T1 / 10_000 ** (2 * (feature_D // 2) / d_model)
    code_TD: Array = np.where(feature_D % 2 == 0, np.sin(angle_TD), np.cos(angle_TD))
    return code_TD


def is_sum_of_words(trace: Trace, embedding: Embedding) -> bool:
    """Whether the inputs are word vectors plus position codes. The inputs of a trained layer, and
    the user's own, are not.
    """
    # A trained layer gets what earlier layers made of words and positions.
    is_trained = embedding.words is embedding.inputs
    return not is_trained and np.array_equal(embedding.inputs, trace.inputs[0])


def derive_input(embedding: Embedding, token: int, feature: int) -> Derivation:
    """How one number of the layer's input was made: the word's number plus the position's.

    >>> [term.value for term in derive_input(embed(["a", "b"], 4, kind="integers"), 0, 1).terms]
    [-1.0, 1.0]
    """

    def number(name: str, at: tuple[int, ...]) -> float:
        return float(getattr(embedding, name)[at])

    result = number("inputs", (token, feature))
    return expand(INPUT_RULE, "inputs", (0, token, feature), number, result)
