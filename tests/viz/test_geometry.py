"""The plane of tokens as arrows: who beats a token is drawn as computed, and can be read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attention_lab.diagonal.measures import diagonal_margins
from attention_lab.diagonal.settings import DiagonalSettings, settings_of_numbers, trace_of_settings
from attention_lab.diagonal.token_matrices import format_tokens
from attention_viz.diagonal.geometry import describe_row, plane, points_from_table, points_table
from attention_viz.diagonal.self_attention_mass import margin_bars
from attention_viz.parts import Part
from attention_viz.theme import Figure
from tests.viz.reading_figures import as_sent
from tests.viz.reading_words import holds, numbers_said

WORDS = DiagonalSettings(text="<b>we like & tea", d_model=3)
# The colours of the kinds of arrows.
OTHERS, RIVALS, QUERY, OWN_KEY = "@primary", "@key", "@query", "@focus"


def arrows(figure: Figure) -> dict[str, Part]:
    """The heads of the arrows by their colour."""
    heads = [part for part in figure["data"] if part.get("mode") == "markers+text"]
    return {head["marker"]["color"]: head for head in heads}


def hulls(figure: Figure) -> list[Part]:
    """The outlines of the averages of all values."""
    return [part for part in figure["data"] if part.get("line", {}).get("color") == "@value"]


def test_the_plane() -> None:
    trace = trace_of_settings(settings_of_numbers("1,0; 2,5; 0.5,9; -1,-1"))
    figure = plane(trace, 0)
    as_sent(figure)
    heads = arrows(figure)
    assert heads[RIVALS]["customdata"] == ["1"]
    assert heads[OTHERS]["customdata"] == ["2", "3"]
    assert (heads[QUERY]["x"].tolist(), heads[QUERY]["y"].tolist()) == ([1], [0])
    (outputs,) = (part for part in figure["data"] if part.get("mode") == "markers")
    np.testing.assert_array_equal(outputs["y"], trace.head_outputs[0, 0, :, 1].astype("f4"))
    (hull,) = hulls(figure)
    assert (hull["x"][0], hull["y"][0]) == (hull["x"][-1], hull["y"][-1])
    assert heads[OTHERS]["textposition"] == ["top center", "middle left"]


def test_the_scores_of_a_row_in_words() -> None:
    trace = trace_of_settings(settings_of_numbers("1,0; 2,5; 0.5,9; -1,-1"))
    assert numbers_said(describe_row(trace, 0)) == [1.0, 1, 2.0]
    assert numbers_said(describe_row(trace, 2)) == [81.25]
    assert numbers_said(describe_row(trace_of_settings(settings_of_numbers("2,0")), 0)) == [4.0]


@pytest.mark.parametrize("weights", ["tied", "free"])
def test_the_plane_of_a_head(weights: str) -> None:
    trace = trace_of_settings(replace(WORDS, weights=weights, d_k=2))
    figure = plane(trace, 1)
    as_sent(figure)
    assert hulls(figure) == []
    assert (OWN_KEY in arrows(figure)) == (weights == "free")


def test_points_as_a_table() -> None:
    table = points_table(np.array([[1.5, -2.0], [3.0, 4.0]]))
    assert points_from_table(table).tolist() == [[1.5, -2.0], [3.0, 4.0]]
    table.loc[2] = [7.0, np.nan]
    assert points_from_table(table).tolist() == [[1.5, -2.0], [3.0, 4.0]]
    assert format_tokens(points_from_table(table.iloc[:0])) == ""


def test_a_colour_of_the_plane_means_one_thing() -> None:
    figure = plane(trace_of_settings(DiagonalSettings(weights="free", d_k=2)), 0)
    as_sent(figure)
    heads = arrows(figure)
    assert set(heads) == {OTHERS, RIVALS, QUERY, OWN_KEY}
    assert len({head["name"] for head in heads.values()}) == 4
    for color, word in ((QUERY, "query"), (OWN_KEY, "key")):
        (text,) = heads[color]["text"]
        assert word in text
        assert text.endswith("0 The")


def test_no_word_of_the_plane_covers_another() -> None:
    figure = plane(trace_of_settings(settings_of_numbers("1,0; 3,3.2; 3,3.3; 0,-2; 1,0.01")), 0)
    heads = arrows(figure)
    assert heads[QUERY]["text"] == ["0"]
    assert (heads[RIVALS]["text"], heads[RIVALS]["hovertext"]) == (["", "2"], ["1", "2"])
    assert (heads[OTHERS]["text"], heads[OTHERS]["hovertext"]) == (["3", "4"], ["3", "4"])


@pytest.mark.parametrize(
    ("points", "n_below", "n_rivals"),
    [("3,0; 1,0", 1, 1), ("3,0; 1,0; 1,0", 2, 1), ("1,0; 2,0; 3,0", 2, 2)],
)
def test_the_accessible_names_hold_the_counts(points: str, n_below: int, n_rivals: int) -> None:
    trace = trace_of_settings(settings_of_numbers(points))
    n_tokens, token = trace.sizes["T"], int(diagonal_margins(trace.masked_scores[0, 0]).argmin())
    assert holds(margin_bars(trace, 0)["layout"]["meta"]["description"], n_tokens, n_below)
    assert holds(plane(trace, token)["layout"]["meta"]["description"], n_tokens, n_rivals, token)
