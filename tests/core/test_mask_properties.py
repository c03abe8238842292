"""What masks hide, whatever the numbers."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from attention_core import (
    causal_mask,
    padding_mask,
    scaled_dot_product_attention,
    window_mask,
)
from tests.core.random_layers import Layer, assert_same, layers


@given(layers(), st.booleans())
def test_masked_cells_are_exactly_zero(layer: Layer, causal: bool) -> None:
    trace = layer.run(mask=layer.mask, causal=causal)
    n_queries, n_keys = layer.mask.shape[2:]
    visible = layer.mask & np.tri(n_queries, n_keys, dtype=bool) if causal else layer.mask
    assert (trace.probabilities[~visible] == 0).all()
    assert (trace.masked_scores[~visible] == -np.inf).all()
    assert (trace.masked_scores[visible] == trace.scaled_scores[visible]).all()
    assert (trace.probabilities[visible] > 0).all()


@given(layers())
def test_scores_stay_what_they_were_before_the_mask(layer: Layer) -> None:
    free, masked = layer.run(), layer.run(mask=layer.mask, bias=layer.bias)
    assert_same(masked.scores, free.scores)
    assert_same(masked.scaled_scores, free.scaled_scores)


@given(layers())
def test_causal_rows_ignore_later_keys(layer: Layer) -> None:
    first_changed = int(layer.rng.integers(layer.memory.shape[1]))
    other = layer.memory.copy()
    other[:, first_changed:] += 1
    before, after = layer.run(causal=True), layer.run(causal=True, memory=other)
    assert_same(after.output[:, :first_changed], before.output[:, :first_changed])
    assert not np.array_equal(after.keys[:, first_changed:], before.keys[:, first_changed:])


@given(layers(grouped=False))
def test_the_first_causal_row_returns_the_first_value(layer: Layer) -> None:
    trace = layer.run(causal=True)
    assert_same(trace.head_outputs[:, :, 0], trace.value_heads[:, :, 0])
    assert (trace.probabilities[:, :, 0, 0] == 1).all()


@given(layers())
def test_a_boolean_mask_is_a_bias_of_minus_infinity(layer: Layer) -> None:
    hidden = np.where(layer.mask, 0.0, -np.inf)
    by_mask, by_bias = layer.run(mask=layer.mask), layer.run(bias=hidden)
    assert_same(by_bias.masked_scores, by_mask.masked_scores)
    assert_same(by_bias.output, by_mask.output)


@given(layers())
def test_masks_combine(layer: Layer) -> None:
    other = layer.rng.random(layer.mask.shape) < 0.7
    together = layer.run(mask=layer.mask, causal=True, bias=np.where(other, layer.bias, -np.inf))
    expected = layer.run(
        mask=layer.mask & other & causal_mask(*layer.mask.shape[2:]), bias=layer.bias
    )
    assert_same(together.masked_scores, expected.masked_scores)
    assert_same(together.output, expected.output)


@given(layers())
def test_an_empty_row_gives_zeros(layer: Layer) -> None:
    layer.mask[:, :, 0] = False
    trace = layer.run(mask=layer.mask)
    assert (trace.empty_rows == ~layer.mask.any(axis=-1)).all()
    assert (trace.probabilities[trace.empty_rows] == 0).all()
    assert (trace.head_outputs[trace.empty_rows] == 0).all()
    assert_same(
        trace.output[:, 0], np.broadcast_to(layer.projections.b_o, trace.output[:, 0].shape)
    )


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


@given(layers(), st.integers(1, 3))
def test_padding_changes_nothing(layer: Layer, n_padding: int) -> None:
    n_batch, n_keys, _ = layer.memory.shape
    padded = np.pad(layer.memory, ((0, 0), (0, n_padding), (0, 0)), constant_values=3.0)
    mask = padding_mask([n_keys] * n_batch, n_keys + n_padding)
    trace = layer.run(memory=padded, mask=mask)
    assert_same(trace.output, layer.run().output)
    assert (trace.probabilities[..., n_keys:] == 0).all()


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
    assert causal_mask(n_queries, n_keys).tolist() == np.tri(n_queries, n_keys, dtype=bool).tolist()
    assert causal_mask(n_queries).shape == (n_queries, n_queries)


def test_a_window_wider_than_the_queries() -> None:
    assert window_mask(2, 7, right=4).sum(axis=1).tolist() == [5, 6]
    assert window_mask(7, 2, left=4).sum(axis=1).tolist() == [2, 2, 2, 2, 2, 1, 0]
