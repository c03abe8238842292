"""Words with features: the lexicon, the vector of a word, and refused words and sentences."""

from __future__ import annotations

import numpy as np
import pytest

from attention_core import TextError
from attention_lab.labs.lexicon import (
    FEATURE_SECTIONS,
    LEXICON,
    LEXICON_FEATURES,
    MAX_LEXICON_TOKENS,
    compose_sentence,
    section_slices,
)
from tests.lab.refusal import Facts, refused


def test_the_lexicon() -> None:
    assert len(LEXICON) == 51
    assert len(LEXICON_FEATURES) == 16
    assert section_slices()["part of speech"] == slice(6, 12)
    for word, features in LEXICON.items():
        assert set(features) <= set(LEXICON_FEATURES), word
        assert len(set(features) & set(FEATURE_SECTIONS["part of speech"])) == 1, word
        assert len(set(features) & set(FEATURE_SECTIONS["gender"])) <= 1, word
        assert len(set(features) & set(FEATURE_SECTIONS["number"])) <= 1, word


def test_a_vector() -> None:
    vector = compose_sentence("the the the queen").vectors[4]
    assert vector[:12].tolist() == [0, 1, 0, 1, 0, 1, 1, 0, 0, 0, 0, 0]
    np.testing.assert_allclose(vector[12:], [0, 0, 0, 1], atol=1e-15)
    assert compose_sentence("a book").vectors[0, 14:].tolist() == [1, 0]


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("The queen saw her cat", ("cat",)),
        ("the " + "x" * 10**4, ("x" * 24,)),
        ("the <b>queen</b>", ("'<'",)),
        ("...", ("word",)),
        ("", ("word",)),
        ("the " * MAX_LEXICON_TOKENS, (17, 16)),
    ],
)
def test_bad_sentences(text: str, facts: Facts) -> None:
    with refused(TextError, *facts):
        compose_sentence(text)
    assert len(compose_sentence("the " * (MAX_LEXICON_TOKENS - 1)).tokens) == MAX_LEXICON_TOKENS
