"""The measures of all heads of all layers are those of each head alone."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from attention_core import SettingsError
from attention_lab.diagonal.measures import self_attention_of
from attention_lab.diagonal.metrics import measure_diagonal
from attention_lab.heads.head_portraits import MEASURES
from attention_lab.heads.patterns import pattern_of
from attention_lab.trained.attention_maps import AttentionMaps, pattern_of_layer
from attention_lab.trained.encoded_text import attention_of, encoded
from attention_lab.trained.head_finder import strongest_pair_of_head
from attention_lab.trained.layers import LAYER_MEASURES, measure_layers
from tests.lab.refusal import refused

TEXT = "A dog and another dog ran home."


def test_every_measure_is_that_of_one_head() -> None:
    maps, traces = attention_of(TEXT), encoded(TEXT).traces
    for layer, head in ((0, 3), (5, 11)):
        trace = traces[layer]
        pattern = pattern_of(trace)
        known = {
            one.key: float(one.value(pattern)[0, head]) for one in MEASURES if one.applies(pattern)
        }
        known = measure_diagonal(self_attention_of(trace, head)) | known
        for key in LAYER_MEASURES:
            value = measure_layers(key, maps, traces).values[layer, head]
            expected = known[key]
            assert value == pytest.approx(np.nan if expected is None else expected, nan_ok=True), (
                key
            )


def test_entropy_has_its_even_line() -> None:
    measured = measure_layers("entropy", attention_of(TEXT), encoded(TEXT).traces)
    assert measured.values.shape == (6, 12)
    assert measured.even == pytest.approx(np.full(6, np.log(len(attention_of(TEXT).tokens))))


def test_from_attention_alone() -> None:
    maps, traces = attention_of(TEXT), encoded(TEXT).traces
    for key in ("entropy", "mean_distance", "self_mass", "column_sums"):
        alone, whole = measure_layers(key, maps).values, measure_layers(key, maps, traces).values
        np.testing.assert_allclose(alone, whole, rtol=1e-6)
    for key in ("rank", "mean_margin", "gram_alignment"):
        with refused(SettingsError, "attention"):
            measure_layers(key, maps)


@pytest.mark.parametrize("key", ["normalised_entropy", "mean_distance", "column_sums"])
def test_a_long_head_is_measured_without_copies(key: str) -> None:
    layers = [np.full((1, 1024, 1024), 1 / 1024, np.float32)]
    assert peak_of(key, layers) < 1.8 * 8 * 2**20
    assert peak_of(key, [np.asfortranarray(layers[0])]) < 1.8 * 8 * 2**20


def peak_of(key: str, layers: list[np.ndarray]) -> int:
    """The most bytes that a measure needs at once, without the heads themselves."""
    maps = AttentionMaps.of(layers)
    assert maps.seen.all()
    tracemalloc.start()
    try:
        measure_layers(key, maps)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_head_alone_and_among_others_has_the_same_measures() -> None:
    rng = np.random.default_rng(0)
    shares = np.tril(rng.random((2, 2, 541, 541), dtype=np.float32))
    maps = AttentionMaps.of(list(shares / shares.sum(axis=-1, keepdims=True)))
    for one in (one for one in MEASURES if not one.of_scores):
        measured = measure_layers(one.key, maps)
        for layer in (0, 1):
            pattern = pattern_of_layer(maps, layer)
            np.testing.assert_allclose(measured.values[layer], one.value(pattern)[0], rtol=1e-12)
            baseline = one.baseline(pattern)
            assert baseline is not None
            assert measured.even is not None
            assert measured.even[layer] == pytest.approx(float(baseline[0].mean()), rel=1e-12)


def test_the_strongest_pair_of_words() -> None:
    shares = np.array([[0.9, 0.05, 0.05], [0.0, 0.6, 0.4], [0.8, 0.1, 0.1]])
    assert strongest_pair_of_head(
        AttentionMaps.of([shares[np.newaxis]], ["[CLS]", "a", "b"]), 0, 0
    ) == (1, 2)
    assert strongest_pair_of_head(
        AttentionMaps.of([shares[np.newaxis]], ["[CLS]", "a", "[SEP]"]), 0, 0
    ) == (0, 0)
    assert strongest_pair_of_head(
        AttentionMaps.of([shares[np.newaxis, :1]], ["x"], ["a", "b", "c"]), 0, 0
    ) == (0, 0)


def test_nothing_to_measure_has_no_even_line() -> None:
    measured = measure_layers("previous_mass", AttentionMaps.of([[[[1.0]]]]))
    assert np.isnan(measured.values).all()
    assert measured.even is None
    assert measure_layers("self_mass", AttentionMaps.of([[[[1.0]]]])).even == [1]
