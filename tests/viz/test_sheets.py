"""Hand-laid matrices: blocks that hold the chosen place, pale surroundings, columns with their true numbers."""

from __future__ import annotations

import numpy as np
import pytest

from attention_viz.sheets import MOST_COLUMNS, bars, column_axis, digits_for, row_height, sheet, spotlight, window


@pytest.mark.parametrize("length", [1, 5, 63, 64, 65, 512])
def test_a_window_holds_the_chosen_place(length: int) -> None:
    """Whatever is chosen lies in a block inside the array that is not longer than allowed."""
    for chosen in {0, length // 2, length - 1}:
        part = window(length, chosen)
        assert 0 <= part.start <= chosen < part.stop <= length
        assert part.stop - part.start <= MOST_COLUMNS


def test_a_spotlight_splits_a_matrix_without_losing_a_number() -> None:
    """Pale and bright cells together are the matrix, and no cell is drawn twice."""
    matrix, lit = np.arange(6.0).reshape(2, 3), np.array([False, True, False])
    pale, bright = (part["z"] for part in spotlight(matrix, lit, 5.0))
    assert (np.isnan(pale) != np.isnan(bright)).all()
    np.testing.assert_array_equal(np.where(np.isnan(pale), bright, pale), matrix)
    assert len(spotlight(matrix, True, 5.0)) == len(spotlight(matrix, False, 5.0)) == 1


@pytest.mark.parametrize("columns", [slice(0, 1), slice(0, 16), slice(64, 128), slice(64, 95)])
def test_columns_have_their_true_numbers(columns: slice) -> None:
    """A tick stands at its column of the block and names its column of the matrix; there are never too many."""
    axis = column_axis(columns)
    assert [str(columns.start + place) for place in axis["tickvals"]] == axis["ticktext"]
    assert axis["range"] == [-0.5, columns.stop - columns.start - 0.5]
    assert 1 <= len(axis["tickvals"]) <= 32


def test_bars_are_the_numbers() -> None:
    """A bar for each row, as long as its number, with its text."""
    drawn = bars(np.array([0.5, -2.0]), ["a", "b"], "@key", ("x2", "y"))
    assert (drawn["x"].tolist(), drawn["y"].tolist(), drawn["text"]) == ([0.5, -2.0], [0, 1], ["a", "b"])
    assert (drawn["xaxis"], drawn["yaxis"], drawn["orientation"]) == ("x2", "y", "h")


def test_numbers_are_written_only_where_they_fit() -> None:
    """Few columns have two digits, more have one, many have none; rows get flatter the more they are."""
    assert [digits_for(n, few=4, many=9) for n in (4, 5, 9, 10)] == [2, 1, 1, None]
    assert "texttemplate" not in sheet(np.zeros((2, 2)), 1.0)
    assert row_height(1) >= row_height(40) >= row_height(100) == 12
