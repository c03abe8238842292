"""Sentences in one batch: padding hides keys and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from attention_core import Projections, TextError, attend
from attention_core.embeddings import embed
from attention_core.masks.batches import batch_of
from tests.core.random_layers import assert_same

TEXTS = ("The queen saw her sons", "Stop!", "They called her")
BATCH = batch_of(TEXTS, d_model=6)
TRACE = attend(BATCH.inputs, Projections.random(6, 2), mask=BATCH.mask)


def test_the_lengths() -> None:
    """All sequences are as long as the longest sentence; how many tokens are real is kept for each."""
    assert BATCH.inputs.shape == (3, 5, 6)
    assert BATCH.lengths == (5, 2, 3)
    assert BATCH.tokens[1] == ("Stop", "!", "[pad]", "[pad]", "[pad]")
    assert BATCH.mask[:, 0, 0].sum(axis=1).tolist() == [5, 2, 3]


@pytest.mark.parametrize("row", range(3))
def test_each_sentence_is_embedded_like_alone(row: int) -> None:
    """The vectors of a sequence are those of its tokens."""
    assert (BATCH.inputs[row] == embed(BATCH.tokens[row], 6).inputs).all()


@pytest.mark.parametrize("row", range(3))
def test_a_sentence_in_the_batch_is_the_sentence_alone(row: int) -> None:
    """The outputs of the real tokens are those of the sentence without company and padding."""
    n_real = BATCH.lengths[row]
    alone = attend(embed(BATCH.tokens[row][:n_real], 6).inputs, TRACE.projections)
    assert_same(TRACE.output[row, :n_real], alone.output[0])


def test_padded_queries_still_ask() -> None:
    """A padding mask hides keys: the rows of padded queries are probabilities like any other, over the real keys."""
    rows = TRACE.probabilities[1, :, 2:]
    assert_same(rows.sum(axis=-1), np.ones((2, 3)))
    assert not rows[..., 2:].any()
    assert np.abs(TRACE.output[1, 2:]).min() > 0


def test_options_of_the_embedding() -> None:
    """Whole numbers, no positions and pieces of words are passed on."""
    batch = batch_of(["attention"], 4, kind="integers", positions=False, piece=5)
    assert batch.tokens == (("atten", "##tion"),)
    assert (batch.inputs[0] == embed(batch.tokens[0], 4, kind="integers", positions=False).inputs).all()


def test_a_batch_of_long_sentences_is_cut() -> None:
    """No sequence is longer than 64 tokens."""
    batch = batch_of(["word " * 100, "short"], 2)
    assert batch.inputs.shape == (2, 64, 2)
    assert batch.lengths == (64, 1)


@pytest.mark.parametrize("texts", [[], [" "], ["one", ""]])
def test_sentences_without_words(texts: list[str]) -> None:
    """No sentence, or one without a word, is an error with a sentence."""
    with pytest.raises(TextError, match="at least one"):
        batch_of(texts, 4)
