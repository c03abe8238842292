"""Other weights, the same layer: what a head's matrices mean, they mean together."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from attention_core import Projections, SettingsError, ShapeError, attend
from attention_lab.heads.basis_change import (
    Gauge,
    change_gauge,
    query_key_forms,
    random_gauge,
    value_output_forms,
)
from attention_lab.heads.reruns import rerun
from tests.core.random_layers import Layer, assert_same, calls
from tests.lab.refusal import refused

# W_Q R is up to 2 times as large and R⁻ᵀ W_K as well, so that rounding grows by a factor of 4.
TOLERANCE = 1e-11


@settings(max_examples=40)
@given(calls())
def test_the_layer_stays_the_same(call: tuple[Layer, dict[str, Any]]) -> None:
    """In another basis scores, probabilities and output are what they were, biases and shared
    heads included.
    """
    layer, options = call
    trace = layer.run(**options)
    other = rerun(
        trace, projections=change_gauge(trace.projections, random_gauge(trace.projections, seed=3))
    )
    for field in ("scores", "probabilities", "output"):
        assert_same(getattr(other, field), getattr(trace, field), TOLERANCE)


def test_the_weights_differ() -> None:
    """Every weight matrix, the queries, keys and values are other numbers; another seed gives
    others again.
    """
    trace = attend(np.eye(5), Projections.random(5, 2, d_k=3, d_v=2, bias=True))
    first, second = (
        change_gauge(trace.projections, random_gauge(trace.projections, seed)) for seed in (0, 1)
    )
    for name in ("w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v"):
        assert np.abs(getattr(first, name) - getattr(trace.projections, name)).max() > 0.01
        assert np.abs(getattr(first, name) - getattr(second, name)).max() > 0.01
    assert np.abs(rerun(trace, projections=first).head_outputs - trace.head_outputs).max() > 0.01


@pytest.mark.parametrize("n_kv_heads", [1, 2, 4])
def test_the_products_stay_the_same(n_kv_heads: int) -> None:
    """W_Q W_Kᵀ and W_V W_O of every head are the same in every gauge."""
    p = Projections.random(7, 4, d_k=3, d_v=2, d_memory=5, n_kv_heads=n_kv_heads)
    other = change_gauge(p, random_gauge(p))
    assert query_key_forms(p).shape == (4, 7, 5)
    assert value_output_forms(p).shape == (4, 5, 7)
    assert_same(query_key_forms(other), query_key_forms(p))
    assert_same(value_output_forms(other), value_output_forms(p))


@pytest.mark.parametrize("n_kv_heads", [1, 2, 4])
def test_the_products_are_all_that_counts(n_kv_heads: int) -> None:
    """Without biases scores are x M yᵀ, and the output is the sum over the heads of A y (W_V
    W_O).
    """
    p = Projections.random(7, 4, d_k=3, d_v=2, d_memory=5, n_kv_heads=n_kv_heads)
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(3, 7)), rng.normal(size=(11, 5))
    trace = attend(x, p, memory=y)
    assert_same(x @ query_key_forms(p) @ y.T, trace.scores[0])
    assert_same((trace.probabilities[0] @ y @ value_output_forms(p)).sum(axis=0), trace.output[0])


def test_weights_that_are_not_there() -> None:
    """Joined heads without W_O get T⁻¹ as theirs, and give the same output."""
    p = Projections.weightless(6, 3)
    x = np.random.default_rng(5).normal(size=(4, 6))
    changed = change_gauge(p, random_gauge(p))
    assert changed.w_o is not None
    assert_same(attend(x, changed).output, attend(x, p).output)
    assert_same(value_output_forms(p).sum(axis=0), np.eye(6))


def test_a_gauge_by_hand() -> None:
    """With R = 2 queries double and keys halve; with T = 4 values are 4 times as large and W_O
    a quarter.
    """
    p = Projections(
        [[3.0]], [[5.0]], [[7.0]], [[11.0]], n_heads=1, b_q=[1.0], b_k=[2.0], b_v=[3.0], b_o=[4.0]
    )
    changed = change_gauge(p, Gauge(np.array([[[2.0]]]), np.array([[[4.0]]])))
    found = {name: getattr(changed, name).ravel().tolist() for name in ("w_q", "w_k", "w_v", "w_o")}
    assert found == {"w_q": [6.0], "w_k": [2.5], "w_v": [28.0], "w_o": [2.75]}
    assert [b.tolist() for b in (changed.b_q, changed.b_k, changed.b_v, changed.b_o)] == [
        [2.0],
        [1.0],
        [12.0],
        [4.0],
    ]


def test_a_random_gauge_is_tame() -> None:
    """No direction is stretched or shrunk more than twofold, so that rounding stays small; the
    seed decides.
    """
    p = Projections.random(8, 2)
    gauge = random_gauge(p, seed=7)
    for matrices in (gauge.query_key, gauge.value):
        stretches = np.linalg.svd(matrices, compute_uv=False)
        assert ((stretches > 0.5 - 1e-12) & (stretches < 2 + 1e-12)).all()
    assert (gauge.value == random_gauge(p, seed=7).value).all()


def test_what_is_no_change_of_basis() -> None:
    """A singular matrix and one of the wrong size are refused with a sentence."""
    p = Projections.random(4, 2)
    good = random_gauge(p)
    with refused(SettingsError, "invertible"):
        change_gauge(p, replace(good, value=np.zeros((2, 2, 2))))
    with refused(ShapeError, "query_key", "(2, 3, 3)", "(2, 2, 2)"):
        change_gauge(p, replace(good, query_key=np.ones((2, 3, 3))))


def test_single_precision_stays() -> None:
    """float32 weights stay float32."""
    p = Projections.random(4, 2).astype(np.float32)
    assert change_gauge(p, random_gauge(p)).dtype == np.float32
