"""The sentence of a scenario, and other sentences with the same word vectors, for pages that show
several.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from attention_core.checks import Array

from ..choices import resolve
from ..scenario import Scenario, trace_of
from ..sentences import embedding_of, tokens_of
from ..user_data.matrix_names import MAX_TOKENS


@dataclass(frozen=True, eq=False)
class Sentence:
    """The vectors of a sentence, its tokens, and how many of them are real. Shapes: vectors (T, D).

    n_left_out: how many tokens were cut off.
    """

    vectors: Array
    tokens: tuple[str, ...]
    n_real: int
    n_left_out: int = 0


def own_sentence(scenario: Scenario) -> Sentence:
    """The sentence of a scenario as its layer reads it, with the user's own numbers. Raises:
    AttentionError.
    """
    trace, sequence = trace_of(scenario), tokens_of(scenario)
    return Sentence(trace.inputs[0], trace.tokens, sequence.n_real, sequence.n_left_out)


def other_sentence(scenario: Scenario, text: str, n_tokens: int = 0) -> Sentence:
    """Another sentence for the same layer, cut or padded to n_tokens. 0 means its own length, up to
    64.

    Raises: TextError, SettingsError, FileError.

    >>> other_sentence(Scenario(), "It slept", n_tokens=3).tokens
    ('It', 'slept', '[pad]')
    """
    other = replace(resolve(scenario), text=text, n_tokens=n_tokens, edits="", own="")
    sequence = tokens_of(other)
    return Sentence(
        embedding_of(other).inputs, sequence.tokens, sequence.n_real, sequence.n_left_out
    )


def padded_sentence(scenario: Scenario, padding: int) -> Sentence:
    """The sentence of a scenario, followed by some [pad]. If the controls set the length, the
    sentence stays as it is.

    Raises: AttentionError.
    """
    own = own_sentence(scenario)
    n_tokens = min(MAX_TOKENS, len(own.tokens) + padding)
    if resolve(scenario).n_tokens or n_tokens == len(own.tokens):
        return own
    padded = other_sentence(scenario, scenario.text, n_tokens)
    vectors_TD = np.concatenate([own.vectors, padded.vectors[len(own.tokens) :]])
    return replace(padded, vectors=vectors_TD)
