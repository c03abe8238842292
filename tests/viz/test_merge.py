"""The merge as it is drawn: each number where it lands, with the swap and without it."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from attention_core import Projections, Trace, attend
from attention_core.decompositions import merge_without_swap, moved_cells, place_merged
from attention_viz.merge import drawn_columns, merging
from attention_viz.theme import Figure, dress
from tests.viz.example_traces import example


def layer(n_tokens: int, n_heads: int, d_v: int = 2) -> Trace:
    """A layer of the sizes under test."""
    x = np.random.default_rng(n_tokens).normal(size=(n_tokens, 6))
    return attend(x, Projections.random(6, n_heads, d_k=2, d_v=d_v))


def matrix_at(figure: Figure, y: int) -> tuple[np.ndarray, dict[str, Any]]:
    """The matrix whose first row lies at y, pale and bright cells together, and one of its traces."""
    parts = [part for part in figure["data"] if part["type"] == "heatmap" and part["y0"] == y]
    joined = parts[0]["z"]
    for part in parts[1:]:
        joined = np.where(np.isnan(joined), part["z"], joined)
    return joined, parts[0]


def merged_top(figure: Figure) -> int:
    """The first row of the merged matrix."""
    return max(part["y0"] for part in figure["data"] if part["type"] == "heatmap")


@pytest.mark.parametrize(("n_tokens", "n_heads"), [(5, 3), (1, 4), (4, 1), (2, 7), (7, 2)])
@pytest.mark.parametrize("swap", [True, False])
def test_both_matrices_are_the_trace_s(n_tokens: int, n_heads: int, swap: bool) -> None:
    """Above lie the heads, below the merged matrix, or what a reshape without the swap makes of them."""
    trace = layer(n_tokens, n_heads)
    figure = merging(trace, n_heads - 1, n_tokens - 1, 1, swap)
    sources, _ = matrix_at(figure, 0)
    heads = np.concatenate(list(trace.head_outputs[0]), axis=1).astype("f4")
    np.testing.assert_array_equal(sources[:, ~np.isnan(sources).all(axis=0)], heads)
    expected = trace.merged if swap else merge_without_swap(trace.head_outputs)
    np.testing.assert_array_equal(matrix_at(figure, merged_top(figure))[0], expected[0].astype("f4"))


@pytest.mark.parametrize("swap", [True, False])
def test_the_way_ends_where_the_number_lands(swap: bool) -> None:
    """The two frames in focus lie on the chosen number: in its head above, and in its place below."""
    trace = layer(5, 3)
    for head, query, feature in np.ndindex(3, 5, 2):
        figure = merging(trace, head, query, feature, swap)
        top = merged_top(figure)
        (sources, _), (merged, below) = matrix_at(figure, 0), matrix_at(figure, top)
        first, second = (shape for shape in figure["layout"]["shapes"][-2:])
        number = trace.head_outputs[0, head, query, feature].astype("f4")
        assert sources[int(first["y0"] + 0.5), int(first["x0"] + 0.5)] == number
        row, column = int(second["y0"] + 0.5) - top, int(second["x0"] + 0.5) - below["x0"]
        assert (row, column) == place_merged(trace, head, query, feature, swap)
        assert merged[row, column] == number


@pytest.mark.parametrize(("n_tokens", "n_heads"), [(5, 3), (1, 4), (2, 7), (7, 2), (6, 6), (8, 5)])
def test_the_outline_holds_the_head_s_numbers(n_tokens: int, n_heads: int) -> None:
    """Without the swap a head fills cells in reading order; its outline encloses exactly as many."""
    trace = layer(n_tokens, n_heads)
    for head in range(n_heads):
        figure = merging(trace, head, 0, 0, swap=False)
        path = next(s["path"] for s in reversed(figure["layout"]["shapes"]) if s["type"] == "path")
        points = [(float(x), float(y)) for x, y in re.findall(r"(-?[\d.]+),(-?[\d.]+)", path)]
        pairs = zip(points, points[1:] + points[:1], strict=True)
        area = sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in pairs) / 2
        assert abs(area) == n_tokens * 2


def test_wrong_cells_are_marked() -> None:
    """A mark lies in each cell that differs from the right matrix, and in no other; the right picture has none."""
    trace = layer(5, 3)
    figure = merging(trace, 0, 0, 0, swap=False)
    marks = figure["data"][-1]
    rows, columns = np.nonzero(moved_cells(trace))
    top = merged_top(figure)
    left = matrix_at(figure, top)[1]["x0"]
    assert sorted(zip(np.round(marks["y"]) - top, np.round(marks["x"]) - left, strict=True)) == sorted(
        zip(rows, columns, strict=True)
    )
    assert all(
        "symbol" not in part["marker"] or part["marker"]["opacity"] == 0 for part in merging(trace, 0, 0, 0)["data"][4:]
    )


def test_of_wide_heads_a_part_is_drawn() -> None:
    """Of 3 heads with 50 features each, 21 of each are drawn, the chosen one among them."""
    trace = layer(4, 3, d_v=50)
    figure = merging(trace, 1, 2, 30)
    drawn = drawn_columns(trace.merged[0], 3, slice(21, 42))
    np.testing.assert_array_equal(matrix_at(figure, merged_top(figure))[0], drawn.astype("f4"))
    assert figure["layout"]["xaxis"]["ticktext"] == ["21", "71", "121"]


@pytest.mark.parametrize("swap", [True, False])
def test_plotly_takes_it(swap: bool) -> None:
    """Every property is one that Plotly knows, and the description says where the number lands."""
    figure = merging(example("causal"), 16, 3, 2, swap)
    go.Figure(dress(figure, "dark"))
    row, column = place_merged(example("causal"), 16, 3, 2, swap)
    assert f"row {row}, column {column}" in figure["layout"]["meta"]["description"]
