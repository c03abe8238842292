"""Words become vectors by their own hash, positions by sines and cosines; both are fixed for
ever.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_lab.words.embeddings import EMBEDDINGS, embed, sinusoidal_positions, word_vector

# These numbers must never change: the same sentence shows the same numbers in every lesson, on
# every machine.
FROZEN = {
    ("cat", "normal"): [-0.10355767179750687, 0.22542759281043115, -0.11987800289101341],
    ("cat", "integers"): [-1, 1, 1, 0, 0, 1, 1, 1],
    ("שלום", "normal"): [-1.5285836622081443, 0.21634559940074755],
}


@pytest.mark.parametrize(("word", "kind"), FROZEN)
def test_the_vectors_never_change(word: str, kind: str) -> None:
    expected = FROZEN[word, kind]
    assert word_vector(word, len(expected), kind).tolist() == expected


@pytest.mark.parametrize("kind", EMBEDDINGS)
@given(word=st.text(st.characters(categories=None), max_size=9), width=st.integers(1, 13))
def test_a_wider_vector_starts_with_the_narrow_one(kind: str, word: str, width: int) -> None:
    narrow, wide = word_vector(word, width, kind), word_vector(word, width + 4, kind)
    assert narrow.shape == (width,)
    assert narrow.tolist() == wide[:width].tolist()


def test_a_repeated_word_has_the_same_vector() -> None:
    words = embed(["the", "cat", "the", "The"], 5, positions=False).inputs
    assert words[0].tolist() == words[2].tolist()
    assert len({tuple(row) for row in words.tolist()}) == 3


def test_integers_are_small_whole_numbers() -> None:
    numbers = np.concatenate([word_vector(f"word {i}", 7, "integers") for i in range(60)])
    assert sorted(set(numbers.tolist())) == [-2, -1, 0, 1, 2]


def test_the_position_code_by_hand() -> None:
    n_tokens, width = 5, 7
    code = sinusoidal_positions(n_tokens, width)
    for t in range(n_tokens):
        for feature in range(width):
            angle = t / 10_000 ** (2 * (feature // 2) / width)
            expected = math.cos(angle) if feature % 2 else math.sin(angle)
            assert code[t, feature] == pytest.approx(expected, abs=1e-15)


def test_inputs_are_words_plus_positions() -> None:
    with_code, without = embed(["a", "b", "a"], 5), embed(["a", "b", "a"], 5, positions=False)
    assert (with_code.inputs == with_code.words + sinusoidal_positions(3, 5)).all()
    assert (with_code.words == without.words).all()
    assert not without.positions.any()
    assert (without.inputs == without.words).all()
