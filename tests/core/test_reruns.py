"""A layer run again is the same layer, but for what is changed."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings

from attention_core import STEPS, Projections, attend
from attention_core.heads.reruns import rerun
from tests.core.random_layers import Layer, calls


@settings(max_examples=40)
@given(calls())
def test_nothing_changed_gives_the_same_numbers(call: tuple[Layer, dict[str, Any]]) -> None:
    """Run again with any options, every intermediate is the same, bit by bit."""
    layer, options = call
    trace = layer.run(**options)
    again = rerun(trace)
    for name in STEPS:
        np.testing.assert_array_equal(getattr(again, name), getattr(trace, name))
    assert (again.memory is again.inputs) == (trace.memory is trace.inputs)


def test_labels_and_self_attention_stay() -> None:
    """Token labels stay, and new inputs of a self-attention layer are its memory as well."""
    trace = attend([[1.0], [2.0]], Projections.weightless(1)).labelled(("a", "b"))
    again = rerun(trace, x=[[3.0], [4.0]])
    assert again.tokens == again.memory_tokens == ("a", "b")
    assert again.memory is again.inputs
    assert again.inputs.tolist() == [[[3.0], [4.0]]]
