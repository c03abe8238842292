"""The pictures of the diagonal laboratory: every line, arrow, bar and outlined cell is what was
computed or measured.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from attention_core import Trace
from attention_lab.diagonal.claims.catalogue import ALWAYS, CLAIMS
from attention_lab.diagonal.depth import N_SAMPLES, Stack, sample_trajectories
from attention_lab.diagonal.growth import Estimate, Growth, curves
from attention_lab.diagonal.growth_curves import half_mass_width
from attention_lab.diagonal.measures import diagonal_margins, pair_violations
from attention_lab.diagonal.settings import DiagonalSettings, settings_of_numbers, trace_of_settings
from attention_viz.diagonal.depth import distance_figure, self_mass_figure
from attention_viz.diagonal.geometry import plane
from attention_viz.diagonal.growth import argmax_figure, mass_figure
from attention_viz.diagonal.self_attention_mass import diagonal_board, margin_bars, plane_board
from attention_viz.parts import Part
from attention_viz.reference.claims import verdict_bars
from attention_viz.theme import Figure
from tests.viz.reading_figures import as_sent
from tests.viz.reading_scenes import flags, sent, written_and_read
from tests.viz.reading_words import holds


def test_verdicts_add_up() -> None:
    figure = verdict_bars(CLAIMS)
    as_sent(figure)
    assert sum(sum(bar["x"]) for bar in figure["data"]) == len(CLAIMS)
    always = next(bar for bar in figure["data"] if bar["name"] == "always true")
    expected = Counter(claim.text for claim in CLAIMS if claim.status == ALWAYS)
    drawn = {spot.split()[0]: n for spot, n in zip(always["customdata"], always["x"], strict=True)}
    assert drawn == {text: expected[text] for text in drawn}


def test_growth_curves_and_points() -> None:
    of_widths = {8: Estimate(100, 0.7, 0.01, 0.9, 0.02), 2: Estimate(100, 0.4, 0.01, 0.6, 0.02)}
    points = {(4, width): one for width, one in of_widths.items()}
    mass = mass_figure(Growth(), (4, 16), points, ("exact", "uniform"))
    rate = argmax_figure(Growth(causal=True), (4,), points)
    as_sent(mass)
    as_sent(rate)
    exact, uniform, measured, other = mass["data"][:4]
    assert exact["y"].tolist() == np.array(curves(4).self_mass, "f4").tolist()
    assert set(uniform["y"].tolist()) == {0.25}
    assert measured["x"].tolist() == [2, 8]
    assert measured["error_y"]["array"].tolist() == pytest.approx([0.01, 0.01])
    assert exact["line"]["color"] == measured["marker"]["color"] != other["line"]["color"]
    lines = [shape["x0"] for shape in mass["layout"]["shapes"]]
    assert lines == [half_mass_width(4), half_mass_width(16)]
    exact, measured = rate["data"]
    assert exact["y"].tolist() == np.array(curves(4, causal=True).argmax_rate, "f4").tolist()
    assert measured["y"].tolist() == pytest.approx([0.6, 0.9])


def test_tied_growth_ends_at_the_tokens_width() -> None:
    figure = mass_figure(Growth(tied=True, causal=True), (4,), {}, ("rule",))
    assert "d_k" in figure["layout"]["xaxis"]["title"]["text"]
    assert figure["layout"]["xaxis"]["tickvals"][-1] == 32
    assert figure["layout"]["shapes"] == []


def test_depth_curves() -> None:
    narrow, wide = (sample_trajectories(Stack(n_layers=20), width) for width in (8, 64))
    samples = {"C = 8": narrow, "C = 64": wide}
    band, _, line, _ = distance_figure(samples, False)["data"]
    np.testing.assert_array_equal(line["y"], np.array(narrow.median.distances, "f4"))
    *_, mass = self_mass_figure(samples)["data"]
    np.testing.assert_array_equal(mass["y"], np.array(wide.median.self_masses, "f4"))
    seen = np.array([one.distances for one in narrow.trajectories])
    assert len(seen) == N_SAMPLES
    edge = [*seen.max(axis=0), *seen.min(axis=0)[::-1]]
    np.testing.assert_array_equal(band["y"], np.array(edge, "f4"))
    logarithmic = distance_figure(samples, True)
    as_sent(logarithmic)
    heights = logarithmic["data"][2]["y"]
    assert np.isnan(heights[-1])
    assert not np.isnan(heights[:3]).any()


def test_where_nothing_is_drawn_there_is_no_band() -> None:
    for stack, n_samples in ((Stack(n_layers=2), 1), (Stack("random", 4, 2), N_SAMPLES)):
        sample = sample_trajectories(stack, 8, "it was too tired")
        assert len(sample.trajectories) == n_samples
        assert len(distance_figure({"words": sample}, False)["data"]) == min(2, n_samples)


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


def of_points(points: str) -> Trace:
    """The layer of typed points."""
    return trace_of_settings(settings_of_numbers(points))


def test_the_plane() -> None:
    trace = of_points("1,0; 2,5; 0.5,9; -1,-1")
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


@pytest.mark.parametrize("weights", ["tied", "free"])
def test_the_plane_of_a_head(weights: str) -> None:
    trace = trace_of_settings(DiagonalSettings(weights=weights, d_k=2))
    figure = plane(trace, 0)
    as_sent(figure)
    assert hulls(figure) == []
    heads = arrows(figure)
    chosen = {QUERY: "query of 0 The", OWN_KEY: "key of 0 The"}
    chosen = chosen if weights == "free" else {QUERY: "0 The"}
    assert set(heads) == {OTHERS, RIVALS, *chosen}
    assert len({head["name"] for head in heads.values()}) == len(heads)
    assert {color: heads[color]["text"] for color in chosen} == {c: [w] for c, w in chosen.items()}


def test_no_word_of_the_plane_covers_another() -> None:
    heads = arrows(plane(of_points("1,0; 3,3.2; 3,3.3; 0,-2; 1,0.01"), 0))
    assert heads[QUERY]["text"] == ["0"]
    assert (heads[RIVALS]["text"], heads[RIVALS]["hovertext"]) == (["", "2"], ["1", "2"])
    assert (heads[OTHERS]["text"], heads[OTHERS]["hovertext"]) == (["3", "4"], ["3", "4"])


@pytest.mark.parametrize(
    ("points", "n_below", "n_rivals"),
    [("3,0; 1,0", 1, 1), ("3,0; 1,0; 1,0", 2, 1), ("1,0; 2,0; 3,0", 2, 2)],
)
def test_the_accessible_names_hold_the_counts(points: str, n_below: int, n_rivals: int) -> None:
    trace = of_points(points)
    n_tokens, token = trace.sizes["T"], int(diagonal_margins(trace.masked_scores[0, 0]).argmin())
    assert holds(margin_bars(trace, 0)["layout"]["meta"]["description"], n_tokens, n_below)
    assert holds(plane(trace, token)["layout"]["meta"]["description"], n_tokens, n_rivals, token)


SPREAD = DiagonalSettings(tokens="drawn", n_tokens=5, d_model=2, spread=1.5)
SCENES = [SPREAD, replace(SPREAD, causal=True), WORDS, DiagonalSettings(text="a b " * 32)]
SCENES += [settings_of_numbers(points) for points in ("2", "1; 2; 3")]


@pytest.mark.parametrize("scene", SCENES)
def test_cells_that_break_the_bound_are_outlined(scene: DiagonalSettings) -> None:
    trace = trace_of_settings(scene)
    board = written_and_read(diagonal_board(trace, (0, 0)))
    shares, outlined = trace.probabilities[0, 0], flags(board["arrays"]["probabilities"], "changed")
    np.testing.assert_array_equal(sent(board, "probabilities"), shares.astype("f4"))
    np.testing.assert_array_equal(outlined, pair_violations(shares))
    assert board["rules"]["probabilities"]["operation"] == "softmax"
    assert [panel["array"] for panel in board["panels"]] == ["probabilities"]


@pytest.mark.parametrize("scene", SCENES)
def test_margin_bars_are_the_margins(scene: DiagonalSettings) -> None:
    trace = trace_of_settings(scene)
    expected, figure = diagonal_margins(trace.masked_scores[0, 0]), margin_bars(trace, 0)
    as_sent(figure)
    drawn = {int(y): x for bar in figure["data"] for y, x in zip(bar["y"], bar["x"], strict=True)}
    finite = np.isfinite(expected)
    assert drawn == {int(i): np.float32(expected[i]) for i in np.flatnonzero(finite)}
    for bar in figure["data"]:
        assert ((bar["x"] >= 0) == (bar["marker"]["color"] == "@primary")).all()
    notes = [note["y"] for note in figure["layout"]["annotations"]]
    assert notes == np.flatnonzero(~finite).tolist()


def test_the_board_of_the_plane() -> None:
    board = plane_board(of_points("3,4; 0,2"), (0, 1))
    gram = np.array([[25, 8], [8, 4]])
    assert sent(board, "gram").tolist() == gram.tolist()
    assert board["rules"]["gram"]["length"] == 2
    # What the shares are made from is named by how it comes from what is drawn.
    assert board["arrays"]["scores"]["title"] == "X Xᵀ / √2"
    np.testing.assert_allclose(sent(board, "scores"), gram / 2**0.5, rtol=1e-6)
    assert len(set(board["arrays"]["gram"]["axes"])) == 2
