"""Words with features: the lexicon, the vector of a word, and what is no word or no sentence."""

from __future__ import annotations

import numpy as np
import pytest

from attention_core import SettingsError, TextError
from attention_lab.labs.lexicon import (
    FEATURES,
    LEXICON,
    MAX_TOKENS,
    SECTIONS,
    TICKABLE,
    compose,
    own_word,
    section_slices,
)
from tests.lab.refusal import Facts, refused


def test_the_lexicon() -> None:
    """51 word forms, 16 features in six sections, exactly one part of speech each, at most one
    gender and number.
    """
    assert len(LEXICON) == 51
    assert len(FEATURES) == 16
    assert section_slices()["part of speech"] == slice(6, 12)
    for word, features in LEXICON.items():
        assert set(features) <= set(FEATURES), word
        assert len(set(features) & set(SECTIONS["part of speech"])) == 1, word
        assert len(set(features) & set(SECTIONS["gender"])) <= 1, word
        assert len(set(features) & set(SECTIONS["number"])) <= 1, word


def test_a_vector() -> None:
    """The fourth token of a sentence stands at a quarter of the circle; queen is fem sg anim
    NOUN.
    """
    vector = compose("the the the queen").vectors[4]
    assert vector[:12].tolist() == [0, 1, 0, 1, 0, 1, 1, 0, 0, 0, 0, 0]
    np.testing.assert_allclose(vector[12:], [0, 0, 0, 1], atol=1e-15)
    assert compose("a book").vectors[0, 14:].tolist() == [1, 0]


@pytest.mark.parametrize(
    ("word", "features", "error", "facts"),
    [
        ("<b>cat</b>", ["NOUN"], TextError, ("<b>cat</b>", "<")),
        ("a cat", ["NOUN"], TextError, ("' '",)),
        ("  ", ["NOUN"], TextError, (1, 24, 0)),
        ("x" * 25, ["NOUN"], TextError, (25,)),
        ("-", ["NOUN"], TextError, ("'-'",)),
        (
            "cat",
            ["masc"],
            SettingsError,
            ("NOUN", "PRON", "VERB", "DET", "CONN"),
        ),
        ("cat", ["NOUN", "VERB"], SettingsError, ("NOUN", "VERB")),
        ("cat", ["NOUN", "sg", "pl"], SettingsError, ("sg", "pl")),
        (
            "cat",
            ["NOUN", "START"],
            SettingsError,
            ("START", "masc"),
        ),
        ("cat", ["NOUN", "furry"], SettingsError, ("furry",)),
        (
            "cat",
            ["x" * 10**5],
            SettingsError,
            ("x" * 99,),
        ),
    ],
)
def test_bad_words(word: str, features: list[str], error: type[Exception], facts: Facts) -> None:
    """A word with markup, more than one word, or features that exclude each other are errors
    with a sentence.
    """
    with refused(error, *facts):
        own_word(word, features)
    assert len(TICKABLE) == 13


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("The queen saw her cat", ("cat",)),
        ("the " + "x" * 10**4, ("x" * 24,)),
        ("the <b>queen</b>", ("'<'",)),
        ("...", ("word",)),
        ("", ("word",)),
        ("the " * MAX_TOKENS, (17, 16)),
    ],
)
def test_bad_sentences(text: str, facts: Facts) -> None:
    """A word outside the lexicon, no word, or too many are errors with a sentence."""
    with refused(TextError, *facts):
        compose(text)
    assert len(compose("the " * (MAX_TOKENS - 1)).tokens) == MAX_TOKENS
