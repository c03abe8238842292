"""What the texts call the axes of an array, and in which order they show them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from attention_core import STEPS
from attention_lab.notation.notation import OURS, axes, shape
from attention_lab.notation.texts import DOSHI, GML, MQL5, NOTATIONS, NOTE, SLIDES
from tests.lab.notation_cases import G, H, a_trace


@pytest.mark.parametrize("cross", [False, True])
@pytest.mark.parametrize("name", STEPS)
def test_our_axes_are_those_of_the_trace(name: str, cross: bool) -> None:
    trace = a_trace(cross=cross, n_kv_heads=G if cross else H)
    assert axes(trace, name, OURS) == trace.axes(name)


def test_axes_of_the_texts_by_hand() -> None:
    trace = a_trace(d_k=1, d_v=1, d_model=H)
    assert axes(trace, "inputs", GML) == ("B", "N", "T")
    assert axes(trace, "queries", GML) == ("B", "N", "T")
    assert axes(trace, "query_heads", GML) == ("B", "n_heads", "N ÷ n_heads", "T")
    assert axes(trace, "query_heads", DOSHI) == ("Batch", "Head", "Sequence", "Query size")
    assert axes(trace, "merged", DOSHI) == ("Batch", "Sequence", "Head·Value size")
    assert axes(trace, "scores", SLIDES) == ("B", "h", "N", "N")
    assert axes(trace, "value_heads", NOTE) == ("B", "dₕ", "n", "dᵥ")
    assert axes(trace, "keys", MQL5) == ("B", "N", "h·nK")


def test_shapes_are_turned_like_their_axes() -> None:
    trace = a_trace(cross=True)
    for name in STEPS:
        *first, rows, columns = getattr(trace, name).shape
        assert shape(trace, name, OURS) == shape(trace, name, DOSHI) == (*first, rows, columns)
        assert shape(trace, name, GML) == (*first, columns, rows)


def test_axes_of_weights() -> None:
    trace = a_trace(bias=True)
    assert axes(trace, "w_q", OURS) == ("D", "H·K")
    assert axes(trace, "w_o", GML) == ("N", "n_heads·dᵥ")
    assert axes(trace, "b_o", GML) == ("N",)
    assert axes(trace, "scale", GML) == ()


def test_two_sequences_have_two_lengths() -> None:
    for notation in NOTATIONS.values():
        *_, one, other = axes(a_trace(cross=True), "scores", notation)
        assert one != other
    assert axes(a_trace(cross=True), "scores", GML)[-2:] == ("S", "T")
    assert axes(a_trace(), "scores", replace(OURS, convention="column"))[-2:] == ("S", "T")


def test_a_width_that_does_not_hold_is_not_written() -> None:
    """The manual's N ÷ n_heads is written only where the heads share the width evenly;
    otherwise d_k and d_v.
    """
    uneven = a_trace()
    assert axes(uneven, "query_heads", GML)[-2:] == ("dₖ", "T")
    assert axes(uneven, "merged", GML)[-2:] == ("n_heads·dᵥ", "T")
    shared = a_trace(d_k=1, d_v=1, d_model=H, n_kv_heads=G)
    assert axes(shared, "keys", GML)[-2:] == ("G·(N ÷ n_heads)", "T")
