"""The matrix product of a projection shows the layer's own numbers, and each head's block reads every feature."""

from __future__ import annotations

import numpy as np
import pytest

from attention_core import Projections, attend
from attention_core.decompositions import head_slice
from attention_viz.projection import MOST_COLUMNS, WEIGHTS, block_of, fused_product
from tests.viz.example_traces import CASES, H, example, square

WIDE = attend(np.random.default_rng(0).normal(size=(3, 70)), Projections.random(70, 5, d_k=29, d_v=31))


@pytest.mark.parametrize("field", WEIGHTS)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("shared", [False, True])
def test_the_three_matrices_are_those_of_the_layer(field: str, case: str, shared: bool) -> None:
    """X, W and their product are drawn with their own numbers."""
    trace = example(case, shared=shared)
    source, weights = WEIGHTS[field]
    x, w, product = fused_product(trace, field, H - 1, 2, 1)["data"][:3]
    np.testing.assert_array_equal(x["z"], getattr(trace, source)[0].astype("f4"))
    np.testing.assert_array_equal(w["z"], getattr(trace.projections, weights).astype("f4"))
    np.testing.assert_array_equal(product["z"], getattr(trace, field)[0].astype("f4"))


@pytest.mark.parametrize("field", WEIGHTS)
def test_of_wide_matrices_the_head_s_block_is_drawn(field: str) -> None:
    """Beyond the limit W and the product show the columns of one head, but W all its rows."""
    assert getattr(WIDE, field).shape[2] > MOST_COLUMNS
    _, w, product = fused_product(WIDE, field, 3, 0, 0)["data"][:3]
    block = block_of(WIDE, field, 3)
    np.testing.assert_array_equal(w["z"], head_slice(WIDE, WEIGHTS[field][1], 3).astype("f4"))
    np.testing.assert_array_equal(product["z"], getattr(WIDE, field)[0][:, block.drawn].astype("f4"))
    assert w["z"].shape[0] == 70


def test_the_frame_of_a_head_is_as_high_as_the_weights() -> None:
    """Every head reads the whole embedding: its block of W is framed from the first row to the last."""
    figure = fused_product(square(5), "queries", 1, 0, 0)
    w = figure["data"][1]
    frames = [shape for shape in figure["layout"]["shapes"] if shape["line"]["color"] == "@query"]
    top = w["y0"] - w["dy"] / 2
    assert (frames[1]["y0"], frames[1]["y1"]) == pytest.approx((top, top + 6 * w["dy"]))
    assert frames[1]["x1"] - frames[1]["x0"] == pytest.approx(3 * w["dx"])


def test_the_row_the_column_and_the_cell_meet() -> None:
    """The framed row of X is level with the framed cell, and the framed column of W is above it."""
    frames = [
        shape
        for shape in fused_product(square(5), "keys", 1, 3, 2)["layout"]["shapes"]
        if shape["line"]["color"] == "@focus"
    ]
    row, column, cell = frames
    assert (row["y0"], row["y1"]) == (cell["y0"], cell["y1"])
    assert (column["x0"], column["x1"]) == (cell["x0"], cell["x1"])


def test_a_click_on_the_product_names_head_row_and_feature() -> None:
    """The column of a fused matrix is told as a head and a feature of that head."""
    trace = square(5)
    clicks = fused_product(trace, "values", 0, 0, 0)["data"][-1]
    places = [tuple(place) for place in clicks["customdata"][:6]]
    assert places == [(0, 0, 0), (0, 0, 1), (0, 0, 2), (1, 0, 0), (1, 0, 1), (1, 0, 2)]


@pytest.mark.parametrize("field", WEIGHTS)
def test_the_value_in_words_is_that_of_the_cell(field: str) -> None:
    """The accessible name gives the number of the cell in focus."""
    trace = square(5)
    figure = fused_product(trace, field, 1, 4, 2)
    value = f"{abs(float(getattr(trace, field)[0, 4, 5])):.3f}"
    assert figure["layout"]["meta"]["description"].rstrip(".").endswith(value)
