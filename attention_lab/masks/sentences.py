"""The sentence of a scenario, and other sentences read with the same word vectors, for pages
that show several.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from attention_core.cache import remembered
from attention_core.checks import check_text, whole_number
from attention_core.trace import Trace

from ..scenario import Scenario, embedding_of, settled, tokens_of, trace_of
from ..user_data.matrix_names import MAX_TOKENS
from .encoder_decoder import USES, Sentence, attend_as


def own_sentence(scenario: Scenario) -> Sentence:
    """The scenario's own sentence as its layer reads it, with the user's own numbers. Raises:
    AttentionError.
    """
    trace, sequence = trace_of(scenario), tokens_of(scenario)
    return Sentence(trace.inputs[0], trace.tokens, sequence.n_real, sequence.n_left_out)


def other_sentence(scenario: Scenario, text: str, n_tokens: int = 0) -> Sentence:
    """Another sentence for the same layer, cut or padded to n_tokens; 0: as long as it is, up to
    64.

    Raises: TextError, SettingsError, FileError.

    >>> other_sentence(Scenario(), "It slept", n_tokens=3).tokens
    ('It', 'slept', '[pad]')
    """
    check_text("text", text)
    whole_number("n_tokens", n_tokens, 0, MAX_TOKENS)
    other = replace(settled(scenario), text=text, n_tokens=n_tokens, edits="", own="")
    sequence = tokens_of(other)
    return Sentence(
        embedding_of(other).inputs, sequence.tokens, sequence.n_real, sequence.n_left_out
    )


def padded_sentence(scenario: Scenario, padding: int) -> Sentence:
    """The scenario's own sentence with so many [pad] after it; as it is where the controls decide
    its length.

    Raises: AttentionError.
    """
    whole_number("padding", padding, 0)
    own = own_sentence(scenario)
    n_tokens = min(MAX_TOKENS, len(own.tokens) + padding)
    if settled(scenario).n_tokens or n_tokens == len(own.tokens):
        return own
    padded = other_sentence(scenario, scenario.text, n_tokens)
    vectors_TD = np.concatenate([own.vectors, padded.vectors[len(own.tokens) :]])
    return replace(padded, vectors=vectors_TD)


@remembered(8)
def three_uses(scenario: Scenario, target: str, padding: int) -> dict[str, Trace]:
    """The layer of a scenario in the three places of an encoder-decoder, by name; its sentence is
    the source.

    padding: how many [pad] stand after both sentences. Raises: AttentionError.
    """
    whole_number("padding", padding, 0)
    own = trace_of(scenario)
    length = len(other_sentence(scenario, target).tokens)
    translated = other_sentence(scenario, target, min(MAX_TOKENS, length + padding))
    source = padded_sentence(scenario, padding)
    return {
        use.key: attend_as(use, source, translated, own.projections, own.residual, own.scale)
        for use in USES
    }
