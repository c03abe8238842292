"""A sentence in the trained encoder, as the pages about trained heads show it."""

from __future__ import annotations

import numpy as np
import pytest

from attention_core import SettingsError, attend
from attention_lab.trained.attention_maps import AttentionMaps
from attention_lab.trained.encoded_text import (
    WeightlessAttention,
    attend_without_weights,
    encoded,
    trained_layer,
)
from attention_lab.trained.head_finder import TARGET_RULES, rank_heads, word_to_word
from attention_lab.trained.minilm import load_minilm
from tests.lab.refusal import refused

ANIMAL = "The animal did not cross the street because it was too tired."


@pytest.fixture(scope="module")
def kinds() -> dict[str, WeightlessAttention]:
    """Attention without weights over the vectors of the sentence, by the kind of vector."""
    return {kind.name: kind for kind in attend_without_weights(ANIMAL)}


def test_six_labelled_traces_of_twelve_heads() -> None:
    result = encoded(ANIMAL)
    assert [trace.probabilities.shape for trace in result.traces] == [(1, 12, 15, 15)] * 6
    assert result.tokens[:4] == ("[CLS]", "the", "animal", "did")
    assert result.tokens[-1] == "[SEP]"
    assert encoded(ANIMAL) is result


@pytest.mark.parametrize("layer", [0, 3, 5])
def test_one_layer_for_the_story(layer: int) -> None:
    taken, trace = trained_layer(ANIMAL, layer), encoded(ANIMAL).traces[layer]
    assert taken.tokens == trace.tokens
    assert taken.inputs.shape == (1, 15, 384)
    again = attend(taken.inputs, taken.projections, residual=True)
    assert np.array_equal(again.probabilities, trace.probabilities)
    assert np.array_equal(again.output, trace.output)


def test_the_weights_are_not_copied() -> None:
    assert (
        trained_layer("A sentence that no other test has", 2).projections
        is load_minilm().layers[2].attention
    )


@pytest.mark.parametrize("layer", [-1, 6])
def test_a_layer_that_does_not_exist(layer: int) -> None:
    with refused(SettingsError, 0, 5):
        trained_layer(ANIMAL, layer)


def test_weightless_attention_is_even_on_word_vectors(
    kinds: dict[str, WeightlessAttention],
) -> None:
    assert np.abs(kinds["words"].trace.probabilities * 15 - 1).max() < 0.15
    for name in ("words", "words and positions"):
        assert 0 < kinds[name].length < 0.2
        assert kinds[name].share < 0.08


def test_weightless_attention_is_nearly_the_identity_after_layer_norm(
    kinds: dict[str, WeightlessAttention],
) -> None:
    kind = kinds["after LayerNorm"]
    x = kind.trace.inputs[0]
    assert kind.length == pytest.approx(float((x**2).sum(axis=-1).mean()) / 384**0.5)
    assert kind.length > 4 > 0.5 > kind.others
    assert kind.share > 0.7
    assert (kind.trace.probabilities[0, 0].argmax(axis=-1) == np.arange(15)).all()


def test_heads_that_are_known() -> None:
    maps = AttentionMaps.of_encoded(encoded(ANIMAL))
    best = {
        name: rank_heads(maps, rule(maps.tokens)).best(1)[0] for name, rule in TARGET_RULES.items()
    }
    assert best["previous token"][:2] == (0, 2)
    assert best["previous token"][2] > 0.99
    assert best["next token"][:2] == (1, 8)
    it, animal = maps.tokens.index("it"), maps.tokens.index("animal")
    layer, head, share = rank_heads(maps, word_to_word(maps.tokens, it, animal)).best(1)[0]
    assert (layer, head, round(share, 2)) == (3, 1, 0.69)
