"""The encoder around attention: LayerNorm, feed-forward, GELU, their order, and what each part
adds.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import Projections, SettingsError, attend
from attention_lab.layer_norm import Norm
from attention_lab.trained.encoder import EncoderLayer, encode
from attention_lab.trained.feed_forward import FeedForward, erf, gelu, run_feed_forward
from tests.lab.refusal import refused

T, D, F, H = 5, 6, 11, 2


def a_layer(seed: int, dtype: type[np.floating] = np.float64) -> EncoderLayer:
    """Random weights of one layer."""
    rng = np.random.default_rng(seed)

    def numbers(*shape: int) -> np.ndarray:
        return rng.normal(size=shape).astype(dtype)

    return EncoderLayer(
        Projections.random(D, H, seed=seed, bias=True).astype(dtype),
        Norm(numbers(D), numbers(D), epsilon=0.25),
        FeedForward(numbers(D, F), numbers(F), numbers(F, D), numbers(D)),
        Norm(numbers(D), numbers(D)),
    )


def vectors(dtype: type[np.floating] = np.float64) -> np.ndarray:
    """Five tokens."""
    return np.random.default_rng(7).normal(size=(T, D)).astype(dtype)


def normed_by_loops(row: list[float], norm: Norm) -> list[float]:
    """LayerNorm of one token in plain Python."""
    mean = sum(row) / len(row)
    variance = sum((number - mean) ** 2 for number in row) / len(row)
    scale = 1 / math.sqrt(variance + norm.epsilon)
    return [
        (x - mean) * scale * gain + offset
        for x, gain, offset in zip(row, norm.gain, norm.offset, strict=True)
    ]


def fed_by_loops(row: list[float], weights: FeedForward) -> list[float]:
    """The feed-forward part of one token in plain Python."""
    wide = [
        sum(x * weights.w_in[d, f] for d, x in enumerate(row)) + weights.b_in[f] for f in range(F)
    ]
    passed = [x * NormalDist().cdf(x) for x in wide]
    return [
        sum(x * weights.w_out[f, d] for f, x in enumerate(passed)) + weights.b_out[d]
        for d in range(D)
    ]


def test_the_order_of_a_layer() -> None:
    layer, x = a_layer(3), vectors()
    encoded = encode(x, [layer])
    trace, output = encoded.traces[0], encoded.output
    alone = attend(x, layer.attention).output[0]
    attended = [normed_by_loops(row, layer.attention_norm) for row in (alone + x).tolist()]
    added = [
        [a + b for a, b in zip(row, fed_by_loops(row, layer.feed_forward), strict=True)]
        for row in attended
    ]
    np.testing.assert_allclose(
        output, [normed_by_loops(row, layer.output_norm) for row in added], atol=1e-12
    )
    assert trace.residual
    np.testing.assert_allclose(trace.output[0], alone + x, atol=1e-14)


def test_layers_follow_each_other() -> None:
    layers = [a_layer(4), a_layer(5)]
    tokens = tuple("abcde")
    encoded = encode(vectors(), layers, tokens)
    first = encode(vectors(), layers[:1])
    assert np.array_equal(encoded.traces[0].probabilities, first.traces[0].probabilities)
    assert np.array_equal(encoded.traces[1].inputs[0], first.output)
    assert np.array_equal(encoded.output, encode(first.output, layers[1:]).output)
    assert encoded.tokens == tokens
    assert {trace.tokens for trace in encoded.traces} == {tokens}


def test_single_precision_stays() -> None:
    encoded = encode(vectors(np.float32), [a_layer(6, np.float32)])
    assert encoded.output.dtype == np.float32
    assert encoded.traces[0].scores.dtype == np.float32
    np.testing.assert_allclose(encoded.output, encode(vectors(), [a_layer(6)]).output, atol=1e-4)


def test_numbers_that_grow_too_large() -> None:
    weights = FeedForward(np.ones((D, F)), np.ones(F), np.full((F, D), 1e200), np.ones(D))
    with refused(SettingsError):
        run_feed_forward(1e200 * np.ones((T, D)), weights)


LAST_BIT = 2**-23  # of float32 before 1
EVERYWHERE = np.concatenate([np.linspace(-6, 6, 24_001), 10.0 ** np.linspace(-30, 38, 301), [0.0]])


def c_library(x: np.ndarray) -> np.ndarray:
    """math.erf of every number."""
    return np.array([math.erf(value) for value in x.tolist()])


def test_float32_is_right_to_the_last_bit() -> None:
    x = np.concatenate([EVERYWHERE, -EVERYWHERE]).astype(np.float32)
    result = erf(x)
    assert result.dtype == np.float32
    assert np.abs(result - c_library(x)).max() <= LAST_BIT
    assert np.abs(result).max() <= 1


def test_float64_is_the_c_library() -> None:
    x = EVERYWHERE[:24_000].reshape(2, 3, -1)
    assert erf(x).shape == x.shape
    assert (erf(x).ravel() == c_library(x.ravel())).all()


@settings(max_examples=40)
@given(st.floats(-30, 30))
def test_gelu_is_x_times_the_chance_of_a_smaller_one(x: float) -> None:
    assert gelu([x])[0] == pytest.approx(x * NormalDist().cdf(x), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize(("dtype", "large"), [(np.float32, 3e38), (np.float64, 1.7e308)])
def test_the_largest_numbers_pass(dtype: type, large: float) -> None:
    x = np.array([large, -large], dtype)
    assert gelu(x).tolist() == [x[0], 0]
