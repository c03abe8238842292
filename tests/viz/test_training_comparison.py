"""The curves of several models are the numbers they are given, told apart without colour."""

from __future__ import annotations

import pytest

from attention_viz.labs.training_comparison import comparison_figure
from tests.viz.reading_figures import as_sent

CURVES = {f"{n} heads": [(0, 1.5), (10, 1 / n), (25, 0.5 / n**4)] for n in (1, 2, 3, 4, 6)}


def test_curves_levels_and_marks() -> None:
    figure = comparison_figure(CURVES, {"level": 0.75}, {"top": 2.0, "floor": 0.25}, "error")
    drawn = {part["name"]: list(zip(part["x"], part["y"], strict=True)) for part in figure["data"]}
    for name, points in CURVES.items():
        assert [number for point in drawn[name] for number in point] == pytest.approx(
            [number for point in points for number in point]
        )
    for name, value in (("level", 0.75), ("top", 2.0), ("floor", 0.25)):
        assert drawn[name] == [(0, value), (25, value)]
    low, high = figure["layout"]["yaxis"]["range"]
    assert 10**low < 0.5 / 6**4
    assert 10**high > 2
    as_sent(figure)


def test_models_are_told_apart_by_their_dashes() -> None:
    figure = comparison_figure(CURVES, {}, {}, "error")
    looks = [part["line"] for part in figure["data"]]
    assert len({line["dash"] for line in looks}) == len({line["color"] for line in looks}) == 5
    assert figure["layout"]["showlegend"]
