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


@given(layers(), st.sampled_from([1e8, -1e8]), st.sampled_from(["float64", "float32"]))
def test_huge_scores_stay_finite(layer: Layer, scale: float, dtype: str) -> None:
    """Scores of ±10^8 give shares that sum to 1, because the largest score of a row is
    subtracted before exp.
    """
    trace = layer.astype(dtype).run(scale=scale)
    assert_same(trace.probabilities.sum(axis=-1), np.ones(trace.probabilities.shape[:-1]), 1e-6)
    assert np.isfinite(trace.output).all()


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
