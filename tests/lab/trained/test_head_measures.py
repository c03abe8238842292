"""The measures of all heads of all layers are those of each head alone; heads that copy."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from attention_lab.heads.head_portraits import MEASURES
from attention_lab.heads.patterns import pattern_of
from attention_lab.trained.attention_maps import AttentionMaps, pattern_of_layer
from attention_lab.trained.encoded_text import encoded
from attention_lab.trained.head_measures import (
    HEAD_MEASURES,
    MeasuredHeads,
    copied_logits,
    copied_when_off,
    measure_heads,
    measures_for,
)
from attention_lab.trained.language_model import language_model
from attention_lab.trained.language_text import language_run
from tests.lab.trained.minilm_maps import attention_of

MODEL = language_model()
TEXT = "A dog and another dog ran home."
BY_KEY = {measure.key: measure for measure in MEASURES}


def test_every_measure_is_that_of_one_head() -> None:
    maps, traces = attention_of(TEXT), encoded(TEXT).traces
    for layer, head in ((0, 3), (5, 11)):
        pattern = pattern_of(traces[layer])
        for measure in HEAD_MEASURES.values():
            value = measure_heads(measure, maps, traces).values[layer, head]
            assert value == pytest.approx(float(measure.value(pattern)[0, head])), measure.key


def test_from_attention_alone() -> None:
    maps, traces = attention_of(TEXT), encoded(TEXT).traces
    for name in measures_for(maps, with_scores=False):
        one = HEAD_MEASURES[name]
        alone, whole = measure_heads(one, maps).values, measure_heads(one, maps, traces).values
        np.testing.assert_allclose(alone, whole, rtol=1e-6)
    assert set(HEAD_MEASURES) - set(measures_for(maps, with_scores=False)) == {"rank of the scores"}
    across = AttentionMaps.of([np.full((1, 2, 3), 1 / 3)])
    assert "mean distance" not in measures_for(across, with_scores=False)


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
        measure_heads(BY_KEY[key], maps)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_head_alone_and_among_others_has_the_same_measures() -> None:
    rng = np.random.default_rng(0)
    shares = np.tril(rng.random((2, 2, 541, 541), dtype=np.float32))
    maps = AttentionMaps.of(list(shares / shares.sum(axis=-1, keepdims=True)))
    for one in (one for one in MEASURES if not one.of_scores):
        measured = measure_heads(one, maps)
        for layer in (0, 1):
            pattern = pattern_of_layer(maps, layer)
            np.testing.assert_allclose(measured.values[layer], one.value(pattern)[0], rtol=1e-12)
            baseline = one.baseline(pattern)
            assert baseline is not None
            assert measured.even is not None
            assert measured.even[layer] == pytest.approx(float(baseline[0].mean()), rel=1e-12)


def test_nothing_to_measure_has_no_even_line() -> None:
    measured = measure_heads(BY_KEY["previous_mass"], AttentionMaps.of([[[[1.0]]]]))
    assert np.isnan(measured.values).all()
    assert measured.even is None
    assert measured.means == [None]
    assert measured.best() == []
    assert measure_heads(BY_KEY["self_mass"], AttentionMaps.of([[[[1.0]]]])).even == [1]


def test_the_best_heads_have_values() -> None:
    measured = MeasuredHeads(np.array([[0.5, np.nan], [2.0, -1.0]]))
    assert measured.best(3) == [(1, 0, 2.0), (0, 0, 0.5), (1, 1, -1.0)]
    assert measured.best(4) == measured.best(3)


def test_what_a_head_copies_term_by_term() -> None:
    run = language_run("The cat saw a cat")
    decoder, layer, head = run.decoder, 3, 5
    trace, gain = run.traces[layer], decoder.last_norm.gain
    rows = trace.projections.w_o[8 * head : 8 * head + 8]
    n_tokens = len(run.ids)
    total = 0.0
    for query in range(2, n_tokens):
        divisor = np.sqrt((run.streams[-1][query] ** 2).mean() + decoder.last_norm.epsilon)
        for key in range(1, query):
            added = trace.value_heads[0, head // 2, key] @ rows
            logits = decoder.embedding @ (added * gain / divisor)
            share = trace.probabilities[0, head, query, key]
            total += share * (logits[run.ids[key]] - logits.mean())
    found = copied_logits(run).values[layer, head]
    assert found == pytest.approx(total / (n_tokens - 2), rel=1e-12)


def test_what_is_lost_without_a_copier_term_by_term() -> None:
    """Here the direct path and the loss differ in sign."""
    ids = MODEL.encode("One day, a little frog was very sad. The")
    run, off = MODEL.run(ids), MODEL.run(ids, without=[(2, 5)])
    total = 0.0
    for query in range(2, len(ids)):
        fall = run.logits[query] - off.logits[query]
        for key in range(1, query):
            share = run.traces[2].probabilities[0, 5, query, key]
            total += share * (fall[ids[key]] - sum(fall) / 512)
    found = copied_when_off(run, 2, 5)
    assert found == pytest.approx(total / (len(ids) - 2), rel=1e-9)
    assert found < 0 < copied_logits(run).values[2, 5]
    assert np.isnan(copied_when_off(language_run("a", 2), 2, 5))


def test_without_an_earlier_piece_nothing_is_copied() -> None:
    run = language_run("a", 2)
    assert np.isnan(copied_logits(run).values).all()
    assert copied_logits(language_run("a a")).values.shape == (5, 8)
