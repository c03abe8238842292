"""Scores of every size, and more of them than fit into one portion."""

from __future__ import annotations

import numpy as np
import pytest

from attention_core import (
    Projections,
    SettingsError,
    attend,
    causal_mask,
    scaled_dot_product_attention,
    softmax,
)


@pytest.mark.parametrize(
    "shape",
    [(1, 1, 700, 250), (2, 2, 300, 330), (5, 3, 40, 1000), (7, 3, 10, 1000), (1, 1, 3, 140_000)],
    ids=str,
)
def test_long_sequences(shape: tuple[int, int, int, int]) -> None:
    n_batch, n_heads, n_queries, n_keys = shape
    rng = np.random.default_rng(n_keys)
    query, key = (
        rng.normal(size=(n_batch, n_heads, n_queries, 2)),
        rng.normal(size=(n_batch, n_heads, n_keys, 2)),
    )
    mask, bias = (
        rng.random((n_batch, 1, n_queries, n_keys)) < 0.5,
        rng.normal(size=(n_heads, 1, n_keys)),
    )
    record = scaled_dot_product_attention(query, key, key, mask=mask, bias=bias, softcap=2.0)
    scores = query @ key.swapaxes(-1, -2)
    scaled = 2 * np.tanh(scores / np.sqrt(2) / 2)
    masked = np.where(mask, scaled + bias, -np.inf)
    weights = np.exp(masked)
    shares = weights / weights.sum(axis=-1, keepdims=True)
    expected = {
        "scores": scores,
        "scaled_scores": scaled,
        "masked_scores": masked,
        "probabilities": shares,
    }
    for name, array in (expected | {"head_outputs": shares @ key}).items():
        np.testing.assert_allclose(
            getattr(record, name), array, rtol=1e-10, atol=1e-12, err_msg=name
        )


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
        mask = np.array([True, True, True, not masked])
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


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_scores_beyond_exp(dtype: str) -> None:
    """Where exp(score) itself would overflow, the larger score simply gets all the attention;
    no warning.
    """
    trace = attend(np.array([[1e4], [-1e4]], dtype), Projections.weightless(1).astype(dtype))
    assert trace.probabilities[0, 0].tolist() == [[1, 0], [0, 1]]
    assert trace.output[0].tolist() == [[1e4], [-1e4]]


@pytest.mark.parametrize(("dtype", "large"), [("float32", 3e38), ("float64", 1.7e308)])
def test_shares_of_the_largest_scores(dtype: str, large: float) -> None:
    assert softmax(np.array([large, -large, large], dtype)).tolist() == [0.5, 0, 0.5]


@pytest.mark.parametrize("bias", [[[1e300]], [[-1e300]], [[3.4e38]]])
def test_a_bias_too_large_for_float32_is_refused(bias: list[list[float]]) -> None:
    one = np.full((1, 1), 1e19, np.float32)
    with pytest.raises(SettingsError, match="float32"):
        attend(one, Projections.weightless(1).astype("float32"), bias=bias)


@pytest.mark.skipif(
    np.finfo(np.longdouble).max == np.finfo(float).max, reason="long double is float64 here"
)
@pytest.mark.parametrize("score", ["1e4000", "-1e4000"])
def test_scores_too_large_for_float64_are_refused(score: str) -> None:
    with pytest.raises(SettingsError, match=r"scores holds .*float64"):
        softmax(np.array([np.longdouble(score), 0]))
    assert softmax(np.array([0, 0, -np.inf], np.longdouble)).tolist() == [0.5, 0.5, 0]
