"""The pictures of the diagonal section: what is drawn is what was computed."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from attention_lab.diagonal.claims.catalogue import ALWAYS, CLAIMS
from attention_lab.diagonal.depth import Stack
from attention_lab.diagonal.depth_courses import DRAWS, draws
from attention_lab.diagonal.growth import Estimate
from attention_lab.diagonal.growth_curves import half_mass_width
from attention_lab.diagonal.growth_table import Growth, curves
from attention_lab.diagonal.measures import margins, pair_violations
from attention_lab.diagonal.presets import typed
from attention_lab.diagonal.scenes import DiagonalScene, trace_of_scene
from attention_lab.diagonal.token_matrices import format_tokens
from attention_viz.diagonal.depth_figure import distance_figure, self_mass_figure
from attention_viz.diagonal.diagonal_board import diagonal_board, margin_bars, plane_board
from attention_viz.diagonal.growth_figure import argmax_figure, half_rows, mass_figure
from attention_viz.diagonal.plane import plane, row_says
from attention_viz.diagonal.plane_table import points_table, points_typed
from attention_viz.diagonal.verdict_bars import verdict_bars
from attention_viz.payload import JSON
from tests.viz.reading_figures import as_sent
from tests.viz.reading_scenes import written_and_read

SPREAD = DiagonalScene(tokens="drawn", n_tokens=5, d_model=2, spread=1.5)
WORDS = DiagonalScene(text="<b>we like & tea", d_model=3)


def sent(scene: JSON, name: str) -> np.ndarray:
    """A matrix of a board as a browser reads it."""
    array = scene["arrays"][name]
    return np.frombuffer(array["data"], "<f4").reshape(array["shape"])


def outlined(scene: JSON) -> np.ndarray:
    """Which probabilities are outlined."""
    array = scene["arrays"]["probabilities"]
    if "changed" not in array:
        return np.zeros(array["shape"], dtype=bool)
    flags = np.unpackbits(np.frombuffer(array["changed"], "u1"), bitorder="little")
    return flags[: np.prod(array["shape"])].reshape(array["shape"]).astype(bool)


@pytest.mark.parametrize("scene", [SPREAD, typed("1; 2; 3"), WORDS, replace(SPREAD, causal=True)])
def test_cells_that_break_the_bound_are_outlined(scene: DiagonalScene) -> None:
    """The board holds the probabilities, and outlines exactly those above both diagonal cells
    of their pair.
    """
    trace = trace_of_scene(scene)
    board = diagonal_board(trace, (0, 0))
    board = written_and_read(board)
    shares = trace.probabilities[0, 0]
    np.testing.assert_array_equal(sent(board, "probabilities"), shares.astype("f4"))
    np.testing.assert_array_equal(outlined(board), pair_violations(shares))
    assert board["rules"]["probabilities"]["operation"] == "softmax"
    assert [panel["array"] for panel in board["panels"]] == ["probabilities"]


def test_one_two_three_has_one_outlined_cell() -> None:
    """X = [1, 2, 3] breaks the bound in row 1, column 2 alone."""
    assert np.argwhere(
        outlined(diagonal_board(trace_of_scene(typed("1; 2; 3")), (0, 1)))
    ).tolist() == [[0, 1]]


@pytest.mark.parametrize(
    "scene",
    [SPREAD, replace(SPREAD, causal=True), WORDS, typed("2"), DiagonalScene(text="a b " * 32)],
)
def test_margin_bars_are_the_margins(scene: DiagonalScene) -> None:
    """Each finite margin is a bar at its token's place, on its side; a token that sees itself
    alone says so.
    """
    trace = trace_of_scene(scene)
    expected, figure = margins(trace.masked_scores[0, 0]), margin_bars(trace, 0)
    as_sent(figure)
    drawn = {int(y): x for bar in figure["data"] for y, x in zip(bar["y"], bar["x"], strict=True)}
    finite = np.flatnonzero(np.isfinite(expected))
    assert drawn == {int(i): np.float32(expected[i]) for i in finite}
    assert all(
        (bar["x"] >= 0).all() == (bar["name"] == "looks at itself most")
        for bar in figure["data"]
        if len(bar["x"])
    )
    assert [note["y"] for note in figure["layout"]["annotations"]] == np.flatnonzero(
        ~np.isfinite(expected)
    ).tolist()


def test_names_of_tokens_are_text() -> None:
    """Tokens like markup are escaped in hover texts and labels."""
    assert "<b>we" not in as_sent(margin_bars(trace_of_scene(WORDS), 3))


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


def test_the_board_of_the_plane() -> None:
    """Beside the plane stand X, its Gram matrix with the rule that gives it, and the
    probabilities.
    """
    trace = trace_of_scene(typed("3,4; 0,2"))
    board = plane_board(trace, (0, 1))
    assert sent(board, "gram").tolist() == [[25, 8], [8, 4]]
    assert board["rules"]["gram"]["length"] == 2
    scores = board["arrays"][
        "scores"
    ]  # what the shares are made from is named by how it comes from what is drawn
    assert scores["title"] == "X Xᵀ / √2"
    np.testing.assert_allclose(
        sent(board, "scores"), np.array([[25, 8], [8, 4]]) / 2**0.5, rtol=1e-6
    )
    assert len(set(board["arrays"]["gram"]["axes"])) == 2


def test_points_as_a_table() -> None:
    """Points survive the table; a row that is only begun is passed over, and an empty table has
    no points.
    """
    table = points_table(np.array([[1.5, -2.0], [3.0, 4.0]]))
    assert points_typed(table).tolist() == [[1.5, -2.0], [3.0, 4.0]]
    table.loc[2] = [7.0, np.nan]
    assert points_typed(table).tolist() == [[1.5, -2.0], [3.0, 4.0]]
    assert format_tokens(points_typed(table.iloc[:0])) == ""


def test_growth_curves_and_points() -> None:
    """One colour a number of tokens: each line is its curve, each point an estimate with its
    standard error.
    """
    points = {
        (4, 8): Estimate(100, 0.7, 0.01, 0.9, 0.02),
        (4, 2): Estimate(100, 0.4, 0.01, 0.6, 0.02),
    }
    mass = mass_figure(Growth(), (4, 16), points, ("exact", "uniform"))
    as_sent(mass)
    exact, uniform, measured = mass["data"][:3]
    np.testing.assert_array_equal(exact["y"], np.array(curves(4).self_mass, "f4"))
    assert set(uniform["y"].tolist()) == {0.25}
    assert (measured["x"].tolist(), measured["error_y"]["array"].tolist()) == (
        [2, 8],
        [np.float32(0.01)] * 2,
    )
    assert exact["line"]["color"] == measured["marker"]["color"] != mass["data"][3]["line"]["color"]
    assert [shape["x0"] for shape in mass["layout"]["shapes"]] == [
        half_mass_width(4),
        half_mass_width(16),
    ]
    rate = argmax_figure(Growth(causal=True), (4,), points)
    as_sent(rate)
    np.testing.assert_array_equal(
        rate["data"][0]["y"], np.array(curves(4, causal=True).argmax_rate, "f4")
    )
    assert rate["data"][1]["y"].tolist() == pytest.approx([0.6, 0.9])


def test_tied_growth_ends_at_the_tokens_width() -> None:
    """With tied weights the axis is d_k, and no rule is drawn under a mask."""
    figure = mass_figure(Growth(tied=True, causal=True), (4,), {}, ("rule",))
    assert "d_k" in figure["layout"]["xaxis"]["title"]["text"]
    assert figure["layout"]["xaxis"]["tickvals"][-1] == 32
    assert figure["layout"]["shapes"] == []


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


def test_the_half_mass_table() -> None:
    """The table holds the rule's numbers."""
    assert half_rows((64,)) == [
        {
            "tokens N": 64,
            "D = ½ at C, scaled": "21.6",
            "D = ½ at C, unscaled": "8.3",
            "R = ½ near C": "5.3",
        }
    ]


