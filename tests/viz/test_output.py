"""The output as it is drawn: row times column on the board, and one contribution per head with its bars."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from attention_core import Projections, SettingsError, Trace, attend
from attention_core.decompositions import output_parts
from attention_viz.contributions import contributions
from attention_viz.output import board_of, product_board
from attention_viz.theme import Figure, dress
from tests.viz.example_traces import CASES, HOSTILE, D, H, T, example

WIDE = attend(np.random.default_rng(0).normal(size=(3, 130)), Projections.random(130, 5, d_k=2, d_v=30))


def on_axes(figure: Figure, x: str, y: str) -> np.ndarray:
    """The matrix on a pair of axes, pale and bright cells together."""
    parts = [p["z"] for p in figure["data"] if p["type"] == "heatmap" and (p["xaxis"], p["yaxis"]) == (x, y)]
    joined: np.ndarray = parts[0]
    for part in parts[1:]:
        joined = np.where(np.isnan(joined), part, joined)
    return joined


@pytest.mark.parametrize("case", CASES)
def test_the_board_holds_the_three_matrices(case: str) -> None:
    """Merged lies left, W_O above and the output where they meet, each number in its place."""
    trace = example(case)
    figure = product_board(trace, 2, 1, 4)
    np.testing.assert_array_equal(on_axes(figure, "x", "y"), trace.merged[0].astype("f4"))
    np.testing.assert_array_equal(on_axes(figure, "x2", "y2"), trace.projections.w_o.astype("f4"))
    np.testing.assert_array_equal(on_axes(figure, "x2", "y"), trace.output[0].astype("f4"))


def test_bright_are_the_row_the_column_and_the_cell() -> None:
    """Only the token's row of merged, the chosen column of W_O and their cell of the output are in full colour."""
    figure = product_board(example(), 2, 1, 4)
    bright = [~np.isnan(p["z"]) for p in figure["data"] if p["type"] == "heatmap" and "opacity" not in p]
    row, column, cell = (np.argwhere(part) for part in bright)
    assert set(row[:, 0]) == {1}
    assert set(column[:, 1]) == {4}
    assert cell.tolist() == [[1, 4]]


@pytest.mark.parametrize(("trace", "head", "column"), [(example(), H - 1, D - 1), (WIDE, 0, 0), (WIDE, 4, 129)])
def test_the_board_is_a_window_that_holds_the_choice(trace: Trace, head: int, column: int) -> None:
    """At most 64 by 64 cells of W_O are drawn, with the chosen head whole and the chosen column inside."""
    board, d_v = board_of(trace, head, column), trace.sizes["V"]
    assert board.n_inner <= 64
    assert board.n_outer <= 64
    assert board.inner.start <= head * d_v
    assert (head + 1) * d_v <= board.inner.stop <= trace.merged.shape[2]
    assert board.outer.start <= column < board.outer.stop <= trace.sizes["O"]
    assert board.block(head) == (head * d_v - board.inner.start, d_v)
    figure = product_board(trace, head, 1, column)
    expected = trace.projections.w_o[board.inner, board.outer].astype("f4")
    np.testing.assert_array_equal(on_axes(figure, "x2", "y2"), expected)


def test_of_one_very_wide_head_a_block_is_drawn() -> None:
    """A head wider than the board shows its first 64 features."""
    trace = attend(np.eye(3), Projections.random(3, 2, d_k=1, d_v=100))
    assert board_of(trace, 1, 0).inner == slice(100, 164)


def test_without_w_o_there_is_no_board() -> None:
    """Weightless heads are joined, not mixed, and asking for the product says so."""
    trace = attend(np.eye(4), Projections.weightless(4, n_heads=2))
    with pytest.raises(SettingsError, match="there is no W_O"):
        product_board(trace, 0, 0, 0)


def test_clicks_on_the_board_name_their_place() -> None:
    """A click on W_O chooses head and column, a click on the output token and column."""
    trace = example()
    of_weights, of_output = (p for p in product_board(trace, 0, 3, 1)["data"] if p["type"] == "scatter")
    weights = zip(of_weights["x"], of_weights["y"], of_weights["customdata"], strict=True)
    assert all(tuple(where) == (y // trace.sizes["V"], 3, x) for x, y, where in weights)
    output = zip(of_output["x"], of_output["y"], of_output["customdata"], strict=True)
    assert all(tuple(where) == (-1, y, x) for x, y, where in output)


@pytest.mark.parametrize("options", [{}, {"residual": True}])
@pytest.mark.parametrize("bias", [False, True])
def test_contributions_and_bars_are_the_parts(options: dict[str, Any], bias: bool) -> None:
    """One row for each head, then bias and residual where they are added, then the output; the bars are one column."""
    x = np.random.default_rng(1).normal(size=(4, 6))
    trace = attend(x, Projections.random(6, 3, bias=bias), **options)
    parts = output_parts(trace, 2)
    added = [part for part in (parts.bias, parts.residual) if part is not None]
    figure = contributions(trace, 1, 2, 5)
    drawn = on_axes(figure, "x", "y")
    np.testing.assert_array_equal(drawn[: 3 + len(added)], np.vstack([parts.heads, *added]).astype("f4"))
    np.testing.assert_array_equal(drawn[-1], trace.output[0, 2].astype("f4"))
    np.testing.assert_array_equal(figure["data"][1]["x"], drawn[:, 5])
    assert len(figure["layout"]["yaxis"]["ticktext"]) == 4 + len(added)


def test_wide_contributions_show_the_chosen_block() -> None:
    """Of 130 output columns the block with the chosen one is drawn; the bars are the chosen column's."""
    figure = contributions(WIDE, 0, 1, 70)
    np.testing.assert_array_equal(on_axes(figure, "x", "y")[-1], WIDE.output[0, 1, 64:128].astype("f4"))
    assert figure["data"][1]["x"][-1] == WIDE.output[0, 1, 70].astype("f4")


def test_plotly_takes_both_and_tokens_stay_text() -> None:
    """Every property is one that Plotly knows, and no token becomes markup."""
    for query in range(T):
        for figure in (product_board(example(), 0, query, 0), contributions(example(), 0, query, 0)):
            text = go.Figure(dress(figure)).to_json()
            assert not any(token in text for token in HOSTILE if "<" in token)
