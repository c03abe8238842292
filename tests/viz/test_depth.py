"""Figures of depth: lines are medians in the band of all draws."""

from __future__ import annotations

import numpy as np

from attention_lab.diagonal.depth import N_SAMPLES, Stack, sample_trajectories
from attention_viz.diagonal.depth import distance_figure, self_mass_figure
from tests.viz.reading_figures import as_sent


def test_depth_curves() -> None:
    samples = {
        "C = 8": sample_trajectories(Stack(n_layers=20), 8),
        "C = 64": sample_trajectories(Stack(n_layers=20), 64),
    }
    plain, mass, logarithmic = (
        distance_figure(samples, False),
        self_mass_figure(samples),
        distance_figure(samples, True),
    )
    as_sent(logarithmic)
    line, band = plain["data"][2], plain["data"][0]
    np.testing.assert_array_equal(line["y"], np.array(samples["C = 8"].median.distances, "f4"))
    np.testing.assert_array_equal(
        mass["data"][3]["y"], np.array(samples["C = 64"].median.self_masses, "f4")
    )
    seen = np.array([one.distances for one in samples["C = 8"].trajectories])
    assert len(seen) == N_SAMPLES
    np.testing.assert_array_equal(band["y"], [*seen.max(axis=0), *seen.min(axis=0)[::-1]])
    heights = logarithmic["data"][2]["y"]
    assert np.isnan(heights[-1])
    assert not np.isnan(heights[:3]).any()


def test_where_nothing_is_drawn_there_is_no_band() -> None:
    samples = {"words": sample_trajectories(Stack(n_layers=2), 8, "it was too tired")}
    assert len(distance_figure(samples, False)["data"]) == 1
    assert (
        len(sample_trajectories(Stack("random", 4, 2), 8, "it was too tired").trajectories)
        == N_SAMPLES
    )
