"""Does order matter? The layer on its tokens, and on the same tokens in another order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from attention_core.attention import attend
from attention_core.checks import Array
from attention_core.trace import Trace

from ..cache import cached
from ..choices import MODEL_CHOICES, resolve, user_matrices_of
from ..heads.reruns import RunGaps, permutation_gaps
from ..rounding import tolerance
from ..scenario import Scenario, trace_of
from ..sentences import embedding_of
from ..words.embeddings import sinusoidal_positions
from .invariances import shuffled_order


@dataclass(frozen=True)
class Situation:
    """What the layer reads: words alone, words with positions, or words under a causal mask.

    description: what that means. description_of_inputs: the same for an X that is given as it is,
    by a user or by earlier layers.
    """

    key: str
    positions: bool
    causal: bool
    description: str
    description_of_inputs: str

    @property
    def knows_order(self) -> bool:
        """Whether anything in the layer depends on the positions."""
        return self.positions or self.causal


SITUATIONS: tuple[Situation, ...] = (
    Situation(
        "words alone",
        False,
        False,
        "The vectors hold the words and no positions: the layer reads a set, not a sequence.",
        "The vectors are the rows of X. If they hold positions, these move with them: the layer"
        " reads a set, not a sequence.",
    ),
    Situation(
        "with positions",
        True,
        False,
        "Each position adds its own code to the word there, so a word in another position is"
        " another vector.",
        "Each position adds its own code to the vector of X there, so a token in another position"
        " is another vector.",
    ),
    Situation(
        "causal mask",
        False,
        True,
        "The mask belongs to the positions, not to the words: a word that moves towards the start"
        " sees fewer others.",
        "The mask belongs to the positions, not to the vectors: a token that moves towards the"
        " start sees fewer others.",
    ),
)


@dataclass(frozen=True, eq=False)
class Shuffle:
    """A run, the run on the shuffled tokens, and the gaps between the second run and the shuffled
    results of the first.

    order: for each position of the second run, the token of the first run.
    """

    order: tuple[int, ...]
    straight: Trace
    shuffled: Trace
    gaps: RunGaps

    @property
    def has_order(self) -> bool:
        """Whether some tokens differ. If all are equal, no order can show in the output."""
        return bool((self.straight.inputs[0] != self.straight.inputs[0, 0]).any())


class Outcome(NamedTuple):
    """What a shuffle shows in one field. place: where the token went. gap: the largest difference
    from the shuffled results. shows: the order shows. unclear: rounding alone can make this gap,
    and so can the order. only_rounding: nothing but rounding can.
    """

    place: int
    gap: float
    rounding: float
    shows: bool
    unclear: bool
    only_rounding: bool


def outcome_of(shuffle: Shuffle, key: str, field: str, query: int) -> Outcome:
    """What a shuffle of a situation shows in the output or in the probabilities."""
    situation = {one.key: one for one in SITUATIONS}[key]
    gap: float = getattr(shuffle.gaps, field)
    rounding = tolerance(shuffle.straight, field)
    knows_order, is_small = situation.knows_order and shuffle.has_order, 0 < gap <= rounding
    return Outcome(
        shuffle.order.index(query),
        gap,
        rounding,
        shows=gap > rounding,
        unclear=is_small and knows_order,
        only_rounding=is_small and not knows_order,
    )


@cached
def run_shuffled(scenario: Scenario, key: str, seed: int = 0) -> Shuffle:
    """Run the layer of a scenario on its words, and on the same words in another order. Raises:
    AttentionError.
    """
    situation = {one.key: one for one in SITUATIONS}[key]
    trace, words_TD = trace_of(scenario), word_vectors_of(scenario)
    order = shuffled_order(len(words_TD), seed)
    codes_TD = _codes(scenario, words_TD) if situation.positions else np.zeros_like(words_TD)
    straight, shuffled = (
        attend(
            words + codes_TD,
            trace.projections,
            causal=situation.causal,
            scale=trace.scale,
            residual=trace.residual,
        )
        for words in (words_TD, words_TD[list(order)])
    )
    tokens = tuple(trace.labels("T")[place] for place in order)
    gaps = permutation_gaps(straight, shuffled, order)
    return Shuffle(order, straight.labelled(trace.labels("T")), shuffled.labelled(tokens), gaps)


def _codes(scenario: Scenario, words_TD: Array) -> Array:
    """The position codes for the words of a scenario, even if the scenario adds none."""
    if resolve(scenario).weights == "by hand":
        return embedding_of(scenario).positions
    return sinusoidal_positions(*words_TD.shape)


def has_given_inputs(scenario: Scenario) -> bool:
    """Whether X is given as it is, not as a sum of words and positions: the user's own X, or the
    input of a trained layer.
    """
    return scenario.weights in MODEL_CHOICES or user_matrices_of(scenario).x is not None


def word_vectors_of(scenario: Scenario) -> Array:
    """The vectors of the words without positions. Edited cells keep the user's numbers; a given X
    stays as it is.

    Shapes: (T, D).
    """
    inputs_TD: Array = trace_of(scenario).inputs[0]
    if has_given_inputs(scenario):
        return inputs_TD
    embedding = embedding_of(scenario)
    return np.where(inputs_TD == embedding.inputs, embedding.words, inputs_TD)
