"""The pieces that the last pages of the story show: shares, places in the merged matrix, parts
of the output.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from attention_core import Projections, SettingsError, Trace, attend
from attention_lab.heads.contributions import (
    absorbed_contributions,
    absorbed_size,
    head_contributions,
    output_gap,
)
from attention_lab.heads.keys_read import keys_read_most, row_share, strongest_keys
from attention_lab.heads.layout_mistakes import merge_without_swap, moved_cells, place_merged
from tests.core.random_layers import Layer, assert_same, calls


@pytest.fixture(params=["plain", "everything"])
def trace(request: pytest.FixtureRequest) -> Trace:
    """Seven tokens, three heads of value width 5, without and with biases, mask and residual."""
    rng = np.random.default_rng(5)
    everything = request.param == "everything"
    projections = Projections.random(11, 3, d_k=2, d_v=5, seed=1, bias=everything)
    return attend(rng.normal(size=(7, 11)), projections, causal=everything, residual=everything)


def test_the_strongest_keys_are_the_largest_probabilities(trace: Trace) -> None:
    """The three largest shares of a row come in falling order, and a key with share 0 is never
    among them.
    """
    for query in range(7):
        row = trace.probabilities[0, 1, query]
        found = strongest_keys(trace, 1, query)
        assert [share for _, share in found] == sorted(row[row > 0], reverse=True)[:3]
        assert all(row[key] == share for key, share in found)


def test_keys_that_are_read_equally(trace: Trace) -> None:
    """One key is read most at random; equal tokens are read equally, and a row with nothing
    left reads none.
    """
    for query in range(1, 7):
        assert keys_read_most(trace, 1, query) == (int(trace.probabilities[0, 1, query].argmax()),)
    twins = np.repeat(np.random.default_rng(3).normal(size=(2, 11)), [3, 2], axis=0)
    mask = np.ones((5, 5), dtype=bool)
    mask[4] = False
    for kind in (np.float64, np.float32):
        equal = attend(
            twins.astype(kind), Projections.random(11, 3, d_k=2, d_v=5).astype(kind), mask=mask
        )
        assert {keys_read_most(equal, head, query) for head, query in np.ndindex(3, 4)} <= {
            (0, 1, 2),
            (3, 4),
        }
        assert keys_read_most(equal, 0, 4) == ()


def test_a_row_of_shares_sums_to_one_or_nothing(trace: Trace) -> None:
    """1 but for rounding in every row; 0 of a query that may see no key, as of heads and
    queries that are there.
    """
    assert all(
        row_share(trace, *place) == pytest.approx(1, abs=1e-12)
        for place in np.ndindex(trace.scores.shape[1:3])
    )
    blind = attend(
        [[1.0], [2.0]], Projections.weightless(1), mask=np.array([[False, False], [True, True]])
    )
    assert (row_share(blind, 0, 0), row_share(blind, 0, 1)) == (0, pytest.approx(1))
    with pytest.raises(SettingsError):
        row_share(blind, 0, 2)


def test_every_number_lands_where_place_merged_says(trace: Trace) -> None:
    """With the swap and without it, each cell of the heads is found again at the named place."""
    wrong = merge_without_swap(trace.head_outputs)[0]
    for head, query, feature in np.ndindex(3, 7, 5):
        number = trace.head_outputs[0, head, query, feature]
        assert trace.merged[0][place_merged(trace, head, query, feature)] == number
        assert wrong[place_merged(trace, head, query, feature, swap=False)] == number


def test_moved_cells_are_those_that_differ(trace: Trace) -> None:
    """With 7 tokens and 3 heads, block (t, h) stays in place without the swap only where 3 t +
    h = 7 h + t.
    """
    moved = moved_cells(trace)
    assert {(int(t), int(c) // 5) for t, c in np.argwhere(~moved)} == {(0, 0), (3, 1), (6, 2)}
    assert moved.sum() == 7 * 15 - 3 * 5


def test_nothing_moves_with_one_head() -> None:
    """With one head, or one token, there is nothing to swap."""
    x = np.random.default_rng(0).normal(size=(5, 6))
    assert not moved_cells(attend(x, Projections.random(6, 1))).any()
    assert not moved_cells(attend(x[:1], Projections.random(6, 3))).any()


def test_the_parts_add_up_to_the_output(trace: Trace) -> None:
    """Contributions of the heads, bias and residual sum to the output row, and the gap is only
    rounding.
    """
    heads_HTO, bias = head_contributions(trace)[0], trace.projections.b_o
    for query in range(7):
        added = heads_HTO[:, query].sum(axis=0)
        added = added if bias is None else added + bias
        added = added + trace.inputs[0, query] if trace.residual else added
        np.testing.assert_allclose(added, trace.output[0, query], rtol=0, atol=1e-12)
    assert output_gap(trace) < 1e-12


@settings(max_examples=40)
@given(calls())
def test_heads_whose_values_take_in_w_o_add_up_to_the_output(
    call: tuple[Layer, dict[str, Any]],
) -> None:
    """Each head's part is the same, biases, shared heads, other memories and masks included,
    and so is their sum.
    """
    layer, options = call
    trace = layer.run(**options)
    assert_same(absorbed_contributions(trace), head_contributions(trace), 1e-12)
    assert output_gap(trace, absorbed_contributions) <= 1e-12 * max(
        1.0, float(np.abs(trace.output).max())
    )


def test_heads_added_without_w_o_by_hand() -> None:
    """Two tokens, two heads of one number: A (X w_v + b_v) w_o, each head with its own weight
    of W_O.
    """
    p = Projections(
        [[0.0, 0.0]],
        [[0.0, 0.0]],
        [[2.0, 3.0]],
        [[5.0], [7.0]],
        n_heads=2,
        b_v=[1.0, 0.0],
        b_o=[4.0],
    )
    trace = attend([[1.0], [3.0]], p)
    assert absorbed_contributions(trace)[0, :, 0, 0].tolist() == [(2 * 2 + 1) * 5, 2 * 3 * 7]
    assert trace.output[0, 0, 0] == 25 + 42 + 4
    assert absorbed_size(trace) == (2 + 2, 2)
    assert absorbed_size(attend(np.eye(4), Projections.random(4, 2, d_v=3))) == (24 + 24, 32)


def test_without_w_o_each_head_fills_its_own_columns() -> None:
    """Weightless heads are laid side by side: a head contributes nothing outside its block."""
    trace = attend(
        np.random.default_rng(0).normal(size=(3, 8)),
        Projections.weightless(8, n_heads=2),
        residual=True,
    )
    heads = head_contributions(trace)[0]
    assert not heads[0, :, 4:].any()
    assert not heads[1, :, :4].any()
    assert output_gap(trace) < 1e-12
