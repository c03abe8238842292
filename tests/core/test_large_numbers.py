"""Scores of every size and along every axis, and more of them than there is room for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import (
    Projections,
    SettingsError,
    attend,
    causal_mask,
    scaled_dot_product_attention,
    softmax,
)
from tests.core.random_layers import Layer, assert_same, layers


@pytest.mark.parametrize("causal", [False, True])
def test_more_scores_than_there_is_room_for(causal: bool) -> None:
    x, heads = np.zeros((3, 30_000, 1)), np.zeros((3, 1, 30_000, 1))
    sizes = r"\b3\b.*\b1\b.*\b30000\b.*\b30000\b.*\b2,147,483,648\b"
    for call in (
        lambda: attend(x, Projections.weightless(1), causal=causal),
        lambda: scaled_dot_product_attention(heads, heads, heads, causal=causal),
    ):
        with pytest.raises(SettingsError, match=sizes):
            call()
    assert causal_mask(2, 2**26).sum() == 3  # 134 million cells, which a layer may have


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("size", [1e-30, 1, 60, 63.99, 64.01, 88, 89, 103, 700, 710, 1e4, 1e15])
@pytest.mark.parametrize("masked", [False, True])
def test_shares_at_every_size_of_score(size: float, dtype: str, masked: bool) -> None:
    query = np.full((1, 1, 1, 1), size, dtype)
    for sign in (1, -1):
        key = np.array([1, 1 - 0.5 / max(size, 1), 0, -1], dtype).reshape(1, 1, 4, 1) * sign
        mask = np.array([True, True, not masked, not masked])
        scores = (query * key).astype(np.float64).ravel()
        weights = np.where(mask, np.exp(np.clip(scores - scores[mask].max(), -745, 0)), 0)
        record = scaled_dot_product_attention(
            query, key, key, scale=1, mask=mask if masked else None
        )
        np.testing.assert_allclose(
            record.probabilities.ravel(),
            weights / weights.sum(),
            rtol=0,
            atol=2e-5 if dtype == "float32" else 1e-12,
        )


@given(layers(), st.sampled_from([1e8, -1e8]), st.sampled_from(["float64", "float32"]))
def test_huge_scores_stay_finite(layer: Layer, scale: float, dtype: str) -> None:
    """Scores of ±10^8 give shares that sum to 1, because the largest score of a row is
    subtracted before exp.
    """
    trace = layer.astype(dtype).run(scale=scale)
    assert_same(trace.probabilities.sum(axis=-1), np.ones(trace.probabilities.shape[:-1]), 1e-6)
    assert np.isfinite(trace.output).all()


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_softmax_runs_along_the_axis_it_is_given(axis: int) -> None:
    scores = np.random.default_rng(0).normal(size=(2, 3, 5))
    assert_same(softmax(scores, axis=axis).sum(axis=axis), np.ones_like(scores.sum(axis=axis)))
    assert_same(softmax(scores), softmax(scores, axis=2))
    np.moveaxis(scores, axis, 0)[:, 0, 0] = -np.inf
    assert (np.moveaxis(softmax(scores, axis=axis), axis, 0)[:, 0, 0] == 0).all()


@pytest.mark.parametrize(("dtype", "large"), [("float32", 3e38), ("float64", 1.7e308)])
def test_shares_of_the_largest_scores(dtype: str, large: float) -> None:
    assert softmax(np.array([large, -large, large], dtype)).tolist() == [0.5, 0, 0.5]


@pytest.mark.skipif(
    np.finfo(np.longdouble).max == np.finfo(float).max, reason="long double is float64 here"
)
@pytest.mark.parametrize("score", ["1e4000", "-1e4000"])
def test_scores_too_large_for_float64_are_refused(score: str) -> None:
    with pytest.raises(SettingsError, match=r"scores holds .*float64"):
        softmax(np.array([np.longdouble(score), 0]))
    assert softmax(np.array([0, 0, -np.inf], np.longdouble)).tolist() == [0.5, 0.5, 0]
