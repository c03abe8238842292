"""Other weights, the same layer: only products of a head's matrices matter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from attention_core import Projections, Trace, attend
from attention_lab.heads.basis_change import (
    BasisChange,
    BeforeAfter,
    changed_arrays,
    random_basis_change,
    rerun_in_other_bases,
    unchanged_arrays,
    with_basis_change,
)
from attention_lab.heads.reruns import rerun
from attention_lab.heads.weight_blocks import query_key_products, value_output_products
from attention_lab.notation.notation import Notation, symbol
from attention_lab.notation.texts import NOTATIONS
from tests.core.random_layers import Layer, assert_same, calls

# W_Q R is up to 2 times as large and R⁻ᵀ W_K as well, so that rounding grows by a factor of 4.
TOLERANCE = 1e-11
X = np.random.default_rng(5).normal(size=(7, 13))
LAYERS = {
    "random": Projections.random(13, 3, d_k=5, d_v=2, seed=1),
    "with biases": Projections.random(13, 3, d_k=5, d_v=2, seed=1, bias=True),
    "shared": Projections.random(13, 4, d_k=3, d_v=2, n_kv_heads=2, seed=2),
    "weightless": Projections.weightless(13),
}


@settings(max_examples=40)
@given(calls())
def test_the_layer_stays_the_same(call: tuple[Layer, dict[str, Any]]) -> None:
    layer, options = call
    trace = layer.run(**options)
    other = rerun(
        trace,
        projections=with_basis_change(
            trace.projections, random_basis_change(trace.projections, seed=3)
        ),
    )
    for field in ("scores", "probabilities", "output"):
        assert_same(getattr(other, field), getattr(trace, field), TOLERANCE)


@pytest.mark.parametrize("n_kv_heads", [1, 2, 4])
def test_the_products_stay_the_same(n_kv_heads: int) -> None:
    p = Projections.random(7, 4, d_k=3, d_v=2, d_memory=5, n_kv_heads=n_kv_heads)
    other = with_basis_change(p, random_basis_change(p))
    assert query_key_products(p).shape == (4, 7, 5)
    assert value_output_products(p).shape == (4, 5, 7)
    assert_same(query_key_products(other), query_key_products(p))
    assert_same(value_output_products(other), value_output_products(p))


def test_weights_that_are_not_there() -> None:
    p = Projections.weightless(6, 3)
    x = np.random.default_rng(5).normal(size=(4, 6))
    changed = with_basis_change(p, random_basis_change(p))
    assert changed.w_o is not None
    assert_same(attend(x, changed).output, attend(x, p).output)
    assert_same(value_output_products(p).sum(axis=0), np.eye(6))


def test_a_basis_change_by_hand() -> None:
    p = Projections(
        [[3.0]], [[5.0]], [[7.0]], [[11.0]], n_heads=1, b_q=[1.0], b_k=[2.0], b_v=[3.0], b_o=[4.0]
    )
    changed = with_basis_change(p, BasisChange(np.array([[[2.0]]]), np.array([[[4.0]]])))
    found = {name: getattr(changed, name).ravel().tolist() for name in ("w_q", "w_k", "w_v", "w_o")}
    assert found == {"w_q": [6.0], "w_k": [2.5], "w_v": [28.0], "w_o": [2.75]}
    assert [b.tolist() for b in (changed.b_q, changed.b_k, changed.b_v, changed.b_o)] == [
        [2.0],
        [1.0],
        [12.0],
        [4.0],
    ]


def test_a_random_basis_change_is_tame() -> None:
    p = Projections.random(8, 2)
    change = random_basis_change(p, seed=7)
    for matrices in (change.query_key, change.value):
        stretches = np.linalg.svd(matrices, compute_uv=False)
        assert ((stretches > 0.5 - 1e-12) & (stretches < 2 + 1e-12)).all()
    assert (change.value == random_basis_change(p, seed=7).value).all()


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("causal", [False, True])
def test_the_weights_change_and_nothing_else(name: str, causal: bool) -> None:
    trace: Trace = attend(X, LAYERS[name], causal=causal)
    other, head = rerun_in_other_bases(trace, 3), trace.sizes["H"] - 1
    assert {one.symbol for one in changed_arrays(trace, other, head)} == {
        "W_Q",
        "W_K",
        "W_V",
        "W_O",
    }
    assert all(one.change > 0.1 for one in changed_arrays(trace, other, head))
    assert all(one.change < 1e-12 for one in unchanged_arrays(trace, other, head))
    np.testing.assert_array_equal(other.inputs, trace.inputs)


@pytest.mark.parametrize("text", NOTATIONS.values(), ids=lambda text: text.key)
def test_what_changes_has_the_symbols_of_a_text(text: Notation) -> None:
    trace = attend(X, LAYERS["random"])
    w_q, w_k, w_v, w_o = (symbol(name, text) for name in ("w_q", "w_k", "w_v", "w_o"))
    fields = [symbol(name, text).latex for name in ("scores", "probabilities", "output")]
    assert [one.symbol for one in changed_arrays(trace, trace, 0, text)] == [
        one.latex for one in (w_q, w_k, w_v, w_o)
    ]
    products = [f"{w_q.latex} {w_k.transposed.latex}", f"{w_v.latex} {w_o.latex}"]
    assert [one.symbol for one in unchanged_arrays(trace, trace, 0, text)] == [*products, *fields]


def test_the_change_is_a_part_of_the_largest_number() -> None:
    before = np.array([4.0, 1.0, -np.inf])
    assert BeforeAfter("x", before, np.array([3.0, 1.0, -np.inf])).change == 0.25
    assert BeforeAfter("x", np.zeros(2), np.array([0.0, 0.5])).change == 0.5
