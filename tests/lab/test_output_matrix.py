"""The output matrix: W_O or none beside any weights, and how wide it makes the output."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attention_core import Projections, ShapeError
from attention_lab.choices import WEIGHT_KINDS
from attention_lab.scenario import trace_of
from attention_lab.user_data.user_matrices import UserMatrices
from tests.lab.refusal import refused
from tests.lab.scenario_cases import SMALL, same


@pytest.mark.parametrize("weights", WEIGHT_KINDS)
def test_a_layer_without_output_matrix(weights: str) -> None:
    base = replace(SMALL, weights=weights, n_heads=2)
    mixed, joined = trace_of(base), trace_of(replace(base, output_matrix="none"))
    assert joined.projections.w_o is None
    assert same(mixed, joined, "merged")
    assert np.array_equal(joined.output, joined.merged)
    width = joined.merged.shape[2]
    own = UserMatrices(w_o=np.full((width, width), 0.5)).encode()
    given = trace_of(replace(base, output_matrix="none", own=own))
    np.testing.assert_allclose(given.output, given.merged @ np.full((width, width), 0.5))


@pytest.mark.parametrize("weights", ["random", "tied", "opposite", "orthonormal"])
def test_the_width_of_the_output(weights: str) -> None:
    base = replace(SMALL, weights=weights, d_o=5)
    assert trace_of(base).projections.w_o.shape == (6, 5)
    assert trace_of(base).output.shape == (1, 6, 5)
    own = UserMatrices(b_o=np.ones(7)).encode()
    assert trace_of(replace(base, own=own)).sizes["O"] == 7
    with refused(ShapeError, 6, 5):
        trace_of(replace(base, residual=True))
    assert trace_of(replace(base, residual=True, d_o=0))


def test_joined_heads_that_are_wider_than_the_input() -> None:
    base = replace(SMALL, output_matrix="none", d_v=5, residual=True)
    with refused(ShapeError, 6, 10):
        trace_of(base)
    assert trace_of(replace(base, output_matrix="W_O")).sizes["O"] == 6


def test_own_biases_beside_joined_heads() -> None:
    base = replace(SMALL, output_matrix="none", d_v=5)
    biased = trace_of(replace(base, own=UserMatrices(b_o=np.ones(10)).encode()))
    np.testing.assert_allclose(biased.output, biased.merged + 1)
    with refused(ShapeError, 10, 6):
        trace_of(replace(base, own=UserMatrices(b_o=np.ones(6)).encode()))


def test_the_engine_draws_an_output_as_wide_as_asked() -> None:
    usual, wide = (Projections.random(6, 2, seed=3, **w) for w in ({}, {"d_out": 11}))
    assert (usual.d_out, wide.d_out, wide.w_o.shape) == (6, 11, (6, 11))
    assert np.array_equal(usual.w_v, wide.w_v)
