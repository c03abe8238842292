"""Masks together, in either order, and with different numbers for "hidden": what is the same
and what is not.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import Projections, attend, softmax
from attention_lab.masks.hiding import (
    HIDING_VALUES,
    build_masks,
    combine_masks,
    compare_orders,
    hidden_by,
    hide_with,
    leaked_share,
)
from tests.core.random_layers import Layer, assert_same, layers

B, H, T, S = 2, 3, 5, 7
VALUES = {way.key: way.value for way in HIDING_VALUES}


def scores() -> np.ndarray:
    """Raw scores of very different sizes."""
    return np.random.default_rng(0).normal(scale=3, size=(B, H, T, S))


@settings(max_examples=40)
@given(
    st.booleans(),
    st.none() | st.integers(0, 3),
    st.none() | st.lists(st.integers(0, S), min_size=B, max_size=B),
)
def test_masks_together_by_loops(
    causal: bool, window: int | None, lengths: list[int] | None
) -> None:
    painted = np.random.default_rng(1).random((T, S)) < 0.8
    masks = build_masks(T, S, causal=causal, window=window, lengths=lengths, painted=painted)
    allowed = np.broadcast_to(combine_masks(masks), (B, 1, T, S))
    for b, t, s in np.ndindex(B, T, S):
        hiding = [
            name
            for name, hides in (
                ("causal", causal and s > t),
                ("window", window is not None and abs(s - t) > window),
                ("padding", lengths is not None and s >= lengths[b]),
                ("painted", not painted[t, s]),
            )
            if hides
        ]
        assert list(hidden_by(masks, t, s, batch=b)) == hiding
        assert allowed[b, 0, t, s] == (not hiding)


@settings(max_examples=40)
@given(layers())
def test_infinity_is_the_mask_of_the_engine(layer: Layer) -> None:
    trace = layer.run(mask=layer.mask)
    found = hide_with(-np.inf, trace.scaled_scores, layer.mask)
    assert_same(found, trace.probabilities)
    assert not leaked_share(found, layer.mask).any()


def test_a_billion_hides_like_infinity_if_a_key_is_visible() -> None:
    allowed = np.tri(T, S, dtype=bool)
    for dtype in (np.float32, np.float64):
        numbers = scores().astype(dtype)
        assert_same(
            *(hide_with(value, numbers, allowed) for value in (-1e9, -np.inf)), tolerance=2**-22
        )
        assert not leaked_share(hide_with(-1e9, numbers, allowed), allowed).any()


def test_a_billion_in_an_empty_row() -> None:
    nothing = np.zeros((T, S), dtype=bool)
    assert_same(hide_with(-1e9, scores(), nothing), softmax(scores()), 1e-6)
    assert_same(
        hide_with(-1e9, scores().astype(np.float32), nothing), np.full((B, H, T, S), 1 / S), 1e-6
    )
    assert not hide_with(-np.inf, scores(), nothing).any()


@pytest.mark.parametrize("value", [-4.0, -1.0, 2.5])
def test_a_finite_bias_hides_nothing(value: float) -> None:
    allowed = np.tri(T, S, dtype=bool)
    free, biased = softmax(scores()), hide_with(value, scores(), allowed)
    weights = np.where(allowed, free, free * math.exp(value))
    assert_same(biased, weights / weights.sum(axis=-1, keepdims=True))
    assert_same(leaked_share(biased, allowed), np.where(allowed, 0, biased).sum(axis=-1))
    assert (leaked_share(biased, allowed)[..., 0] > 0).all()


@pytest.mark.parametrize("key", ["infinity", "billion"])
def test_the_order_does_not_matter_for_a_mask(key: str) -> None:
    addend = np.where(np.tri(T, S, dtype=bool), 0.0, VALUES[key])
    order = compare_orders(scores(), 0.3, addend)
    assert order.gap <= 1e-15
    assert_same(order.scale_first, hide_with(-np.inf, scores() * 0.3, np.tri(T, S, dtype=bool)))


def test_the_order_matters_for_a_bias() -> None:
    addend = np.where(np.tri(T, S, dtype=bool), 0.0, VALUES["finite"])
    order = compare_orders(scores(), 0.5, addend)
    assert_same(order.mask_first, softmax(scores() * 0.5 + addend / 2))
    assert_same(order.scale_first, softmax(scores() * 0.5 + addend))
    assert order.gap == np.abs(order.scale_first - order.mask_first).max()
    assert order.gap > 0.1


def test_a_bias_by_hand() -> None:
    order = compare_orders(np.zeros((1, 2)), 0.5, np.array([0.0, -2.0]))
    assert order.scale_first[0, 1] == pytest.approx(1 / (1 + math.e**2))
    assert order.mask_first[0, 1] == pytest.approx(1 / (1 + math.e))
    assert order.gap == pytest.approx(1 / (1 + math.e) - 1 / (1 + math.e**2))


def test_a_fully_masked_row_here_and_in_pytorch() -> None:
    mask = np.ones((T, T), dtype=bool)
    mask[2] = False
    x, p = np.random.default_rng(2).normal(size=(T, 6)), Projections.random(6, 2, bias=True)
    assert_same(attend(x, p, mask=mask).output[0, 2], p.b_o)
    assert np.isnan(attend(x, p, mask=mask, empty_rows="nan").output[0, 2]).all()
