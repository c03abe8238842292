"""What the scale does to the scores of a head and to its softmax."""

from __future__ import annotations

import numpy as np
import pytest

from attention_core import (
    Projections,
    attend,
    softmax,
)
from attention_lab.heads.scale_effect import scale_effect, unmasked_shares
from tests.core.random_layers import assert_same
from tests.lab.small_layer import D, K, S, T, cross_layer


def test_the_scale_effect() -> None:
    trace = cross_layer()
    effect = scale_effect(trace, 4, batch=1)
    assert effect.spread == pytest.approx(effect.spread_raw * K**-0.5)
    assert effect.spread_raw == pytest.approx(float(np.std(trace.scores[1, 4])))
    assert effect.top_raw == pytest.approx(
        float(np.mean([softmax(row).max() for row in trace.scores[1, 4]]))
    )
    assert effect.top == pytest.approx(float(trace.probabilities[1, 4].max(axis=-1).mean()))
    assert 1 / S <= effect.top < effect.top_raw <= 1


def test_unmasked_shares_are_the_softmax_of_the_scores() -> None:
    trace = cross_layer(mask=np.arange(S) < 2)
    raw_TS, scaled_TS = unmasked_shares(trace, 4, batch=1)
    for query in range(T):
        assert_same(raw_TS[query], softmax(trace.scores[1, 4, query]))
        assert_same(scaled_TS[query], softmax(trace.scaled_scores[1, 4, query]))
    assert_same(scaled_TS, cross_layer().probabilities[1, 4])


def test_the_scale_effect_ignores_the_mask() -> None:
    hidden = scale_effect(cross_layer(mask=np.arange(S) < 2), 1)
    assert vars(hidden) == vars(scale_effect(cross_layer(), 1))


@pytest.mark.parametrize(
    ("dtype", "size"), [("float32", 2.0**33), ("float64", 2.0**260), ("float64", 2.0**-300)]
)
def test_the_scale_effect_of_very_large_and_small_scores(dtype: str, size: float) -> None:
    numbers = np.random.default_rng(5).normal(size=(2, T, D)).astype(dtype)
    trace, larger = (
        attend(x, Projections.weightless(D).astype(dtype)) for x in (numbers, numbers * size)
    )
    assert scale_effect(larger, 0).spread_raw == scale_effect(trace, 0).spread_raw * size**2
    assert scale_effect(larger, 0).spread == scale_effect(trace, 0).spread * size**2
