"""What masks hide, whatever the numbers."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from attention_core import padding_mask, prefix_mask, scaled_dot_product_attention, window_mask
from tests.core.random_layers import Layer, assert_same, layers


@given(layers())
def test_empty_rows_as_nan_leave_the_others_alone(layer: Layer) -> None:
    zeros, nans = layer.run(mask=layer.mask), layer.run(mask=layer.mask, empty_rows="nan")
    heads = (zeros.query_heads, zeros.key_heads, zeros.value_heads)
    alone = scaled_dot_product_attention(*heads, mask=layer.mask, empty_rows="nan")
    for field in ("probabilities", "head_outputs"):
        assert np.isnan(getattr(nans, field)[zeros.empty_rows]).all()
        assert_same(getattr(alone, field), getattr(nans, field))
        assert_same(
            getattr(nans, field)[~zeros.empty_rows], getattr(zeros, field)[~zeros.empty_rows]
        )


@given(st.lists(st.integers(0, 5), min_size=1, max_size=4))
def test_padding_hides_keys_not_queries(lengths: list[int]) -> None:
    expected = [[[[s < length for s in range(5)]]] for length in lengths]
    assert padding_mask(lengths, 5).tolist() == expected


@given(
    st.integers(1, 6),
    st.integers(1, 6),
    st.none() | st.integers(0, 3),
    st.none() | st.integers(0, 3),
)
def test_the_window_counts_its_neighbours(
    n_queries: int, n_keys: int, left: int | None, right: int | None
) -> None:
    for t, row in enumerate(window_mask(n_queries, n_keys, left, right)):
        first, last = 0 if left is None else t - left, n_keys if right is None else t + right
        assert row.tolist() == [first <= s <= last for s in range(n_keys)]


@given(st.integers(0, 6), st.integers(0, 8), st.integers(0, 6))
def test_the_prefix_is_seen_by_all_and_the_rest_is_causal(T: int, prefix: int, S: int) -> None:
    found = prefix_mask(T, prefix, S)
    assert found.tolist() == [[s < prefix or s <= t for s in range(S)] for t in range(T)]
    assert found.shape == (T, S)


def test_a_window_wider_than_the_queries() -> None:
    assert window_mask(2, 7, right=4).sum(axis=1).tolist() == [5, 6]
    assert window_mask(7, 2, left=4).sum(axis=1).tolist() == [2, 2, 2, 2, 2, 1, 0]
