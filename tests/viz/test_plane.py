"""The plane of tokens as arrows: who out-votes a token is drawn as computed, and can be read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attention_lab.diagonal.measures import margins
from attention_lab.diagonal.presets import typed
from attention_lab.diagonal.scenes import DiagonalScene, trace_of_scene
from attention_lab.diagonal.token_matrices import format_tokens
from attention_viz.diagonal.diagonal_board import margin_bars
from attention_viz.diagonal.plane import plane, row_says
from attention_viz.diagonal.plane_table import points_table, points_typed
from tests.viz.reading_figures import as_sent

WORDS = DiagonalScene(text="<b>we like & tea", d_model=3)


def test_the_plane() -> None:
    """Arrows end in the keys, rivals are those of the half-plane, outputs are the head's, the
    hull is closed.
    """
    trace = trace_of_scene(typed("1,0; 2,5; 0.5,9; -1,-1"))
    figure = plane(trace, 0)
    as_sent(figure)
    by_name = {part["name"]: part for part in figure["data"] if part.get("name")}
    assert by_name["out-vote it"]["customdata"] == ["1"]
    assert by_name["other tokens"]["customdata"] == ["2", "3"]
    assert (by_name["its query"]["x"].tolist(), by_name["its query"]["y"].tolist()) == ([1], [0])
    np.testing.assert_array_equal(
        by_name["outputs"]["y"], trace.head_outputs[0, 0, :, 1].astype("f4")
    )
    hull = by_name["hull of the values"]
    assert (hull["x"][0], hull["y"][0]) == (hull["x"][-1], hull["y"][-1])
    assert by_name["other tokens"]["textposition"] == ["top center", "middle left"]
    assert row_says(trace, 0) == "its score for itself is 1.000; higher for “1” (2.000)"


@pytest.mark.parametrize("weights", ["tied", "free"])
def test_the_plane_of_a_head(weights: str) -> None:
    """With d_k = 2 keys and queries of words are drawn; values have more features, so there is
    no hull.
    """
    trace = trace_of_scene(replace(WORDS, weights=weights, d_k=2))
    figure = plane(trace, 1)
    as_sent(figure)
    names = {part.get("name") for part in figure["data"]}
    assert "hull of the values" not in names
    assert ("its own key" in names) == (weights == "free")


def test_points_as_a_table() -> None:
    """Points survive the table; a row that is only begun is passed over, and an empty table has
    no points.
    """
    table = points_table(np.array([[1.5, -2.0], [3.0, 4.0]]))
    assert points_typed(table).tolist() == [[1.5, -2.0], [3.0, 4.0]]
    table.loc[2] = [7.0, np.nan]
    assert points_typed(table).tolist() == [[1.5, -2.0], [3.0, 4.0]]
    assert format_tokens(points_typed(table.iloc[:0])) == ""


def test_a_colour_of_the_plane_means_one_thing() -> None:
    """With free weights the token's own key has neither the colour nor the bare name of keys
    that out-vote it.
    """
    figure = plane(trace_of_scene(DiagonalScene(weights="free", d_k=2)), 0)
    as_sent(figure)
    heads = {part["name"]: part for part in figure["data"] if part.get("mode") == "markers+text"}
    assert set(heads) == {"other tokens", "out-vote it", "its query", "its own key"}
    assert len({head["marker"]["color"] for head in heads.values()}) == 4
    assert (heads["its query"]["text"], heads["its own key"]["text"]) == (
        ["query of 0 The"],
        ["key of 0 The"],
    )


def test_no_word_of_the_plane_covers_another() -> None:
    """Where arrows end together the longest keeps its word; who points at the others reads
    theirs.
    """
    figure = plane(trace_of_scene(typed("1,0; 3,3.2; 3,3.3; 0,-2; 1,0.01")), 0)
    heads = {part["name"]: part for part in figure["data"] if part.get("mode") == "markers+text"}
    assert heads["its query"]["text"] == ["0"]
    assert (heads["out-vote it"]["text"], heads["out-vote it"]["hovertext"]) == (
        ["", "2"],
        ["1", "2"],
    )
    assert (heads["other tokens"]["text"], heads["other tokens"]["hovertext"]) == (
        ["3", "4"],
        ["3", "4"],
    )


def test_one_token_is_told_in_the_singular() -> None:
    """The accessible names say how many are out-voted, and how many out-vote."""
    for numbers, below, rivals in (
        ("3,0; 1,0", "1 is", "1 of them out-votes"),
        ("3,0; 1,0; 1,0", "2 are", "1 of them"),
        ("1,0; 2,0; 3,0", "2 are", "2 of them out-vote token 0"),
    ):
        trace = trace_of_scene(typed(numbers))
        token = int(margins(trace.masked_scores[0, 0]).argmin())
        assert f"; {below} below 0." in margin_bars(trace, 0)["layout"]["meta"]["description"]
        assert rivals in plane(trace, token)["layout"]["meta"]["description"]
