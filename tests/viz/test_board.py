"""Matrices laid out by hand keep their numbers, their places and their masked cells."""

from __future__ import annotations

import numpy as np
import pytest

from attention_viz.board import MOST_STROKES, Board, assembled, heat, outline, row_ticks

MATRIX = np.array([[1.0, -4.0, 0.5], [2.0, -np.inf, 0.0]])


def test_cells_lie_where_the_box_says() -> None:
    """The first cell's middle lies half a cell inside the box, and the last one's half a cell before its end."""
    board = Board(MATRIX, left=10, top=20, width=30, height=8)
    (colours, *_) = heat(board)
    assert (colours["x0"], colours["dx"], colours["y0"], colours["dy"]) == (15, 10, 22, 4)
    assert board.middle(1, 2) == (35, 26)
    assert (board.right, board.bottom, board.centre) == (40, 28, (25, 24))


def test_masked_cells_have_a_ground_and_a_stroke_but_no_colour() -> None:
    """A masked cell is drawn without a number, on plain ground, with one stroke."""
    colours, ground, strokes = heat(Board(MATRIX, 0, 0, 3, 2))
    assert np.isnan(colours["z"]).tolist() == [[False] * 3, [False, True, False]]
    assert (ground["z"] == 1).sum() == 1
    assert len(strokes["x"]) == 3
    assert colours["zmax"] == 4
    assert colours["zmin"] == -4


def test_many_masked_cells_get_a_bounded_number_of_strokes() -> None:
    """A large masked matrix does not draw a line for every cell."""
    strokes = heat(Board(np.full((90, 90), -np.inf), 0, 0, 100, 100))[-1]
    assert 0 < len(strokes["x"]) / 3 <= MOST_STROKES


def test_probabilities_start_at_zero() -> None:
    """The scale of probabilities has no negative side."""
    assert heat(Board(np.array([[0.2, 0.8]]), 0, 0, 1, 1, kind="probability"))[0]["zmin"] == 0


def test_an_outline_surrounds_the_named_rows_and_columns() -> None:
    """Rows and columns are counted from the first up to, not including, the last."""
    shape = outline(Board(MATRIX, 10, 20, 30, 8), "@focus", rows=(1, 2), columns=(0, 2))
    assert [shape[edge] for edge in ("x0", "x1", "y0", "y1")] == [10, 30, 24, 28]


@pytest.mark.parametrize(("n_rows", "named"), [(40, True), (41, False)])
def test_rows_are_named_while_the_names_can_be_read(n_rows: int, named: bool) -> None:
    """More than forty names in a column of text would overlap."""
    board = Board(np.zeros((n_rows, 2)), 0, 0, 10, 400)
    assert (row_ticks(board, ["t"] * n_rows) is not None) == named


def test_the_plane_is_upside_down_and_as_high_as_its_pixels() -> None:
    """The vertical axis counts pixels from the top."""
    layout = assembled([], [], [], 300, "nothing")["layout"]
    assert (layout["yaxis"]["range"], layout["height"]) == ([300, 0], 300)
    assert layout["meta"] == {"description": "nothing"}