def test_depth_curves() -> None:
    """Each line is a median over draws in a band that holds them all; a logarithmic one ends
    where rounding is left.
    """
    courses = {"C = 8": draws(Stack(n_layers=20), 8), "C = 64": draws(Stack(n_layers=20), 64)}
    plain, mass, logarithmic = (
        distance_figure(courses, False),
        self_mass_figure(courses),
        distance_figure(courses, True),
    )
    as_sent(logarithmic)
    line, band = plain["data"][2], plain["data"][0]
    np.testing.assert_array_equal(line["y"], np.array(courses["C = 8"].median.distances, "f4"))
    np.testing.assert_array_equal(
        mass["data"][3]["y"], np.array(courses["C = 64"].median.self_masses, "f4")
    )
    seen = np.array([one.distances for one in courses["C = 8"].courses])
    assert len(seen) == DRAWS
    np.testing.assert_array_equal(band["y"], [*seen.max(axis=0), *seen.min(axis=0)[::-1]])
    heights = logarithmic["data"][2]["y"]
    assert np.isnan(heights[-1])
    assert not np.isnan(heights[:3]).any()


def test_where_nothing_is_drawn_there_is_no_band() -> None:
    """Weightless layers on the words of a sentence have one course, whatever the seed."""
    courses = {"words": draws(Stack(n_layers=2), 8, "it was too tired")}
    assert len(distance_figure(courses, False)["data"]) == 1
    assert len(draws(Stack("random", 4, 2), 8, "it was too tired").courses) == DRAWS


def test_verdicts_add_up() -> None:
    """The parts of the bars are the numbers of claims; a click names the text and the verdict."""
    figure = verdict_bars(CLAIMS)
    as_sent(figure)
    assert sum(sum(bar["x"]) for bar in figure["data"]) == len(CLAIMS)
    always = next(bar for bar in figure["data"] if bar["name"] == "always true")
    expected = Counter(claim.text for claim in CLAIMS if claim.status == ALWAYS)
    drawn = {spot.split()[0]: n for spot, n in zip(always["customdata"], always["x"], strict=True)}
    assert drawn == {text: expected[text] for text in drawn}


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
