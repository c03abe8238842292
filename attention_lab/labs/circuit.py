"""The smallest circuit of two layers: a model that learns to go on with letters that repeat, small
enough to be seen whole.

Plain attention without feed-forward and norm: the vectors of a letter and of its place are added,
each layer adds what its heads find, and a last matrix gives the logits of the next letter. With two
layers training finds an induction circuit: a head of the first layer looks one place back, and a
head of the second looks at the place after the last time that this letter stood there.

Source: Olsson et al. 2022, "In-context learning and induction heads"; Elhage et al. 2021 for the
composition of heads. `scripts/make_training_runs.py` makes the stored runs; a test trains again.
A local name ends in its axes: B batch, T query, S key, D feature, X letter, L layer, H head.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from attention_core.attention import attend
from attention_core.checks import Array, as_list, whole_number
from attention_core.errors import SettingsError, TextError, short_repr
from attention_core.formulas import softmax, split_heads
from attention_core.projections import Projections
from attention_core.trace import Trace

from ..heads.head_worth import without_heads
from ..heads.weight_blocks import head_contributions, value_output_products
from . import gradients
from .backward import layer_gradients
from .checkpoints import Checkpoint, Weights, first_point, points_from
from .circuit_settings import (
    BATCH,
    LETTERS,
    N_LETTERS,
    N_PLACES,
    CircuitSettings,
    draw_sequences,
)
from .losses import cross_entropy, cross_entropy_gradient
from .tasks import N_UNSEEN, UNSEEN_SEED

Head = tuple[int, int]  # layer and number
LAYER_WEIGHTS = ("w_q", "w_k", "w_v", "w_o")
FIRST_SIZE = 0.5  # standard deviation of the first vectors of letters and places


class LetterWeights(dict[str, Array]):
    """The arrays of a model by name, also as attributes."""

    def __getattr__(self, name: str) -> Array:
        if name not in self:
            raise AttributeError(name)
        return self[name]


class LetterRun(NamedTuple):
    """Letters in a model: one `Trace` for each layer, and the logits of the next letter after each
    place. Shapes: logits (T, X).
    """

    ids: tuple[int, ...]
    traces: tuple[Trace, ...]
    logits: Array

    @property
    def guesses(self) -> tuple[int, ...]:
        """The letter with the largest logit after each place, the first of equal ones."""
        return tuple(self.logits.argmax(axis=1).tolist())


@dataclass(frozen=True, eq=False)
class LetterModel:
    """A model of letters.

    weights, by name: embedding (X, D), positions (T, D), unembedding (D, X), and w_q, w_k, w_v, w_o
    (L, D, D) for x W. n_heads: in each layer. off: the heads that are switched off.
    """

    weights: LetterWeights
    n_heads: int
    off: tuple[Head, ...] = ()

    @cached_property
    def layers(self) -> tuple[Projections, ...]:
        """The weights of each layer; the rows of W_O of a head that is off are 0."""
        layers = []
        for layer, stacked in enumerate(zip(*map(self.weights.get, LAYER_WEIGHTS), strict=True)):
            off = [head for one, head in self.off if one == layer]
            whole = Projections(*stacked, n_heads=self.n_heads)
            layers.append(without_heads(whole, off) if off else whole)
        return tuple(layers)

    def run(self, ids: Sequence[int] | str) -> LetterRun:
        """Letters in the model: at most 24, as numbers from 0 or as text from a to p. Raises:
        SettingsError, TextError.

        >>> from attention_lab import repeated_letters
        >>> run = repeated_letters().run("abcdefabc")
        >>> LETTERS[run.guesses[-1]]
        'd'
        """
        read = read_letters(ids)
        traces, logits_BTX = self.forward(np.array([read]))
        labelled = tuple(one.labelled([LETTERS[place] for place in read]) for one in traces)
        return LetterRun(read, labelled, logits_BTX[0])

    def forward(self, ids_BT: Array) -> tuple[tuple[Trace, ...], Array]:
        """Many sequences at once: the traces, and the logits (B, T, X). Shapes: ids (B, T)."""
        stream_BTD = self.weights["embedding"][ids_BT]
        stream_BTD = stream_BTD + self.weights["positions"][: ids_BT.shape[1]]
        traces = []
        for layer in self.layers:
            traces.append(attend(stream_BTD, layer, causal=True, residual=True))
            stream_BTD = traces[-1].output
        return tuple(traces), stream_BTD @ self.weights["unembedding"]

    def without(self, *heads: Head) -> LetterModel:
        """The model with some more heads switched off. Raises: SettingsError."""
        for layer, head in heads:
            whole_number("layer", layer, 0, len(self.weights["w_q"]) - 1)
            whole_number("head", head, 0, self.n_heads - 1)
        return LetterModel(self.weights, self.n_heads, tuple(sorted({*self.off, *heads})))


def read_letters(letters: Sequence[int] | str) -> tuple[int, ...]:
    """The numbers of letters; capitals count as small letters, spaces not at all. Raises:
    SettingsError, TextError.

    >>> read_letters("ab A")
    (0, 1, 0)
    """
    if isinstance(letters, str):
        text = "".join(letters.lower().split())
        strange = [one for one in text if one not in LETTERS]
        if strange:
            raise TextError(
                f"the letters hold {short_repr(strange[0])}, but the model knows the letters from"
                f" {LETTERS[0]} to {LETTERS[-1]} alone: replace it"
            )
        letters = [LETTERS.index(one) for one in text]
    ids = as_list("ids", letters)
    if not 1 <= len(ids) <= N_PLACES:
        raise SettingsError(
            f"there are {len(ids)} letters, but the model reads 1 to {N_PLACES}: "
            + ("give one" if not ids else "take some away")
        )
    return tuple(whole_number("ids", one, 0, N_LETTERS - 1) for one in ids)


def train_circuit(
    settings: CircuitSettings, start: Checkpoint | None = None
) -> Iterator[Checkpoint]:
    """The checkpoints of a run, every ten steps, each computed on demand. start: a checkpoint of
    the same settings from which the run continues.
    """
    return points_from(start or _first_circuit(settings), partial(learn_circuit, settings))


def _first_circuit(settings: CircuitSettings) -> Checkpoint:
    rng, width = np.random.default_rng(settings.seed), settings.width
    weights = {
        "embedding": FIRST_SIZE * rng.standard_normal((N_LETTERS, width)),
        "positions": FIRST_SIZE * rng.standard_normal((N_PLACES, width)),
        "unembedding": rng.standard_normal((width, N_LETTERS)) / math.sqrt(width),
    }
    for name in LAYER_WEIGHTS:
        numbers = rng.standard_normal((settings.n_layers, width, width))
        weights[name] = numbers / math.sqrt(width)
    return first_point(settings, weights, rng, partial(learn_circuit, settings))


def learn_circuit(
    settings: CircuitSettings, weights: Weights, rng: np.random.Generator
) -> tuple[float, Weights]:
    """The loss of weights on new sequences, in nats, where the next letter can be known, and its
    gradients.
    """
    drawn = draw_sequences(rng, BATCH)
    traces, logits_BTX = LetterModel(LetterWeights(weights), settings.n_heads).forward(drawn.ids)
    asked_BT = drawn.inducible
    right_NX = np.eye(N_LETTERS)[np.roll(drawn.ids, -1, axis=1)[asked_BT]]
    said, right = logits_BTX[asked_BT][np.newaxis], right_NX[np.newaxis, :, np.newaxis]
    gradient_BTX = np.zeros_like(logits_BTX)
    gradient_BTX[asked_BT] = cross_entropy_gradient(said, right)[0]
    return cross_entropy(said, right), _all_gradients(weights, drawn.ids, traces, gradient_BTX)


def _all_gradients(
    weights: Weights, ids_BT: Array, traces: Sequence[Trace], gradient_BTX: Array
) -> Weights:
    """The gradients of all weights: back through the last matrix, then layer by layer."""
    of_weights = {name: np.zeros_like(array) for name, array in weights.items()}
    of_weights["unembedding"] = gradients.weight_gradient(traces[-1].output, gradient_BTX)
    stream_BTD = gradients.factor_gradient(gradient_BTX, weights["unembedding"])
    for layer in reversed(range(len(traces))):
        back = layer_gradients(traces[layer], stream_BTD)
        for name in LAYER_WEIGHTS:
            of_weights[name][layer] = back[name]
        stream_BTD = back["inputs"]
    np.add.at(of_weights["embedding"], ids_BT, stream_BTD)
    of_weights["positions"] = stream_BTD.sum(axis=0)
    return of_weights


@dataclass(frozen=True, eq=False)
class CircuitScore:
    """What a model does on 400 unseen sequences.

    right: the share of right guesses where the next letter can be known. one_back: the share that
    each head gives to the place before, as a mean over all places but the first. prefix: the share
    that it gives, where the next letter can be known, to the place after the one that is a period
    back: what came after this letter last time. Shapes: one_back and prefix (L, H). Units or range:
    0 to 1. Source: Olsson et al. 2022, "Prefix matching".
    """

    right: float
    one_back: Array
    prefix: Array


def score_circuit(model: LetterModel) -> CircuitScore:
    """The score of a model."""
    drawn = draw_sequences(np.random.default_rng(UNSEEN_SEED), N_UNSEEN)
    traces, logits_BTX = model.forward(drawn.ids)
    asked_BT = drawn.inducible
    hits_BT = logits_BTX.argmax(axis=2) == np.roll(drawn.ids, -1, axis=1)
    sequence_N, place_N = np.nonzero(asked_BT)
    after_N = place_N - drawn.periods[sequence_N] + 1
    later_T = np.arange(1, N_PLACES)
    back = [one.probabilities[:, :, later_T, later_T - 1].mean(axis=(0, 2)) for one in traces]
    after = [one.probabilities[sequence_N, :, place_N, after_N].mean(axis=0) for one in traces]
    return CircuitScore(float(hits_BT[asked_BT].mean()), np.array(back), np.array(after))


def key_composition(model: LetterModel) -> Array:
    """How much of what a head of the second layer looks for in a key could come from each head of
    the first: ‖A Bᵀ‖ / (‖A‖ ‖B‖) of the matrices A = W_Q W_Kᵀ of the later head and B = W_V W_O of
    the earlier one, in Frobenius norms. Matrices that have nothing to do with one another have
    about 1/√D. Shapes: (H, H), later and earlier. Units or range: 0 to 1. Source: Elhage et al.
    2021, "Composition": K-composition.
    """
    first, second = model.layers
    asks_HDD = _by_head(second.w_q, second) @ _by_head(second.w_k, second).swapaxes(1, 2)
    gives_HDD = value_output_products(first)
    norms_HH = np.linalg.norm(asks_HDD[:, np.newaxis] @ gives_HDD.swapaxes(1, 2), axis=(2, 3))
    sizes = np.outer(*(np.linalg.norm(one, axis=(1, 2)) for one in (asks_HDD, gives_HDD)))
    shares: Array = norms_HH / np.where(sizes == 0, 1, sizes)
    return shares


def _by_head(weights_DF: Array, layer: Projections) -> Array:
    """The columns of each head. Shapes: (D, F) -> (H, D, K)."""
    by_head: Array = split_heads(weights_DF[np.newaxis], layer.n_heads)[0]
    return by_head


def key_parts(
    model: LetterModel, run: LetterRun, layer: int, head: int, query: int, key: int
) -> dict[str, float]:
    """What makes a score: the query times what each part of the key's vector brings, in the units
    of the scaled score. The parts are the letter, its place, and each head of the layers before;
    their sum is the scaled score.
    """
    projections, trace = model.layers[layer], run.traces[layer]
    along_D = _by_head(projections.w_k, projections)[head] @ trace.query_heads[0, head, query]
    parts = {
        "letter": model.weights["embedding"][run.ids[key]],
        "place": model.weights["positions"][key],
    }
    for before in range(layer):
        for number, added_BTD in enumerate(head_contributions(run.traces[before]).swapaxes(0, 1)):
            parts[f"layer {before}, head {number}"] = added_BTD[0, key]
    return {name: float(part_D @ along_D) * trace.scale for name, part_D in parts.items()}


@dataclass(frozen=True)
class Guess:
    """What a model says after one place of a text, and what can be known there.

    last: the place where this letter stood before, None if it is new; came: the letter after it.
    said: the letter with the largest probability; share: its probability; of_came: that of `came`.
    key: the place that the head in question of the last layer reads most; key_share: its share.
    """

    place: int
    letter: str
    last: int | None
    came: str
    said: str
    share: float
    of_came: float
    key: int
    key_share: float

    @property
    def is_right(self) -> bool:
        """Whether the guess is what came after the letter last time."""
        return self.said == self.came


def guess_at(run: LetterRun, place: int, head: int) -> Guess:
    """What a model says after a place. head: of the last layer, the one to look at."""
    ids, probability_X = run.ids, softmax(run.logits[place])
    last = max((one for one in range(place) if ids[one] == ids[place]), default=None)
    came = -1 if last is None else ids[last + 1]
    row_S = run.traces[-1].probabilities[0, head, place]
    said, key = int(probability_X.argmax()), int(row_S.argmax())
    return Guess(
        place,
        LETTERS[ids[place]],
        last,
        LETTERS[came] if came >= 0 else "",
        LETTERS[said],
        float(probability_X[said]),
        float(probability_X[came]) if came >= 0 else 0.0,
        key,
        float(row_S[key]),
    )
