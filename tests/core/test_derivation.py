"""The arithmetic of a cell: every number that went in stands where it says, and together they
give the cell.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import STEPS, HeadNorm, Projections, Rotary, Trace, attend
from attention_core.derivation import Derivation, derive
from tests.core.random_layers import Layer, calls


def stands_at(trace: Trace, name: str, index: tuple[int, ...]) -> float:
    """The number at a place, read without the module under test."""
    if name == "bias":
        return float(np.broadcast_to(trace.bias, trace.scores.shape)[index])
    owner = trace if hasattr(trace, name) else trace.projections
    return float(np.asarray(getattr(owner, name))[index])


def a_trace(**options: Any) -> Trace:
    """Cross-attention with shared heads and biases, every axis another prime."""
    rng = np.random.default_rng(4)
    weights = Projections.random(11, 6, n_kv_heads=3, d_k=6, d_v=7, d_memory=13, bias=True, seed=2)
    return attend(
        rng.normal(size=(2, 3, 11)), weights, memory=rng.normal(size=(2, 17, 13)), **options
    )


def check(trace: Trace, derivation: Derivation) -> None:
    """The two promises: each factor stands at its place, and the terms alone give the result."""
    for term in derivation.terms:
        for factor in term.factors:
            assert factor.value == stands_at(trace, factor.name, factor.index), factor
        if len(term.factors) > 1:
            assert term.value == math.prod(factor.value for factor in term.factors)
    cell = float(getattr(trace, derivation.field)[derivation.index])
    assert derivation.result == cell
    size = max([1.0, *(abs(term.value) for term in derivation.terms if math.isfinite(term.value))])
    assert derivation.recompute() == pytest.approx(cell, abs=1e-12 * size)


@given(st.data(), calls())
def test_every_cell_of_every_field(data: st.DataObject, call: tuple[Layer, dict[str, Any]]) -> None:
    layer, options = call
    trace = layer.run(**options)
    for field in trace.steps:
        index = tuple(data.draw(st.integers(0, n - 1)) for n in getattr(trace, field).shape)
        check(trace, derive(trace, field, index))


@pytest.mark.parametrize("field", STEPS)
def test_a_field_is_explained_by_the_fields_it_needs(field: str) -> None:
    modern = {"rotary": Rotary(), "head_norm": HeadNorm(), "sink": 0.5}
    trace = a_trace(mask=np.arange(17) < 11, bias=np.ones((3, 17)), causal=True, **modern)
    derivation = derive(trace, field, tuple(n - 1 for n in getattr(trace, field).shape))
    sources = {
        factor.name for term in derivation.terms for factor in term.factors if factor.name in STEPS
    }
    needed = {field} if derivation.operation == "given" else set(trace.needs(field))
    assert sources <= needed
    check(trace, derivation)


def test_a_masked_cell() -> None:
    trace = a_trace(causal=True)
    hidden, seen = (derive(trace, "masked_scores", (0, 0, 1, key)) for key in (2, 1))
    assert (hidden.allowed, hidden.result, hidden.recompute()) == (False, -math.inf, -math.inf)
    assert hidden.terms[0].value == float(trace.scaled_scores[0, 0, 1, 2])
    assert (seen.allowed, seen.result) == (True, float(trace.scaled_scores[0, 0, 1, 1]))
    assert derive(trace, "probabilities", (0, 0, 1, 2)).result == 0


def test_an_empty_row_as_nan() -> None:
    derivation = derive(
        a_trace(mask=np.zeros(17, dtype=bool), empty_rows="nan"), "probabilities", (0, 0, 0, 4)
    )
    assert math.isnan(derivation.result)
    assert math.isnan(derivation.recompute())


def test_softmax_terms_are_the_row() -> None:
    trace = a_trace()
    derivation = derive(trace, "probabilities", (1, 4, 2, 9))
    row = trace.masked_scores[1, 4, 2]
    assert (derivation.position, derivation.maximum) == (9, float(row.max()))
    assert [term.value for term in derivation.terms] == pytest.approx(
        np.exp(row - row.max()).tolist(), abs=1e-15
    )


def test_without_w_o_the_output_is_the_merged_number() -> None:
    trace = attend([[1.0, 2.0], [3.0, 4.0]], Projections.weightless(2), residual=True)
    derivation = derive(trace, "output", (0, 1, 1))
    assert [term.factors[0].name for term in derivation.terms] == ["merged", "inputs"]
    check(trace, derivation)
