"""What a heatmap draws is what was computed: colours, hover texts, hatching, frames and labels."""

from __future__ import annotations

import numpy as np
import pytest

from attention_core import STEPS, Trace
from attention_viz.heatmap import Cell, columns_of_tiles, describe, heads_grid, heatmap, limit_of
from attention_viz.parts import MOST_CLICKABLE
from attention_viz.theme import Figure
from tests.viz.example_traces import CASES, HOSTILE, D, H, K, S, T, example, square
from tests.viz.reading_figures import as_sent, markers_of

PER_HEAD = [name for name, step in STEPS.items() if step.per_head]
BIG = square(67)  # 2 heads of 67 × 67: more cells than can be clicked


def tile_of(figure: Figure, name: str, trace: Trace, field: str, head: int) -> np.ndarray:
    """One head's rectangle of a grid's array."""
    n_heads, n_rows, n_columns = getattr(trace, field)[0].shape
    frames = [shape for shape in figure["layout"]["shapes"] if shape["line"]["color"] in ("@line", "@primary")]
    assert len(frames) == n_heads
    left, top = round(frames[head]["x0"] + 0.5), round(frames[head]["y0"] + 0.5)
    return np.asarray(figure["data"][0][name])[top : top + n_rows, left : left + n_columns]


def coloured(numbers: np.ndarray) -> np.ndarray:
    """What the colours should show of some numbers: float32, and nothing at masked cells."""
    return np.where(np.isneginf(numbers), np.nan, numbers).astype("f4")


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("field", STEPS)
def test_one_matrix_is_the_trace(field: str, case: str) -> None:
    """The colours and numbers of one matrix are the field's own; the hover keeps minus infinity."""
    trace = example(case)
    figure = heatmap(trace, field, head=5)
    array = getattr(trace, field)[0]
    matrix = array[5] if STEPS[field].per_head else array
    np.testing.assert_array_equal(figure["data"][0]["z"], coloured(matrix))
    np.testing.assert_array_equal(figure["data"][0]["customdata"], matrix.astype("f4"))
    as_sent(figure)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("field", PER_HEAD)
def test_each_tile_of_the_grid_is_its_head(field: str, case: str) -> None:
    """Seventeen heads stand in seventeen frames, each with its own numbers, and the gaps are empty."""
    trace = example(case)
    figure = heads_grid(trace, field, cell=Cell(2, 1, 1))
    array = getattr(trace, field)[0]
    for head in range(H):
        np.testing.assert_array_equal(tile_of(figure, "z", trace, field, head), coloured(array[head]))
        np.testing.assert_array_equal(tile_of(figure, "customdata", trace, field, head), array[head].astype("f4"))
    assert np.isfinite(figure["data"][0]["z"]).sum() == np.isfinite(array).sum()
    as_sent(figure)


@pytest.mark.parametrize("field", PER_HEAD)
def test_own_scale_changes_colours_only(field: str) -> None:
    """With a scale per head the colours are divided by the head's largest value; the hover texts stay true."""
    trace = example("causal")
    own, shared = heads_grid(trace, field, shared_scale=False), heads_grid(trace, field)
    for head in range(H):
        numbers = getattr(trace, field)[0, head]
        largest = np.abs(numbers[np.isfinite(numbers)]).max()
        expected = coloured(numbers / largest)
        np.testing.assert_allclose(tile_of(own, "z", trace, field, head), expected, rtol=1e-6)
    np.testing.assert_array_equal(own["data"][0]["customdata"], shared["data"][0]["customdata"])
    assert markers_of(own)["text"] == markers_of(shared)["text"]
    assert own["data"][0]["zmax"] == 1
    assert not own["data"][0]["showscale"]


@pytest.mark.parametrize("field", STEPS)
def test_the_colour_scale(field: str) -> None:
    """Probabilities go from 0, all else is symmetric about 0; the largest number of all heads has the last colour."""
    trace = example("bias and residual")
    drawn = heatmap(trace, field, head=1, own_scale=False)["data"][0]
    assert drawn["zmax"] == pytest.approx(float(np.abs(getattr(trace, field)).max()))
    assert drawn["zmin"] == (0 if STEPS[field].kind == "probability" else -drawn["zmax"])
    assert drawn["colorscale"] == f"@{STEPS[field].kind}"
    if field in PER_HEAD:
        grid = heads_grid(trace, field)["data"][0]
        assert (grid["zmin"], grid["zmax"], grid["colorscale"]) == (drawn["zmin"], drawn["zmax"], drawn["colorscale"])
        own = heatmap(trace, field, head=1, own_scale=True)["data"][0]
        assert own["zmax"] == pytest.approx(float(np.abs(getattr(trace, field)[0, 1]).max()))


def test_a_borrowed_scale() -> None:
    """like= draws one field in the colours of another, so that the two can be compared."""
    trace = example()
    assert heatmap(trace, "scaled_scores", head=1, like="scores")["data"][0]["zmax"] == limit_of(trace, "scores")
    assert heads_grid(trace, "scaled_scores", like="scores")["data"][0]["zmax"] == limit_of(trace, "scores")


