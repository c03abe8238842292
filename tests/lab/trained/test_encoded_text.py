"""A sentence in the trained encoder, as the pages about trained heads show it; one word changed."""

from __future__ import annotations

import numpy as np
import pytest

from attention_core import TextError, attend
from attention_lab.trained.attention_maps import AttentionMaps
from attention_lab.trained.change_a_word import (
    ChangedWord,
    changed_word,
    replace_word,
    word_to_replace,
)
from attention_lab.trained.encoded_text import encoded, trained_layer
from attention_lab.trained.head_finder import TARGET_RULES, rank_heads, word_to_word
from attention_lab.trained.language_text import language_run
from attention_lab.trained.minilm import load_minilm
from tests.lab.refusal import Facts, refused
from tests.lab.trained.minilm_maps import attention_of

ANIMAL = "The animal did not cross the street because it was too tired."


def change_word(text: str, old: str, new: str, n_tokens: int = 0) -> ChangedWord:
    """MiniLM's heads on a text and after a word was replaced."""
    return changed_word(
        attention_of(text, n_tokens), attention_of(replace_word(text, old, new), n_tokens)
    )


@pytest.mark.parametrize("layer", [0, 3, 5])
def test_one_layer_for_the_story(layer: int) -> None:
    taken, trace = trained_layer(ANIMAL, layer), encoded(ANIMAL).traces[layer]
    assert taken.tokens == trace.tokens
    assert taken.projections is load_minilm().layers[layer].attention
    assert taken.inputs.shape == (1, 15, 384)
    again = attend(taken.inputs, taken.projections, residual=True)
    assert np.array_equal(again.probabilities, trace.probabilities)
    assert np.array_equal(again.output, trace.output)


def test_heads_that_are_known() -> None:
    maps = attention_of(ANIMAL)
    it, animal = maps.tokens.index("it"), maps.tokens.index("animal")
    names = ("previous token", "next token")
    rules = [
        *(TARGET_RULES[name](maps.tokens) for name in names),
        word_to_word(maps.tokens, it, animal),
    ]
    previous, following, refers = (rank_heads(maps, rule).best(1)[0] for rule in rules)
    assert previous[:2] == (0, 2)
    assert previous[2] > 0.99
    assert following[:2] == (1, 8)
    assert refers == (3, 1, pytest.approx(0.69, abs=5e-3))


def test_the_preset() -> None:
    change = change_word(ANIMAL, "tired", "wide")
    it, animal, street = (change.tokens.index(word) for word in ("it", "animal", "street"))
    moved = change.differences[3, 1, it]
    assert (round(float(moved[animal]), 2), round(float(moved[street]), 2)) == (-0.36, 0.09)
    assert change.tokens[change.position] == "tired → wide"
    assert np.array_equal(change.before, np.stack(attention_of(ANIMAL).layers))


@pytest.mark.parametrize(
    ("old", "new", "places"),
    [
        ("tired", "unbelievably tiresome", ("tired", "unbelievably tiresome")),
        ("because", "although", ("because", "although")),
        ("too tired", "tired", ("was too", "was")),
        ("tired", "tired indeed", ("tired", "tired indeed")),
        ("The", "A big", ("the", "a big")),
    ],
)
def test_places_of_several_pieces(old: str, new: str, places: tuple[str, str]) -> None:
    change = change_word(ANIMAL, old, new)
    labels = [list(change.tokens_before), list(change.tokens_after)]
    assert tuple(tokens.pop(change.position) for tokens in labels) == places
    assert labels[0] == labels[1]
    assert change.before.shape == change.after.shape
    for shares in (change.before, change.after):
        np.testing.assert_allclose(shares.sum(axis=-1), 1, atol=1e-5)


def test_pieces_are_added_up_as_keys_and_averaged_as_queries() -> None:
    change = change_word(ANIMAL, "tired", "too tired")
    raw = attention_of(ANIMAL.replace("tired", "too tired"))
    place, layer = change.position, raw.layers[2][5]
    assert change.tokens_after[place].split() == list(raw.tokens[place : place + 2])
    assert change.after[2, 5, 0, place] == pytest.approx(layer[0, place] + layer[0, place + 1])
    expected = (layer[place, 0] + layer[place + 1, 0]) / 2
    assert change.after[2, 5, place, 0] == pytest.approx(expected)


def test_how_much_moved() -> None:
    change = change_word(ANIMAL, "tired", "wide")
    by_hand = np.abs(change.after[1, 2] - change.before[1, 2]).sum() / 2 / len(change.tokens)
    assert change.moved[1, 2] == pytest.approx(by_hand)
    assert ((change.moved >= 0) & (change.moved <= 1)).all()
    moves = change.largest(3)
    sizes = [abs(move.after - move.before) for move in moves]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] == pytest.approx(float(np.abs(change.differences).max()))
    assert len({(move.layer, move.head) for move in moves}) == 3


def test_replacing_words() -> None:
    assert replace_word("Cat, concat, cat", "cat", "dog") == "dog, concat, cat"
    assert replace_word("is it (it)?", "(it)", r"\1") == r"is it \1?"
    assert word_to_replace("a b c", "z") == "c"
    assert word_to_replace("!?", "z") == "z"


@pytest.mark.parametrize(
    ("text", "old", "new", "n_tokens", "facts"),
    [
        (ANIMAL, "dog", "cat", 0, ("“dog”",)),
        (ANIMAL, " ", "cat", 0, ("word",)),
        (ANIMAL, "tired", "", 0, ("word",)),
        (ANIMAL, "tired", "TIRED", 0, ("tokens",)),
        (ANIMAL, "tired", "wide", 6, ("tokens",)),
    ],
)
def test_what_cannot_be_compared(
    text: str, old: str, new: str, n_tokens: int, facts: Facts
) -> None:
    with refused(TextError, *facts):
        change_word(text, old, new, n_tokens)


def test_words_are_compared_whatever_pieces_spell_them() -> None:
    """In the language model "frog" has four pieces and "sad" two; in MiniLM each is one token."""
    text = "One day, a little frog was very sad. The"
    runs = [language_run(one) for one in (text, text.replace("frog", "bird"))]
    change = changed_word(*(AttentionMaps.of_traces(run.traces) for run in runs))
    words = change.in_words
    labels = [label.strip() for label in words.tokens_before]
    assert labels == [
        "<s>",
        "One",
        "day",
        ",",
        "a",
        "little",
        "frog",
        "was",
        "very",
        "sad",
        ".",
        "The",
    ]
    assert words.position == 6 == change.word_at(change.position)
    other = change_word(text, "frog", "bird")
    assert [one.lower() for one in labels[1:]] == list(other.in_words.tokens_before[1:-1])
    assert other.in_words.position == words.position
    frog, sad = range(6, 10), range(12, 14)
    shares = runs[0].traces[4].probabilities[0, 3]
    total = sum(shares[query, key] for query in sad for key in frog)
    assert words.before[4, 3, 9, 6] == pytest.approx(total / 2)
    assert words.before[4, 4, 11, 6] == pytest.approx(0.871, abs=2e-4)
    np.testing.assert_allclose(words.after.sum(axis=-1), 1)
