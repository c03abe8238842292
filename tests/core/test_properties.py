"""What is true of attention whatever the numbers: rows of probabilities, scale, biases, order of
tokens.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from attention_core import softmax
from tests.core.random_layers import Layer, assert_same, calls, layers

SCORES = st.lists(st.floats(-700, 700), min_size=1, max_size=7)
Call = tuple[Layer, dict[str, Any]]


@given(calls())
def test_rows_sum_to_one(call: Call) -> None:
    layer, options = call
    trace = layer.run(**options)
    assert (trace.probabilities >= 0).all()
    expected = 1.0 - (trace.empty_rows if trace.sink is None else trace.sink_share)
    assert_same(trace.probabilities.sum(axis=-1), expected)


@given(layers(self_attention=True))
def test_permutation_equivariance(layer: Layer) -> None:
    order = layer.permutation(layer.x.shape[1])
    straight, shuffled = layer.run(memory=None), layer.run(x=layer.x[:, order], memory=None)
    assert_same(shuffled.output, straight.output[:, order])
    assert_same(shuffled.probabilities, straight.probabilities[:, :, order][..., order])


@given(layers())
def test_the_order_of_the_keys_does_not_matter(layer: Layer) -> None:
    order = layer.permutation(layer.memory.shape[1])
    straight = layer.run(mask=layer.mask, bias=layer.bias)
    shuffled = layer.run(
        memory=layer.memory[:, order], mask=layer.mask[..., order], bias=layer.bias[..., order]
    )
    assert_same(shuffled.probabilities, straight.probabilities[..., order])
    assert_same(shuffled.output, straight.output)


@given(layers())
def test_rows_are_independent(layer: Layer) -> None:
    query = layer.rng.integers(layer.x.shape[1])
    other = layer.x.copy()
    other[:, query] += 1
    others = np.arange(layer.x.shape[1]) != query
    before, after = layer.run(mask=layer.mask), layer.run(x=other, mask=layer.mask)
    assert_same(after.output[:, others], before.output[:, others])
    assert_same(after.probabilities[:, :, others], before.probabilities[:, :, others])
    assert not np.array_equal(after.queries[:, query], before.queries[:, query])


@given(layers())
def test_scale_zero_is_uniform(layer: Layer) -> None:
    visible = layer.mask.sum(axis=-1, keepdims=True)
    assert_same(
        layer.run(scale=0, mask=layer.mask).probabilities, layer.mask / np.maximum(visible, 1)
    )


@given(layers())
def test_default_scale_is_the_root_of_the_head_width(layer: Layer) -> None:
    trace = layer.run()
    assert_same(trace.scaled_scores, trace.scores / np.sqrt(trace.query_heads.shape[-1]))
    assert_same(layer.run(scale=-0.3).scaled_scores, trace.scores * -0.3)


@given(layers())
def test_equal_keys_give_the_mean_of_the_values(layer: Layer) -> None:
    trace = layer.changed(w_k=np.zeros_like(layer.projections.w_k)).run()
    means = trace.value_heads.mean(axis=2, keepdims=True).repeat(
        layer.projections.n_heads // trace.sizes["G"], axis=1
    )
    assert_same(trace.head_outputs, np.broadcast_to(means, trace.head_outputs.shape))


@given(layers(), st.sampled_from([None, 0.0, 0.3, -2.0]))
def test_a_bias_adds_to_the_log_weights(layer: Layer, scale: float | None) -> None:
    weights = layer.run(scale=scale).probabilities * np.exp(layer.bias)
    assert_same(
        layer.run(scale=scale, bias=layer.bias).probabilities,
        weights / weights.sum(axis=-1, keepdims=True),
        1e-11,
    )


@given(layers(), st.sampled_from([1e8, -1e8]), st.sampled_from(["float64", "float32"]))
def test_huge_scores_stay_finite(layer: Layer, scale: float, dtype: str) -> None:
    """Scores of ±10^8 give shares that sum to 1, because the largest score of a row is
    subtracted before exp.
    """
    trace = layer.astype(dtype).run(scale=scale)
    assert_same(trace.probabilities.sum(axis=-1), np.ones(trace.probabilities.shape[:-1]), 1e-6)
    assert np.isfinite(trace.output).all()


@given(layers(), st.floats(0.1, 10))
def test_the_soft_cap_bounds_the_scores_before_mask_and_bias(layer: Layer, softcap: float) -> None:
    free = layer.run(scale=3.0)
    capped = layer.run(scale=3.0, softcap=softcap, mask=layer.mask, bias=layer.bias + 2 * softcap)
    assert (np.abs(capped.scaled_scores) <= softcap).all()
    assert_same(capped.scaled_scores, softcap * np.tanh(free.scaled_scores / softcap))
    expected = np.where(layer.mask, capped.scaled_scores + layer.bias + 2 * softcap, -np.inf)
    assert_same(capped.masked_scores, expected)


@given(SCORES, st.floats(-50, 50))
def test_softmax_ignores_a_shift_and_keeps_ratios(row: list[float], shift: float) -> None:
    shares = softmax(row)
    assert_same(softmax(np.add(row, shift)), shares)
    assume(shares.min() > 1e-200)
    assert_same(np.log(shares) - np.log(shares[0]), np.subtract(row, row[0]), 1e-11)


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_softmax_runs_along_the_axis_it_is_given(axis: int) -> None:
    scores = np.random.default_rng(0).normal(size=(2, 3, 5))
    assert_same(softmax(scores, axis=axis).sum(axis=axis), np.ones_like(scores.sum(axis=axis)))
    assert_same(softmax(scores), softmax(scores, axis=2))
    np.moveaxis(scores, axis, 0)[:, 0, 0] = -np.inf
    assert (np.moveaxis(softmax(scores, axis=axis), axis, 0)[:, 0, 0] == 0).all()
