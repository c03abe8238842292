"""What a change of basis moves, and what it keeps."""

from __future__ import annotations

import numpy as np
import pytest

from attention_core import Projections, Trace, attend
from attention_lab.heads.gauge_effect import Turned, in_other_bases, kept, moved
from attention_lab.notation.notation import Notation, symbol
from attention_lab.notation.texts import NOTATIONS

X = np.random.default_rng(5).normal(size=(7, 13))
LAYERS = {
    "random": Projections.random(13, 3, d_k=5, d_v=2, seed=1),
    "with biases": Projections.random(13, 3, d_k=5, d_v=2, seed=1, bias=True),
    "shared": Projections.random(13, 4, d_k=3, d_v=2, n_kv_heads=2, seed=2),
    "weightless": Projections.weightless(13),
}


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("causal", [False, True])
def test_the_weights_change_and_nothing_else(name: str, causal: bool) -> None:
    """Each weight of the head becomes another; products, scores, probabilities and output
    differ by rounding.
    """
    trace: Trace = attend(X, LAYERS[name], causal=causal)
    other, head = in_other_bases(trace, 3), trace.sizes["H"] - 1
    assert {one.symbol for one in moved(trace, other, head)} == {"W_Q", "W_K", "W_V", "W_O"}
    assert all(one.change > 0.1 for one in moved(trace, other, head))
    assert all(one.change < 1e-12 for one in kept(trace, other, head))
    np.testing.assert_array_equal(other.inputs, trace.inputs)


@pytest.mark.parametrize("text", NOTATIONS.values(), ids=lambda text: text.key)
def test_what_changes_has_the_symbols_of_a_text(text: Notation) -> None:
    """Weights, their products, scores, shares and output are called as the text calls them."""
    trace = attend(X, LAYERS["random"])
    w_q, w_k, w_v, w_o = (symbol(name, text) for name in ("w_q", "w_k", "w_v", "w_o"))
    fields = [symbol(name, text).latex for name in ("scores", "probabilities", "output")]
    assert [one.symbol for one in moved(trace, trace, 0, text)] == [
        one.latex for one in (w_q, w_k, w_v, w_o)
    ]
    products = [f"{w_q.latex} {w_k.transposed.latex}", f"{w_v.latex} {w_o.latex}"]
    assert [one.symbol for one in kept(trace, trace, 0, text)] == [*products, *fields]


def test_every_seed_is_another_basis() -> None:
    """The same seed turns to the same weights, another one to others."""
    trace = attend(X, LAYERS["random"])
    one, again, other = (in_other_bases(trace, seed).projections.w_q for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, again)
    assert not np.allclose(one, other)


def test_the_change_is_a_part_of_the_largest_number() -> None:
    """From 4 to 3 where the largest is 4 is a quarter; masked cells do not count, nor does a
    matrix of zeros divide.
    """
    before = np.array([4.0, 1.0, -np.inf])
    assert Turned("x", before, np.array([3.0, 1.0, -np.inf])).change == 0.25
    assert Turned("x", np.zeros(2), np.array([0.0, 0.5])).change == 0.5
