"""The pieces of all pictures: frames lie where they say, words stay words, clicks name their place."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from attention_viz.labels import longest
from attention_viz.parts import (
    AXIS,
    MOST_CLICKABLE,
    Spot,
    below,
    box,
    broken_line,
    clicks,
    ground,
    layout,
    margins,
    rectangle,
    strokes,
    word,
)
from attention_viz.theme import dress

HIDDEN = np.array([[False, True, False], [True, False, False]])


def test_a_frame_goes_from_corner_to_corner_on_its_axes() -> None:
    """The corners are those given, and the axes the plane's own unless others are named."""
    frame = rectangle(1, 2, 3, 5, "@focus", 2, ("x2", "y domain"))
    assert [frame[edge] for edge in ("x0", "y0", "x1", "y1", "xref", "yref")] == [1, 2, 3, 5, "x2", "y domain"]
    assert (rectangle(0, 0, 1, 1, "@line", 1)["xref"], box(0, 0, 1, 1, "@line", 1)["yref"]) == ("x", "y")


def test_a_box_surrounds_cells() -> None:
    """A cell reaches half a unit to each side of its place."""
    frame = box(3, 1, 2, 4, "@focus", 2)
    assert [frame[edge] for edge in ("x0", "x1", "y0", "y1")] == [2.5, 4.5, 0.5, 4.5]


def test_a_word_stands_in_the_middle_of_its_place_unless_told_otherwise() -> None:
    """Anchors, colour and size are those given; all else is passed on to Plotly."""
    plain, told = word(1, 2, "a"), word(1, 2, "a", "@key", "left", 9, yanchor="bottom", xref="x2")
    assert (plain["xanchor"], plain["yanchor"], plain["font"]) == ("center", "middle", {"color": "@text", "size": 13})
    assert (told["xanchor"], told["yanchor"], told["font"]) == ("left", "bottom", {"color": "@key", "size": 9})
    assert told["xref"] == "x2"


def test_the_ground_lies_under_masked_cells_only() -> None:
    """A masked cell has the ground's colour, every other cell none."""
    under = ground(HIDDEN, x0=4)
    np.testing.assert_array_equal(np.isfinite(under["z"]), HIDDEN)
    assert (under["colorscale"], under["x0"]) == ("@mask", 4)


def test_a_stroke_crosses_its_cell_and_stays_inside() -> None:
    """From the lower left to the upper right, around the middle, with a gap before the next."""
    drawn = strokes(np.array([1.0, 5.0]), np.array([2.0, 2.0]), dx=2, dy=10)
    np.testing.assert_allclose(drawn["x"], [0.4, 1.6, np.nan, 4.4, 5.6, np.nan], rtol=1e-6)
    np.testing.assert_allclose(drawn["y"], [5, -1, np.nan, 5, -1, np.nan], rtol=1e-6)


def test_a_click_reports_its_place() -> None:
    """Markers lie at their places and carry head, row and column, or a name; numbers travel as typed arrays."""
    spots: list[Spot] = [(0.5, 2, (-1, 3, 511), "a"), (1.5, 2, (7, 0, 0), "b")]
    (markers,) = clicks(spots, 10, ("x2", "y"))
    assert (markers["x"].tolist(), markers["y"].tolist()) == ([0.5, 1.5], [2, 2])
    assert markers["customdata"].tolist() == [[-1, 3, 511], [7, 0, 0]]
    assert [markers[name].dtype for name in ("x", "y", "customdata")] == ["float32", "int16", "int16"]
    assert (markers["text"], markers["marker"]["opacity"], markers["xaxis"]) == (["a", "b"], 0, "x2")
    assert clicks([(0, 0, "scores", "a")])[0]["customdata"] == ["scores"]


def test_too_many_cells_get_no_markers() -> None:
    """Above the limit a picture cannot be clicked, so that it stays fast; without cells there is nothing to click."""
    cell = (0.0, 0.0, (0, 0, 0), "words")
    assert len(clicks([cell] * MOST_CLICKABLE)[0]["x"]) == MOST_CLICKABLE
    assert clicks([cell] * (MOST_CLICKABLE + 1)) == clicks([]) == []


@pytest.mark.parametrize("labels", [["it"], ["it", "internationa…"], ["動物動物"]])
def test_the_left_margin_holds_the_labels(labels: list[str]) -> None:
    """It is as wide as the longest label, never narrower than asked for; the other sides stay."""
    sides = margins(labels, l=20, r=3, t=5, b=7)
    assert sides["l"] >= max(20, longest(labels))
    assert (sides["r"], sides["t"], sides["b"]) == (3, 5, 7)
    assert margins([], l=4, r=0, t=0, b=0)["l"] == 4


def test_long_labels_below_are_slanted_and_get_room() -> None:
    """Labels of at most three signs stay level and need one line; longer ones need more, the longer they are."""
    assert below(["a", "the"]) == (0, 18)
    (angle, room), (_, more) = below(["cross"]), below(["internationa…"])
    assert angle == -45
    assert 18 < room < more


def test_what_all_pictures_share() -> None:
    """A description, no dragging and no legend; what is given comes on top."""
    shared = layout(300, "One sentence.", showlegend=True)
    assert (shared["height"], shared["meta"]) == (300, {"description": "One sentence."})
    assert (shared["dragmode"], shared["hovermode"], shared["showlegend"]) == (False, "closest", True)


def test_plotly_takes_every_piece() -> None:
    """Every property is one that Plotly knows."""
    rows, columns = np.nonzero(HIDDEN)
    data: list[dict[str, Any]] = [ground(HIDDEN), strokes(columns, rows), *clicks([(0, 0, (0, 0, 0), "a")])]
    shapes = [box(0, 0, 1, 1, "@focus", 2), broken_line(0, 0, 1, 1, "@muted", 1, "dash")]
    around = layout(200, "A test.", shapes=shapes, annotations=[word(0, 0, "a")], xaxis=AXIS, margin={"l": 1})
    go.Figure(dress({"data": data, "layout": around}))
