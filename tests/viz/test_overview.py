"""The picture of the whole layer shows every matrix with its real numbers."""

from __future__ import annotations

import numpy as np
import pytest

from attention_core import STEPS, Projections, attend
from attention_viz.overview import overview
from attention_viz.theme import PALETTES, dress
from attention_viz.thumbnails import MOST_CELLS, PLACES, WEIGHTS, matrix_of, spread, thumbnail
from tests.viz.example_traces import CASES, H, S, T, example, square

FIELDS = [name for name in PLACES if name in STEPS]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("shared", [False, True])
def test_every_matrix_is_drawn_with_the_numbers_of_the_trace(case: str, shared: bool) -> None:
    """Each thumbnail holds the trace's array or weight: all of it, or the given head's matrix."""
    trace = example(case, shared=shared)
    figure = overview(trace, head=H - 1, query=T - 1, key=S - 1)
    drawn = [part["z"] for part in figure["data"] if part["type"] == "heatmap" and part["colorscale"] != "@mask"]
    assert len(drawn) == len(PLACES)
    for name, z in zip(PLACES, drawn, strict=True):
        matrix = matrix_of(trace, name, H - 1)
        assert matrix is not None
        expected = matrix[np.ix_(spread(matrix.shape[0]), spread(matrix.shape[1]))]
        np.testing.assert_array_equal(z, np.where(np.isneginf(expected), np.nan, expected).astype("f4"))


def test_every_field_after_the_memory_has_a_thumbnail() -> None:
    """A new field of the trace must get its place in the picture."""
    assert set(FIELDS) == set(STEPS) - {"memory"}


def test_a_layer_without_w_o_is_drawn_without_it() -> None:
    """Where the joined heads are the output, there is no matrix W_O to show."""
    trace = attend(np.eye(4), Projections.weightless(4, 2))
    figure = overview(trace)
    assert sum(part["type"] == "heatmap" for part in figure["data"]) == len(PLACES) - 1
    assert not any("W<sub>O</sub>" in words["text"] for words in figure["layout"]["annotations"])


def test_every_thumbnail_reports_the_field_whose_step_it_opens() -> None:
    """A click on a matrix names its field; a weight names the field it makes."""
    clicks = overview(square(5))["data"][-1]
    assert set(clicks["customdata"]) == set(FIELDS)
    assert set(WEIGHTS.values()) <= set(FIELDS)


def test_the_marked_row_is_the_query_or_in_keys_and_values_the_key() -> None:
    """The orange frame of a matrix surrounds the row of the token in focus."""
    trace = square(5)
    figure = overview(trace, head=1, query=3, key=1)
    frames = [shape for shape in figure["layout"]["shapes"] if shape["line"]["color"] == "@focus"]
    assert len(frames) == len(FIELDS)
    for name, frame in zip(FIELDS, frames, strict=True):
        row = 1 if name in ("keys", "values", "key_heads", "value_heads") else 3
        board = thumbnail(trace, name, 1)
        assert frame["y0"] == pytest.approx(board.top + row * board.height / 5)


@pytest.mark.parametrize(("shared", "n_blocks"), [(False, H), (True, 1)])
def test_the_block_of_the_head_in_front_is_framed(shared: bool, n_blocks: int) -> None:
    """In queries and merged every head has a block, in keys and values every key/value head, none if it is alone."""
    trace = example(shared=shared)
    shapes = overview(trace, head=H - 1)["layout"]["shapes"]
    frames = [shape for shape in shapes if shape["line"]["color"] == "@text" and shape["type"] == "rect"]
    framed = {name: [f for f in frames if f["y0"] == b.top and b.left < f["x1"] <= b.right + 1e-9 and f["x0"] > b.left]
              for name in ("queries", "keys", "values", "merged") for b in [thumbnail(trace, name, 0)]}  # fmt: skip
    assert {name: len(found) for name, found in framed.items()} == {
        "queries": 1, "keys": int(n_blocks > 1), "values": int(n_blocks > 1), "merged": 1
    }  # fmt: skip
    (block,), board = framed["queries"], thumbnail(trace, "queries", 0)
    assert block["x1"] - block["x0"] == pytest.approx(board.width / H)
    assert block["x1"] == pytest.approx(board.right)


def test_a_large_matrix_is_drawn_by_some_of_its_rows_and_columns() -> None:
    """A thumbnail never holds more numbers than it has room for, and each is one of the matrix."""
    board = thumbnail(square(60), "scores", 0)
    assert board.matrix.shape == (MOST_CELLS, MOST_CELLS)
    assert np.isin(board.matrix, square(60).scores[0, 0]).all()


@pytest.mark.parametrize("residual", [False, True])
def test_the_residual_is_drawn_only_where_it_is_added(residual: bool) -> None:
    """The line from the inputs to the output appears with the residual."""
    trace = attend(np.eye(4), Projections.random(4, 2), residual=residual)
    words = [word["text"] for word in overview(trace)["layout"]["annotations"]]
    assert any("residual" in word for word in words) == residual


@pytest.mark.parametrize("mode", PALETTES)
def test_every_colour_is_known(mode: str) -> None:
    """After dressing no colour is left as the name of a role."""
    figure = dress(overview(example("causal")), mode)
    drawn = {key: [part[key] for part in figure["layout"]["annotations"] if key in part] for key in ("arrowcolor",)}
    assert not any(color.startswith("@") for color in drawn["arrowcolor"])
    assert "scores" in figure["layout"]["meta"]["description"]
