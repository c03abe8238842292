"""What each head adds to the output, and that the parts add up to it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from attention_core import Projections, Trace, attend
from attention_lab.heads.weight_blocks import (
    absorbed_contributions,
    absorbed_size,
    head_contributions,
    output_gap,
)
from tests.core.random_layers import Layer, assert_same, calls
from tests.lab.small_layer import SELF_LAYERS, V, cross_layer

BOTH = pytest.mark.parametrize("trace", SELF_LAYERS, ids=["plain", "everything"])


@given(calls())
def test_contributions_of_the_heads_add_up(call: tuple[Layer, dict[str, Any]]) -> None:
    layer, options = call
    trace = layer.run(**options)
    rest = trace.projections.b_o + (trace.inputs if trace.residual else 0)
    assert_same(head_contributions(trace).sum(axis=1) + rest, trace.output)


def test_contributions_without_w_o() -> None:
    trace = attend(np.random.default_rng(0).normal(size=(5, 6)), Projections.weightless(6, 3))
    added = head_contributions(trace)
    assert added.shape == (1, 3, 5, 6)
    assert (added[0, 1, :, 2:4] == trace.head_outputs[0, 1]).all()
    assert not added[0, 1, :, :2].any()
    assert not added[0, 1, :, 4:].any()
    assert_same(added.sum(axis=1), trace.output)


def test_one_contribution_by_loops() -> None:
    trace = cross_layer()
    w_o = trace.projections.w_o
    head, b, t, column = 4, 1, 2, 6
    expected = sum(trace.head_outputs[b, head, t, v] * w_o[head * V + v, column] for v in range(V))
    assert head_contributions(trace)[b, head, t, column] == pytest.approx(expected, abs=1e-12)


@BOTH
def test_the_parts_add_up_to_the_output(trace: Trace) -> None:
    heads_HTO, bias = head_contributions(trace)[0], trace.projections.b_o
    for query in range(7):
        added = heads_HTO[:, query].sum(axis=0)
        added = added if bias is None else added + bias
        added = added + trace.inputs[0, query] if trace.residual else added
        np.testing.assert_allclose(added, trace.output[0, query], rtol=0, atol=1e-12)
    assert output_gap(trace) < 1e-12


@settings(max_examples=40)
@given(calls())
def test_contributions_with_w_o_inside_the_values(
    call: tuple[Layer, dict[str, Any]],
) -> None:
    layer, options = call
    trace = layer.run(**options)
    assert_same(absorbed_contributions(trace), head_contributions(trace), 1e-12)
    assert output_gap(trace, absorbed_contributions) <= 1e-12 * max(
        1.0, float(np.abs(trace.output).max())
    )


def test_heads_added_without_w_o_by_hand() -> None:
    p = Projections(
        [[0.0, 0.0]],
        [[0.0, 0.0]],
        [[2.0, 3.0]],
        [[5.0], [7.0]],
        n_heads=2,
        b_v=[1.0, 0.0],
        b_o=[4.0],
    )
    trace = attend([[1.0], [3.0]], p)
    assert absorbed_contributions(trace)[0, :, 0, 0].tolist() == [(2 * 2 + 1) * 5, 2 * 3 * 7]
    assert trace.output[0, 0, 0] == 25 + 42 + 4
    assert absorbed_size(trace) == (2 + 2, 2)
    assert absorbed_size(attend(np.eye(4), Projections.random(4, 2, d_v=3))) == (24 + 24, 32)


def test_without_w_o_each_head_fills_its_own_columns() -> None:
    trace = attend(
        np.random.default_rng(0).normal(size=(3, 8)),
        Projections.weightless(8, n_heads=2),
        residual=True,
    )
    heads = head_contributions(trace)[0]
    assert not heads[0, :, 4:].any()
    assert not heads[1, :, :4].any()
    assert output_gap(trace) < 1e-12
