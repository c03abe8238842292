"""Shuffle the tokens: the output is shuffled and nothing else happens, until something knows
the order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_core.attention import attend
from attention_core.cache import remembered
from attention_core.checks import Array, check_choice
from attention_core.embeddings import sinusoidal_positions
from attention_core.trace import Trace

from ..scenario import Scenario, embedding_of, own_of, settled, trace_of
from .invariances import shuffled_order
from .run_gaps import Gaps, permutation_gaps


@dataclass(frozen=True)
class Situation:
    """What the layer is run on: words alone, or with a code for each place, or under a causal mask.

    says: what that means. of_given: the same where the vectors are given, by a user or by layers
    before this one.
    """

    key: str
    positions: bool
    causal: bool
    says: str
    of_given: str

    @property
    def knows_order(self) -> bool:
        """Whether anything in the layer depends on the places."""
        return self.positions or self.causal


SITUATIONS: tuple[Situation, ...] = (
    Situation(
        "words alone",
        False,
        False,
        "The vectors say which words there are and nothing about their places: the layer reads a"
        " set, not a sequence.",
        "The vectors are those of X as they stand, and what they may say of a place goes along with"
        " them: the layer reads a set, not a sequence.",
    ),
    Situation(
        "with positions",
        True,
        False,
        "Each place adds its own code to the word that stands there, so a word at another place is"
        " another vector.",
        "Each place adds a code of its own to the vector of X that stands there, so a token at"
        " another place is another vector.",
    ),
    Situation(
        "causal mask",
        False,
        True,
        "The mask belongs to the places, not to the words: a word that moves towards the beginning"
        " loses sight of some others.",
        "The mask belongs to the places, not to the vectors: a token that moves towards the"
        " beginning loses sight of some others.",
    ),
)


@dataclass(frozen=True, eq=False)
class Shuffle:
    """A run, the run on the shuffled tokens, and how far it is from the shuffled run.

    order: which token of the first run stands at each place of the second.
    """

    order: tuple[int, ...]
    straight: Trace
    shuffled: Trace
    gaps: Gaps

    @property
    def has_order(self) -> bool:
        """Whether some tokens differ; of equal ones no order can show in the output."""
        return bool((self.straight.inputs[0] != self.straight.inputs[0, 0]).any())


@remembered(16)
def shuffle(scenario: Scenario, key: str, seed: int = 0) -> Shuffle:
    """Run the layer of a scenario on its words and on the same words in another order. Raises:
    AttentionError.
    """
    known = {one.key: one for one in SITUATIONS}
    situation = known[check_choice("situation", key, known)]
    trace, words_TD = trace_of(scenario), words_of(scenario)
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
    """The position codes that go with a scenario's words, whether it adds them or not."""
    if settled(scenario).weights == "by hand":
        return embedding_of(scenario).positions
    return sinusoidal_positions(*words_TD.shape)


def is_given(scenario: Scenario) -> bool:
    """Whether X is no sum of words and positions: the user's own, or what comes into a trained
    layer.
    """
    return scenario.weights == "trained" or own_of(scenario).x is not None


def words_of(scenario: Scenario) -> Array:
    """The vectors of the words without their places, with edited cells as the user left them; a
    given X as it is.

    Shapes: (T, D).
    """
    inputs_TD: Array = trace_of(scenario).inputs[0]
    if is_given(scenario):
        return inputs_TD
    embedding = embedding_of(scenario)
    return np.where(inputs_TD == embedding.inputs, embedding.words, inputs_TD)
