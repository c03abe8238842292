"""The fast way through the heads gives what the plain formula gives, and no block or shortcut
changes a number.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from attention_core import HeadTrace, Trace, fast_heads
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


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("level", [-63.0, -40.0, -20.0, 20.0, 63.0])
def test_a_row_sums_to_one_at_every_level(level: float, dtype: str) -> None:
    scores = np.array([level, level + 0.5, level - 0.5])
    query, key = np.ones((1, 1, 1, 1), dtype), scores.reshape(1, 1, 3, 1).astype(dtype)
    options = Options(None, None, 1.0, None, "zero")
    found = fast_heads.fast_heads(query, key, key, options)
    expected = np.exp([0.0, 0.5, -0.5]) / np.exp([0.0, 0.5, -0.5]).sum()
    np.testing.assert_allclose(
        found.probabilities[0, 0, 0], expected, rtol=1e-5 if dtype == "float32" else 1e-12
    )
