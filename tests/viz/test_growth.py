"""Figures of growth: every line and every point is what was computed or measured."""

from __future__ import annotations

import numpy as np
import pytest

from attention_lab.diagonal.growth import Estimate, Growth, curves
from attention_lab.diagonal.growth_curves import half_mass_width
from attention_viz.diagonal.growth import argmax_figure, half_rows, mass_figure
from tests.viz.reading_figures import as_sent


def test_growth_curves_and_points() -> None:
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
    figure = mass_figure(Growth(tied=True, causal=True), (4,), {}, ("rule",))
    assert "d_k" in figure["layout"]["xaxis"]["title"]["text"]
    assert figure["layout"]["xaxis"]["tickvals"][-1] == 32
    assert figure["layout"]["shapes"] == []


def test_the_half_mass_table() -> None:
    (row,) = half_rows((64,))
    assert list(row.values()) == [64, "21.6", "8.3", "5.3"]
