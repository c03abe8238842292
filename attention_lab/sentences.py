"""The sentences of a scenario as tokens and vectors: its own, and further ones in one batch.

All sequences of a batch are filled up with [pad] to the longest. An own X is one sequence: beside
it there is no batch.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from attention_core.cache import cached
from attention_core.checks import check_text, whole_number
from attention_core.counting import counted
from attention_core.embeddings import Embedding, embed
from attention_core.errors import TextError
from attention_core.text import Tokens, tokenize, tokenize_at_most
from attention_core.trace import Trace

from . import by_hand
from .choices import Scenario, edits_of, resolve, user_matrices_of
from .trained.encoded_text import pieces_of, trained_layer
from .user_data.edits import Edits
from .user_data.matrix_names import MAX_TOKENS

MAX_SENTENCES = 4  # together


def further_sentences(batch: str) -> tuple[str, ...]:
    """The sentences of a text that has one on each line; empty lines are none.

    >>> further_sentences("It slept. \\n\\nWhy?")
    ('It slept.', 'Why?')
    """
    check_text("batch", batch)
    return tuple(line.strip() for line in batch.splitlines() if line.strip())


def sentences_of(scenario: Scenario) -> tuple[str, ...]:
    """The sentences that the layer is run on, the first of them the scenario's own. Raises:
    AttentionError.
    """
    if not scenario.batch or user_matrices_of(scenario).x is not None:
        return (scenario.text,)
    return (scenario.text, *further_sentences(scenario.batch))[:MAX_SENTENCES]


def batch_notes(scenario: Scenario) -> tuple[str, ...]:
    """What became of the further sentences, where not all are used. Raises: AttentionError."""
    further = further_sentences(scenario.batch)
    if further and len(sentences_of(scenario)) == 1:
        return ("Your own X is one sequence, so the further sentences are left out.",)
    left_out = 1 + len(further) - MAX_SENTENCES
    if left_out <= 0:
        return ()
    return (f"A batch has at most {MAX_SENTENCES} sentences; the last {left_out} are left out.",)


@cached
def in_batch(scenario: Scenario, sequence: int) -> Scenario:
    """The scenario of one sentence as it stands in the batch: filled up to the longest.

    Edits of X belong to the first sentence. Raises: AttentionError.

    >>> in_batch(Scenario("we saw the cat", batch="It slept"), 1).n_tokens
    4
    """
    texts = sentences_of(scenario)
    if len(texts) == 1:
        return replace(scenario, batch="")
    one = alone(scenario, sequence)
    return replace(one, n_tokens=max(len(_tokens_of_line(scenario, n)) for n in range(len(texts))))


def alone(scenario: Scenario, sequence: int) -> Scenario:
    """The scenario of one sentence of a batch without the others. Raises: AttentionError."""
    texts = sentences_of(scenario)
    whole_number("sequence", sequence, 0, len(texts) - 1)
    edits = edits_of(scenario)
    if sequence:
        edits = Edits(tuple(edit for edit in edits.items if edit.matrix != "x"))
    return replace(scenario, text=texts[sequence], batch="", edits=edits.url_value())


def _tokens_of_line(scenario: Scenario, sequence: int) -> tuple[str, ...]:
    """The tokens of one sentence. Raises: TextError that says which sentence has none."""
    try:
        return tokens_of(alone(scenario, sequence)).tokens
    except TextError as error:
        if not sequence:
            raise
        raise TextError(f"Further sentence {sequence}: {error}") from error


@cached
def tokens_of(scenario: Scenario) -> Tokens:
    """The token sequence of a scenario, of a batch the first; a fitting one ends at `MAX_TOKENS`.
    Raises: TextError, SettingsError.
    """
    if scenario.batch:
        return tokens_of(in_batch(scenario, 0))
    scenario = resolve(scenario)
    if scenario.weights == "trained":
        pieces = pieces_of(scenario.text, scenario.n_tokens)
        return Tokens(pieces.tokens, pieces.n_real, pieces.notes, pieces.n_left_out)
    if scenario.n_tokens:
        tokens = tokenize(scenario.text, piece=scenario.piece, n_tokens=scenario.n_tokens)
    else:
        tokens = tokenize_at_most(scenario.text, MAX_TOKENS, piece=scenario.piece)
    if scenario.weights != "by hand":
        return tokens
    return replace(tokens, notes=tokens.notes + by_hand.place_notes(len(tokens.tokens)))


@cached
def embedding_of(scenario: Scenario) -> Embedding:
    """The vectors of a scenario's tokens, of a batch those of the first sentence; those of a
    trained layer have no position codes of their own beside them, those of a layer made by hand are
    named features.

    Raises: TextError, SettingsError, FileError.
    """
    if scenario.batch:
        return embedding_of(in_batch(scenario, 0))
    scenario = resolve(scenario)
    if scenario.weights == "trained":
        inputs = trained_of(scenario).inputs[0]
        return Embedding(inputs, np.zeros_like(inputs), inputs)
    tokens = tokens_of(scenario).tokens
    if scenario.weights == "by hand":
        return by_hand.named_vectors(tokens)
    return embed(tokens, scenario.d_model, kind=scenario.embedding, positions=scenario.positions)


def trained_of(scenario: Scenario) -> Trace:
    """The trained layer on a scenario's sentence, of a batch the first. Raises: AttentionError."""
    one = in_batch(scenario, 0)
    return trained_layer(one.text, one.layer, resolve(one).n_tokens)


def describe_batch(scenario: Scenario) -> str:
    """How many sentences of which lengths the batch has, in words. Raises: AttentionError.

    >>> describe_batch(Scenario("we saw the cat", batch="It slept"))
    '2 sentences of 4 and 2 tokens'
    """
    texts = sentences_of(scenario)
    lengths = [str(tokens_of(in_batch(scenario, n)).n_real) for n in range(len(texts))]
    listed = " and ".join([", ".join(lengths[:-1]), lengths[-1]] if lengths[1:] else lengths)
    return f"{counted(len(texts), 'sentence')} of {listed} tokens"
