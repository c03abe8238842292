"""Matrices in one picture: each on its own axes with its own numbers, zoomed together,
clickable, hatched, labelled.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attention_viz.labels import numbered
from attention_viz.sheet import Sheet
from attention_viz.theme import Figure
from attention_viz.tiles import MOST_HATCHED, Tile, across_for, largest, tiled
from tests.viz.reading_figures import as_sent

ROWS, COLUMNS = ("a", "b", "c"), ("v", "w", "x", "y", "z")
MATRICES = [np.arange(15.0).reshape(3, 5) / 15 - shift for shift in (0.0, 0.2, 0.4)]
SHEET = Sheet(ROWS, COLUMNS, "logit", 2.0)


def drawn(figure: Figure, kind: str = "heatmap") -> list[dict[str, Any]]:
    """The heatmaps of a picture that show numbers."""
    return [
        part
        for part in figure["data"]
        if part["type"] == kind and part.get("colorscale") != "@mask"
    ]


def picture(sheet: Sheet = SHEET, **more: Any) -> Figure:
    """Three tiles in lines of two."""
    tiles = [Tile(matrix, f"tile {i}", i, lit=i == 1) for i, matrix in enumerate(MATRICES)]
    return tiled(sheet, tiles, "Three tiles.", across=2, **more)


def test_each_tile_holds_its_matrix() -> None:
    """Every tile's numbers are its own, on the axes of its line and column, with the labels of
    rows and columns.
    """
    figure = picture()
    for tile, matrix in zip(drawn(figure), MATRICES, strict=True):
        np.testing.assert_array_equal(tile["z"], matrix.astype("f4"))
    names = {
        axis: part["categoryarray"]
        for axis, part in figure["layout"].items()
        if axis[1:5] == "axis"
    }
    columns, rows = list(COLUMNS), list(ROWS)
    assert names == {"xaxis": columns, "xaxis2": columns, "yaxis": rows, "yaxis2": rows}
    assert [(tile["xaxis"], tile["yaxis"]) for tile in drawn(figure)] == [
        ("x", "y"),
        ("x2", "y"),
        ("x", "y2"),
    ]
    as_sent(figure)


def test_tiles_stand_in_lines_and_zoom_together() -> None:
    """Two stand side by side, the third below the first; none overlaps, and all follow the
    first one's zoom.
    """
    around = picture()["layout"]
    (left, right), (upper, lower) = (
        [around[f"{axis}axis{n}"]["domain"] for n in ("", "2")] for axis in "xy"
    )
    assert left[1] < right[0]
    assert lower[1] < upper[0]
    assert all(0 <= low < high <= 1 for low, high in (left, right, upper, lower))
    assert [around[f"{axis}axis{n}"].get("matches") for axis in "xy" for n in ("", "2")] == [
        None,
        "x",
        None,
        "y",
    ]
    assert not {"xaxis3", "yaxis3"} & set(around)  # each axis costs the browser time
    assert around["yaxis"]["range"] == [2.5, -0.5]


def test_labels_stand_at_the_left_and_at_the_bottom() -> None:
    """Rows are named beside the first tile of a line, columns below the last tile of a column."""
    around = picture()["layout"]
    assert [around[f"yaxis{n}"]["anchor"] for n in ("", "2")] == ["x", "x"]
    assert [around[f"xaxis{n}"]["anchor"] for n in ("", "2")] == ["y2", "y"]


def test_one_scale_or_one_each() -> None:
    """A shared scale goes to its limit and is drawn; without one each tile goes to its own
    largest number.
    """
    shared, own = picture(), picture(Sheet(ROWS, COLUMNS, "logit", None))
    colours = shared["layout"]["coloraxis"]
    assert (colours["cmin"], colours["cmax"], colours["colorscale"]) == (-2.0, 2.0, "@logit")
    assert colours["colorbar"]["len"] > 0
    assert colours.get("showscale", True)
    assert all(tile["coloraxis"] == "coloraxis" for tile in drawn(shared))
    assert [(tile["zmin"], tile["zmax"]) for tile in drawn(own)] == [
        (-largest(m), largest(m)) for m in MATRICES
    ]
    shares = picture(Sheet(ROWS, COLUMNS, "probability", None))
    assert all(tile["zmin"] == 0 for tile in drawn(shares))


@pytest.mark.parametrize(("n_rows", "numbers"), [(1, 2), (3, 2), (12, 5)])
def test_the_numbers_of_the_colour_bar_have_room(n_rows: int, numbers: int) -> None:
    """Beside a single row of cells stand two numbers, not five on top of each other."""
    sheet = Sheet(numbered(["hello"] * n_rows), numbered(["hello"] * n_rows))
    bar = tiled(sheet, [Tile(np.ones((n_rows, n_rows)))], "One tile.", across=1)["layout"][
        "coloraxis"
    ]["colorbar"]
    assert bar["nticks"] == numbers
    assert (numbers - 1) * bar["tickfont"]["size"] < bar["len"] - 2 * bar["ypad"]


def test_a_cell_without_a_number_is_marked() -> None:
    """Masked and undefined cells have no colour of a number: they lie on the mask's ground with
    a glyph, and say so.
    """
    matrix = np.array([[1.0, -np.inf], [np.nan, 2.0]])
    figure = tiled(
        Sheet(("a", "b"), ("c", "d"), missing="nothing here"), [Tile(matrix)], "One tile.", across=1
    )
    (numbers,), ground = (
        drawn(figure),
        next(part for part in figure["data"] if part.get("colorscale") == "@mask"),
    )
    hidden = np.array([[False, True], [True, False]])
    np.testing.assert_array_equal(np.isnan(numbers["z"]), hidden)
    np.testing.assert_array_equal(np.isfinite(ground["z"]), hidden)
    assert ground["texttemplate"] == "%{text}"
    assert [bool(stroke) for row in ground["text"] for stroke in row] == hidden.ravel().tolist()
    assert "nothing here" in ground["hovertemplate"]
    assert not drawn(figure)[0]["hoverongaps"]
    as_sent(figure)


def test_clicks_name_their_place() -> None:
    """Each tile carries its head and the number of the sheet's first column, also on the ground
    of masked cells.
    """
    figure = picture(Sheet(ROWS, COLUMNS, "logit", 2.0, start=64))
    assert [part["meta"] for part in drawn(figure)] == [[0, 64], [1, 64], [2, 64]]
    masked = tiled(SHEET, [Tile(np.full((3, 5), -np.inf), head=2)], "One tile.", across=1)
    assert [part["meta"] for part in masked["data"]] == [[2, 0], [2, 0]]


def test_the_hover_reads_labels_and_number_from_the_matrix() -> None:
    """Nothing but the matrix is sent for it."""
    assert {part["type"] for part in picture()["data"]} == {"heatmap"}
    for part in picture()["data"]:
        assert all(
            name in part["hovertemplate"] for name in ("%{x}", "%{y}", "%{z", "%{fullData.name}")
        )


def test_frames() -> None:
    """The tile in focus has a strong frame, and the cell in focus is framed in every tile."""
    shapes = picture(cell=(2, 4))["layout"]["shapes"]
    cells = [shape for shape in shapes if shape["line"]["color"] == "@focus"]
    tiles = [("x", "y"), ("x2", "y"), ("x", "y2")]
    assert [(c["xref"], c["yref"]) for c in cells] == tiles
    assert {(c["x0"], c["y0"]) for c in cells} == {(3.5, 1.5)}
    assert [(s["xref"], s["yref"]) for s in shapes if s["line"]["color"] == "@primary"] == tiles[
        1:2
    ]


def test_a_large_picture_has_fewer_labels_and_no_glyphs() -> None:
    """Labels that do not fit are left out until one zooms in; glyphs of masked cells would take
    too long.
    """
    labels = numbered([f"t{i}" for i in range(67)])
    assert MOST_HATCHED < 67 * 67
    figure = tiled(Sheet(labels, labels), [Tile(np.full((67, 67), -np.inf))], "One tile.", across=1)
    assert not any("texttemplate" in part for part in figure["data"])
    assert figure["layout"]["xaxis"]["nticks"] < 67


@pytest.mark.parametrize("room", [1000, 100])
def test_numbers_are_written_where_they_fit(room: float) -> None:
    """Cells wide enough hold their numbers, narrow ones none."""
    figure = picture(Sheet(ROWS, COLUMNS, "logit", 2.0, width=room))
    assert ("texttemplate" in drawn(figure)[0]) == (room == 1000)


def test_at_most_four_side_by_side() -> None:
    """Up to sixteen tiles stand in lines of at most four."""
    assert all(1 <= across_for(n) <= 4 for n in range(1, 17))


def test_the_largest_number_leaves_masked_cells_out() -> None:
    """The absolute value counts, minus infinity and undefined numbers do not, and zeros give 1."""
    assert largest(np.array([-3.0, 2.0, -np.inf, np.nan])) == 3.0
    assert largest(np.zeros(2)) == largest(np.array([-np.inf])) == 1.0
