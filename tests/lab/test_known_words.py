"""The words that the layer made by hand knows, and sentences in which its weights find nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attention_lab.by_hand import WORD_FEATURES, part_of_speech, unknown_words
from attention_lab.scenario import Scenario, trace_of
from attention_lab.sentences import weights_in_force
from attention_lab.user_data.edits import Edit, Edits
from attention_lab.words.text import tokenize

FIRST = Scenario("the cat ran", weights="by hand", d_model=8, n_heads=2)


def test_words_it_does_not_know() -> None:
    trace = trace_of(replace(FIRST, text="zorp, 7 猫 it", n_tokens=6))
    assert [part_of_speech(token) for token in trace.tokens] == [("other",)] * 4 + [
        ("pronoun",),
        ("other",),
    ]
    np.testing.assert_allclose(trace.probabilities[0, 0], 1 / 6)
    assert unknown_words(trace.tokens) == ("zorp", "猫")
    assert part_of_speech("Zorp") == part_of_speech("Alice’s") == part_of_speech("cat")
    assert part_of_speech("ZORP") == part_of_speech("7") == ("other",)


@pytest.mark.parametrize(
    ("text", "weights"),
    [
        ("I love you", "by hand"),
        ("dogs bark at cats", "by hand"),
        ("Alice gave Bob her book and he read it", "by hand"),
        ("What does the cat want?", "by hand"),
        ("hello", "random"),
        ("it rained", "random"),
        ("猫が好き", "random"),
        ("🙂", "random"),
        ("", "by hand"),  # no layer: the page says so
    ],
)
def test_weights_that_find_nothing_become_random(text: str, weights: str) -> None:
    scenario = replace(FIRST, text=text)
    found = weights_in_force(scenario)
    assert found == replace(scenario, weights=weights)
    if text:
        assert trace_of(found).scores[0, 0].any()
        assert trace_of(scenario).scores[0, 0].any() == (weights == "by hand")
    edited = replace(scenario, edits=Edits((Edit("w_q", 0, 0, 1.0),)).url_value())
    assert weights_in_force(edited) == edited


def test_one_sentence_of_a_batch_is_enough_for_weights_by_hand() -> None:
    assert weights_in_force(replace(FIRST, text="hello", batch="the cat ran")).weights == "by hand"
    assert weights_in_force(replace(FIRST, text="hello", batch="yes")).weights == "random"


def test_the_lexicon_is_large_enough() -> None:
    assert len(WORD_FEATURES) > 1000
    assert {"noun", "animate", "pronoun", "verb", "other"} == {
        part for parts in WORD_FEATURES.values() for part in parts
    }
    for word, parts in WORD_FEATURES.items():
        assert tokenize(word).tokens == (word,) == (word.casefold(),)
        assert "animate" not in parts or "noun" in parts or "pronoun" in parts
