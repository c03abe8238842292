"""What is true of a whole layer whatever the numbers, besides what the plain loops say."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from attention_core import (
    Projections,
    merge_heads,
    scaled_dot_product_attention,
    split_heads,
)
from attention_core.projections import MATRICES
from tests.core.random_layers import Layer, assert_same, calls, layers

Call = tuple[Layer, dict[str, Any]]


SIZE = st.integers(1, 5)


@given(SIZE, SIZE, SIZE, SIZE)
def test_split_then_merge_is_the_identity(
    n_batch: int, n_heads: int, n_tokens: int, width: int
) -> None:
    fused = np.arange(n_batch * n_tokens * n_heads * width).reshape(
        n_batch, n_tokens, n_heads * width
    )
    heads = split_heads(fused, n_heads)
    assert heads.shape == (n_batch, n_heads, n_tokens, width)
    assert all(
        (heads[:, h] == fused[:, :, h * width : (h + 1) * width]).all() for h in range(n_heads)
    )
    assert (merge_heads(heads) == fused).all()
    assert (split_heads(merge_heads(heads), n_heads) == heads).all()


@given(layers(self_attention=True))
def test_self_attention_is_cross_attention_to_oneself(layer: Layer) -> None:
    own, given_again = layer.run(memory=None), layer.run(memory=layer.x.copy())
    assert own.memory is own.inputs
    assert all((getattr(own, name) == getattr(given_again, name)).all() for name in own.steps)


@given(calls())
def test_nothing_that_was_given_is_changed(call: Call) -> None:
    layer, options = call
    given_arrays = [
        layer.x,
        layer.memory,
        *(v for v in options.values() if isinstance(v, np.ndarray)),
    ]
    copies = [array.copy() for array in given_arrays]
    layer.run(**options)
    assert all(
        (array == copy).all() and array.flags.writeable
        for array, copy in zip(given_arrays, copies, strict=True)
    )


@given(calls())
def test_the_heads_alone_are_the_heads_of_the_layer(call: Call) -> None:
    layer, options = call
    trace = layer.run(**options)
    rules = {k: v for k, v in options.items() if k not in ("residual", "rotary", "head_norm")}
    compared = (getattr(trace, name) for name in trace.needs("scores"))
    heads = scaled_dot_product_attention(*compared, trace.value_heads, **rules)
    for name, array in vars(heads).items():
        assert_same(array, getattr(trace, name))


@given(layers(self_attention=True, grouped=False))
def test_heads_given_one_by_one_are_laid_side_by_side(layer: Layer) -> None:
    p = layer.projections
    blocks = (np.split(matrix, p.n_heads, axis=1) for matrix in (p.w_q, p.w_k, p.w_v))
    built = Projections.from_heads(list(zip(*blocks, strict=True)), p.w_o)
    assert all((getattr(built, name) == getattr(p, name)).all() for name in MATRICES)
