"""The sentences of a scenario as tokens and vectors: its text, and further sentences in one batch.

All sequences of a batch are filled up with [pad] to the longest. The user's own X is one sequence,
so with it there is no batch.
"""

from contextlib import suppress
from dataclasses import replace

from attention_core.checks import check_text
from attention_core.errors import AttentionError, SettingsError, TextError

from . import by_hand
from .cache import cached
from .choices import Scenario, edits_of, resolve, user_matrices_of
from .size_choices import MAX_SENTENCES as MAX_SENTENCES
from .trained.allowed_models import STORIES
from .user_data.edits import Edits
from .user_data.matrix_names import MAX_TOKENS
from .weight_kinds import LANGUAGE_MODEL
from .words.embeddings import Embedding
from .words.text import Tokens

PADDING_ROOM = 2  # positions for [pad]


def _further_sentences(batch: str) -> tuple[str, ...]:
    """The lines of a text that are not blank.

    >>> _further_sentences("It slept. \\n\\nWhy?")
    ('It slept.', 'Why?')
    """
    check_text("batch", batch)
    return tuple(line.strip() for line in batch.splitlines() if line.strip())


def sentences_of(scenario: Scenario) -> tuple[str, ...]:
    """The sentences that the layer is run on; the first is the scenario's text. Raises:
    AttentionError.
    """
    if not scenario.batch or user_matrices_of(scenario).x is not None:
        return (scenario.text,)
    return (scenario.text, *_further_sentences(scenario.batch))[:MAX_SENTENCES]


def batch_notes(scenario: Scenario) -> tuple[str, ...]:
    """A note if further sentences are left out. Raises: AttentionError."""
    further = _further_sentences(scenario.batch)
    if further and len(sentences_of(scenario)) == 1:
        return ("Your own X is one sequence, so the further sentences are left out.",)
    left_out = 1 + len(further) - MAX_SENTENCES
    if left_out <= 0:
        return ()
    return (f"A batch has at most {MAX_SENTENCES} sentences; the last {left_out} are left out.",)


@cached
def in_batch(scenario: Scenario, sequence: int) -> Scenario:
    """The scenario of one sentence of the batch, filled up to the longest.

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
    texts, edits = sentences_of(scenario), edits_of(scenario)
    if sequence:
        edits = Edits(tuple(edit for edit in edits.items if edit.matrix != "x"))
    return replace(scenario, text=texts[sequence], batch="", edits=edits.url_value())


def _tokens_of_line(scenario: Scenario, sequence: int) -> tuple[str, ...]:
    """The tokens of one sentence. Raises: TextError naming a further sentence without tokens."""
    try:
        return tokens_of(alone(scenario, sequence)).tokens
    except TextError as error:
        if not sequence:
            raise
        raise TextError(f"Further sentence {sequence}: {error}") from error


@cached
def tokens_of(scenario: Scenario) -> Tokens:
    """The tokens of a scenario, for a batch those of its first sentence, at most `MAX_TOKENS` where
    the sentence decides. Raises: TextError, SettingsError.
    """
    if scenario.batch:
        return tokens_of(in_batch(scenario, 0))
    run = resolve(scenario)
    return run.weights.tokens(run.chosen)


def longer_sequence(scenario: Scenario) -> int | None:
    """The sequence length with which a sentence that fills its sequence has [pad] after it; None
    where none is needed, or none can be.
    """
    with suppress(AttentionError):
        if len(sentences_of(scenario)) > 1:  # shorter sentences have [pad] after them
            return None
        tokens = tokens_of(scenario)
        n_whole = tokens.n_real + tokens.n_left_out
        is_full = len(tokens.tokens) == tokens.n_real
        if is_full and n_whole < MAX_TOKENS and user_matrices_of(scenario).x is None:
            return min(MAX_TOKENS, n_whole + PADDING_ROOM)
    return None


@cached
def weights_in_force(scenario: Scenario) -> Scenario:
    """The scenario as the pages run it: with the last layer of the language model where weights by
    hand would leave head 0 empty, because no word asks or none answers. The user's own numbers keep
    their weights.

    >>> hello = Scenario("hello", weights="by hand", d_model=8, n_heads=2)
    >>> weights_in_force(hello).weights, weights_in_force(replace(hello, text="I love you")).weights
    ('language model', 'by hand')
    """
    if scenario.edits or scenario.own or (made := resolve(scenario).handmade) is None:
        return scenario
    with suppress(TextError, SettingsError):  # the page shows them
        ones = [in_batch(scenario, place) for place in range(len(sentences_of(scenario)))]
        if not any(by_hand.finds_something(tokens_of(one).tokens, made) for one in ones):
            model = LANGUAGE_MODEL
            there = replace(scenario, weights=model.name, model=STORIES)
            return replace(there, layer=model.first_layer)
    return scenario


@cached
def embedding_of(scenario: Scenario) -> Embedding:
    """The vectors of a scenario's tokens, for a batch those of its first sentence.

    Raises: TextError, SettingsError, FileError.
    """
    if scenario.batch:
        return embedding_of(in_batch(scenario, 0))
    run = resolve(scenario)
    return run.weights.embedding(run.chosen)
