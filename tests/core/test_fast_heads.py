"""The fast way through the heads gives what the plain formula gives, and no block or shortcut
changes a number.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from attention_core import HeadTrace, Trace, fast_heads, scaled_dot_product_attention
from attention_core.attention import options_of, plain_heads
from attention_core.layer_checks import Options
from tests.core.random_layers import Layer, assert_same, calls


def assert_as_plain(trace: Trace) -> None:
    """Every field of a trace inside the heads equals the plain formula on the same heads."""
    options = options_of(trace)._replace(empty_rows="zero")
    queries, keys = (getattr(trace, name) for name in trace.needs("scores"))
    plain = plain_heads(queries, keys, trace.value_heads, options)
    for field in fields(HeadTrace):
        assert_same(getattr(trace, field.name), getattr(plain, field.name))


@given(calls())
def test_fast_equals_plain(call: tuple[Layer, dict[str, Any]]) -> None:
    layer, options = call
    assert_as_plain(layer.run(**options))


@given(calls(longest=7))
def test_blocks_change_nothing(call: tuple[Layer, dict[str, Any]]) -> None:
    layer, options = call
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fast_heads, "BLOCK_SCORES", 8)
        assert_as_plain(layer.run(**options))


@given(calls())
def test_the_heads_alone_are_the_heads_of_the_layer(call: tuple[Layer, dict[str, Any]]) -> None:
    layer, options = call
    trace = layer.run(**options)
    rules = {k: v for k, v in options.items() if k not in ("residual", "rotary", "head_norm")}
    compared = (getattr(trace, name) for name in trace.needs("scores"))
    heads = scaled_dot_product_attention(*compared, trace.value_heads, **rules)
    for name, array in vars(heads).items():
        assert_same(array, getattr(trace, name))


@pytest.mark.parametrize(
    "shape",
    [(1, 1, 700, 250), (2, 2, 300, 330), (5, 3, 40, 1000), (7, 3, 10, 1000), (1, 1, 3, 140_000)],
    ids=str,
)
def test_long_sequences(shape: tuple[int, int, int, int]) -> None:
    rng = np.random.default_rng(shape[-1])
    query, key = (rng.normal(size=(*shape[:2], n_tokens, 2)) for n_tokens in shape[2:])
    mask, bias = rng.random((shape[0], 1, *shape[2:])) < 0.5, rng.normal(size=(1, shape[-1]))
    record = scaled_dot_product_attention(query, key, key, mask=mask, bias=bias, softcap=2.0)
    plain = plain_heads(query, key, key, Options(mask, bias, 0.5**0.5, 2.0, "zero"))
    for name, array in vars(plain).items():
        assert_same(getattr(record, name), array)
