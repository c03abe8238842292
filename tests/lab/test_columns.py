"""Tokens as columns: the same numbers transposed, computed anew from Xᵀ."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import given, settings

from attention_core import STEPS, Projections, Trace, attend
from attention_lab.notation.columns import column_gap, column_layer
from tests.core.random_layers import Layer, assert_same, calls

B, T, S, D, M, K, V, H = 2, 3, 5, 7, 11, 13, 17, 6
MASK = np.random.default_rng(7).random((B, H, T, S)) < 0.6
MASK[0, 0, 1] = False


def run(**options: Any) -> Trace:
    """A layer in which every axis has another length."""
    rng = np.random.default_rng(5)
    x, memory = rng.normal(size=(B, T, D)), rng.normal(size=(B, S, M))
    weights = Projections.random(D, H, d_k=K, d_v=V, d_memory=M, bias=True)
    return attend(x, weights, memory=memory, **options)


@settings(max_examples=40)
@given(calls())
def test_the_numbers_are_the_same_for_any_layer(call: tuple[Layer, dict[str, Any]]) -> None:
    layer, options = call
    trace = layer.run(**options)
    for name, array in column_layer(trace).items():
        assert_same(array.swapaxes(-1, -2), getattr(trace, name))
    assert column_gap(trace) < 1e-11


def test_no_w_o_and_nan_rows() -> None:
    trace = run()
    joined = replace(trace.projections, w_o=None, b_o=np.arange(H * V))
    assert (
        column_gap(attend(trace.inputs, joined, memory=trace.memory, softcap=0.5, scale=-0.25))
        < 1e-12
    )
    empty = run(mask=MASK, empty_rows="nan")
    assert np.isnan(empty.probabilities).any()
    assert column_gap(empty) < 1e-12


def test_three_tokens_by_hand() -> None:
    columns = column_layer(attend([[1.0], [2.0], [3.0]], Projections.weightless(1)))
    assert list(columns) == list(STEPS)
    assert columns["inputs"].tolist() == [[[1, 2, 3]]]
    assert columns["probabilities"][0, 0].round(4).tolist() == [
        [0.09, 0.0159, 0.0024],
        [0.2447, 0.1173, 0.0473],
        [0.6652, 0.8668, 0.9503],
    ]
    assert_same(columns["probabilities"].sum(axis=-2), np.ones((1, 1, 3)))
    assert_same(columns["output"], columns["inputs"] @ columns["probabilities"][0])


def test_a_wrong_number_is_found_and_not_a_number_is_never_small() -> None:
    trace = run(mask=MASK, residual=True)
    for name, more in [*((name, 1e-3) for name in STEPS), ("output", np.nan)]:
        wrong = getattr(trace, name).copy()
        wrong[tuple(np.argwhere(np.isfinite(wrong))[-1])] += more
        assert not column_gap(replace(trace, **{name: wrong})) < 1e-4, name
