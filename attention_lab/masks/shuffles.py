"""The layer on its tokens, and on the same tokens in another order."""

import numpy as np

from attention_core.checks import Array

from ..cache import cached
from ..choices import resolve
from ..compare import TwoLayers
from ..heads.reruns import rerun
from ..scenario import Scenario, trace_of
from ..sentences import embedding_of
from .invariances import shuffled_order


@cached
def run_shuffled(scenario: Scenario, seed: int = 0) -> TwoLayers:
    """The layer of a scenario, and the same layer on its tokens in another order. What belongs to
    positions stays there: codes that are added, masks, rotary positions, ALiBi. A padding mask
    belongs to the tokens and moves with them. Raises: AttentionError.
    """
    trace, words_TD = trace_of(scenario), word_vectors_of(scenario)
    order = list(shuffled_order(len(words_TD), seed))
    inputs_TD = words_TD[order] + trace.inputs[0] - words_TD
    mask = trace.mask
    if resolve(scenario).mask.follows_tokens and mask is not None:
        mask = mask[..., order]
    tokens = tuple(trace.labels("T")[place] for place in order)
    shuffled = rerun(trace, x=inputs_TD, mask=mask).labelled(tokens)
    return TwoLayers(trace, shuffled, tuple(order))


def what_knows_order(scenario: Scenario) -> tuple[str, ...]:
    """What in the layer of a scenario depends on positions, in words; nothing if it reads a set."""
    run, trace = resolve(scenario), trace_of(scenario)
    parts = {
        "a code of each position, which is added to the vector there": run.chosen.positions
        and not run.has_given_inputs,
        "a mask, which hides positions and not words": trace.mask is not None
        and not run.mask.follows_tokens,
        "rotary positions, which turn queries and keys": trace.rotary is not None,
        "ALiBi, which lowers the scores of distant keys": trace.bias is not None,
    }
    return tuple(words for words, is_there in parts.items() if is_there)


def word_vectors_of(scenario: Scenario) -> Array:
    """The vectors of the words without positions. Edited cells keep the user's numbers; a given X
    stays as it is.

    Shapes: (T, D).
    """
    inputs_TD: Array = trace_of(scenario).inputs[0]
    if resolve(scenario).has_given_inputs:
        return inputs_TD
    embedding = embedding_of(scenario)
    return np.where(inputs_TD == embedding.inputs, embedding.words, inputs_TD)
