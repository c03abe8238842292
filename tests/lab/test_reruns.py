"""A layer run again is the same layer, but for what is changed."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import STEPS, Projections, attend
from attention_lab.heads.reruns import rerun
from tests.core.random_layers import Layer, calls


@settings(max_examples=40)
@given(calls(), st.sampled_from(["zero", "nan"]))
def test_nothing_changed_gives_the_same_numbers(
    call: tuple[Layer, dict[str, Any]], empty_rows: str
) -> None:
    """Run again with any options, every intermediate is the same, bit by bit."""
    layer, options = call
    trace = layer.run(**options, empty_rows=empty_rows)
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


def test_rows_that_become_empty_are_as_the_layer_has_them() -> None:
    """A layer that gives NaN for a query without keys does so under another mask too, and says
    so in its code.
    """
    trace = attend(np.eye(3), Projections.weightless(3), empty_rows="nan")
    again = rerun(trace, mask=np.arange(3)[:, np.newaxis] != 1)
    assert np.isnan(again.probabilities[0, 0]).all(axis=-1).tolist() == [False, True, False]
    assert "row_sum == 0" not in again.code("probabilities")
    assert not np.isnan(rerun(again, empty_rows="zero").output).any()