@pytest.mark.parametrize("case", ["causal", "empty row", "all hidden"])
def test_masked_cells_are_hatched(case: str) -> None:
    """A masked cell has no colour of a number: it lies on the mask's ground and carries a stroke; others do not."""
    trace = example(case)
    hidden = np.isneginf(trace.masked_scores[0, 3])
    drawn, ground, strokes = heatmap(trace, "masked_scores", head=3)["data"][:3]
    assert np.isnan(drawn["z"][hidden]).all()
    assert ground["colorscale"] == "@mask"
    np.testing.assert_array_equal(np.isfinite(ground["z"]), hidden)
    x, y = (strokes[axis].reshape(-1, 3)[:, :2].mean(axis=1) for axis in "xy")
    struck = {(round(float(row)), round(float(column))) for row, column in zip(y, x, strict=True)}
    assert struck == {(int(row), int(column)) for row, column in np.argwhere(hidden)}


def test_nothing_is_hatched_without_a_mask() -> None:
    """A picture without masked cells has no hatching."""
    assert [trace["type"] for trace in heatmap(example(), "masked_scores", head=3)["data"]] == ["heatmap", "scatter"]


def test_clicks_in_the_grid_name_their_head() -> None:
    """A marker lies on its own head's cell, not on that of another head."""
    trace = example()
    markers = markers_of(heads_grid(trace, "scores"))
    z = heads_grid(trace, "scores")["data"][0]["z"]
    for x, y, (head, row, column) in zip(markers["x"], markers["y"], markers["customdata"], strict=True):
        assert z[int(y), int(x)] == np.float32(trace.scores[0, head, row, column])
    assert len(markers["x"]) == H * T * S


def test_a_large_picture_has_no_markers_but_its_numbers() -> None:
    """Beyond the clickable size the hover reads the true numbers from the heatmap itself."""
    figure = heads_grid(BIG, "masked_scores")
    assert figure["data"][0]["z"].size > MOST_CLICKABLE
    assert all(trace.get("mode") != "markers" for trace in figure["data"])
    assert "%{customdata" in figure["data"][0]["hovertemplate"]
    assert figure["data"][0].get("hoverinfo") != "skip"


def test_the_focused_cell_is_framed() -> None:
    """The focus is a frame around exactly that cell, once in one matrix and once in every head of the grid."""
    trace = example()
    (frame,) = heatmap(trace, "scores", head=1, cell=Cell(1, 3, 6))["layout"]["shapes"]
    assert (frame["x0"], frame["x1"], frame["y0"], frame["y1"]) == (5.5, 6.5, 2.5, 3.5)
    shapes = heads_grid(trace, "scores", cell=Cell(1, 3, 6))["layout"]["shapes"]
    assert sum(shape["line"]["color"] == "@focus" for shape in shapes) == H
    assert sum(shape["line"]["color"] == "@primary" for shape in shapes) == 1


def test_the_head_in_focus_is_framed_in_a_wide_matrix() -> None:
    """In a matrix of all heads side by side the head's own block of columns is framed, in the field's colour."""
    (frame,) = heatmap(example(), "queries", head=4)["layout"]["shapes"]
    assert (frame["x0"], frame["x1"], frame["y0"], frame["y1"]) == (7.5, 9.5, -0.5, T - 0.5)
    assert frame["line"]["color"] == "@query"


def test_the_block_of_shared_keys_is_framed() -> None:
    """Where heads share keys, the columns of the shared ones are framed, for every head that reads them."""
    for head in (0, H - 1):
        (frame,) = heatmap(example(shared=True), "keys", head=head)["layout"]["shapes"]
        assert (frame["x0"], frame["x1"]) == (-0.5, K - 0.5)


def test_shared_keys_are_drawn_for_every_reader() -> None:
    """When one key head serves all heads, each head shows that one."""
    trace = example(shared=True)
    np.testing.assert_array_equal(heatmap(trace, "key_heads", head=9)["data"][0]["z"], coloured(trace.key_heads[0, 0]))
    assert "head" in describe(trace, "key_heads", 9)


def test_the_size_of_what_is_sent() -> None:
    """A picture of the default size is at most 100 kB, the largest the app allows at most 2 MB."""
    assert len(as_sent(heads_grid(square(12, 4, causal=False), "scores"))) < 100_000
    assert len(as_sent(heads_grid(square(64, 16), "masked_scores"))) < 2_000_000


@pytest.mark.parametrize("n_tokens", [1, 2, 17])
@pytest.mark.parametrize("n_heads", [1, 2, 16])
def test_small_and_large_layers_can_be_drawn(n_tokens: int, n_heads: int) -> None:
    """One token, one head and sixteen heads give a picture that Plotly accepts."""
    trace = square(n_tokens, n_heads)
    for field in STEPS:
        as_sent(heatmap(trace, field, head=n_heads - 1, cell=Cell(0, 0, 0)))
        if field in PER_HEAD:
            as_sent(heads_grid(trace, field, cell=Cell(n_heads - 1, n_tokens - 1, 0), shared_scale=False))


def test_at_most_four_tiles_side_by_side() -> None:
    """Up to sixteen heads stand in rows of at most four."""
    assert all(1 <= columns_of_tiles(n) <= 4 for n in range(1, 17))
    assert (len(HOSTILE), D) == (S, 11)
