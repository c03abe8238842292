"""The part of a weight matrix that belongs to a head, what it reads, and products of such parts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attention_core import Projections, attend
from attention_lab.heads.weight_blocks import (
    features_read,
    head_contributions,
    head_slice,
    is_identity,
    value_output_products,
)
from tests.core.random_layers import assert_same
from tests.lab.small_layer import D, H, K, M, V, cross_layer


@pytest.mark.parametrize("n_kv_heads", [1, 2, 4])
def test_the_products_are_all_that_counts(n_kv_heads: int) -> None:
    p = Projections.random(7, 4, d_k=3, d_v=2, d_memory=5, n_kv_heads=n_kv_heads)
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(3, 7)), rng.normal(size=(11, 5))
    trace = attend(x, p, memory=y)
    assert_same(
        (trace.probabilities[0] @ y @ value_output_products(p)).sum(axis=0), trace.output[0]
    )


@pytest.mark.parametrize("head", range(H))
def test_slices_of_the_weights(head: int) -> None:
    trace = cross_layer()
    p, group = trace.projections, head // 2
    blocks = {name: head_slice(trace, name, head) for name in ("w_q", "w_k", "w_v", "w_o")}
    assert {name: block.shape for name, block in blocks.items()} == {
        "w_q": (D, K),
        "w_k": (M, K),
        "w_v": (M, V),
        "w_o": (V, D),
    }
    made = {
        "query_heads": (trace.inputs @ blocks["w_q"] + p.b_q[head * K : (head + 1) * K], head),
        "key_heads": (trace.memory @ blocks["w_k"] + p.b_k[group * K : (group + 1) * K], group),
        "value_heads": (trace.memory @ blocks["w_v"] + p.b_v[group * V : (group + 1) * V], group),
    }
    for name, (block, index) in made.items():
        assert_same(block, getattr(trace, name)[:, index])
    assert_same(trace.head_outputs[:, head] @ blocks["w_o"], head_contributions(trace)[:, head])


def test_what_a_block_of_weights_reads() -> None:
    plain = Projections.weightless(6, n_heads=3)
    trace = attend(np.ones((2, 6)), plain)
    assert [features_read(trace, "w_q", head) for head in range(3)] == [2, 2, 2]
    assert is_identity(trace, "w_q")
    w_q = np.eye(6)
    w_q[0, 5] = -1
    edited = attend(np.ones((2, 6)), replace(plain, w_q=w_q, b_v=np.ones(6)))
    assert [features_read(edited, "w_q", head) for head in range(3)] == [2, 2, 3]
    assert [is_identity(edited, matrix) for matrix in ("w_q", "w_k", "w_v")] == [False, True, False]
