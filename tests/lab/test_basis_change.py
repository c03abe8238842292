"""Other weights, the same layer: only products of a head's matrices matter."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings

from attention_core import Projections, attend
from attention_lab.heads.basis_change import (
    BasisChange,
    random_basis_change,
    with_basis_change,
)
from attention_lab.heads.reruns import rerun
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


def test_the_weights_differ() -> None:
    trace = attend(np.eye(5), Projections.random(5, 2, d_k=3, d_v=2, bias=True))
    first, second = (
        with_basis_change(trace.projections, random_basis_change(trace.projections, seed))
        for seed in (0, 1)
    )
    for name in ("w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v"):
        assert np.abs(getattr(first, name) - getattr(trace.projections, name)).max() > 0.01
        assert np.abs(getattr(first, name) - getattr(second, name)).max() > 0.01
    assert np.abs(rerun(trace, projections=first).head_outputs - trace.head_outputs).max() > 0.01


def test_weights_that_are_not_there() -> None:
    p = Projections.weightless(6, 3)
    x = np.random.default_rng(5).normal(size=(4, 6))
    changed = with_basis_change(p, random_basis_change(p))
    assert changed.w_o is not None
    assert_same(attend(x, changed).output, attend(x, p).output)


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


def test_single_precision_stays() -> None:
    p = Projections.random(4, 2).astype(np.float32)
    assert with_basis_change(p, random_basis_change(p)).dtype == np.float32
