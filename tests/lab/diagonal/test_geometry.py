"""Hulls and half-planes: the outputs are averages, and who beats a token lies beyond a line."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import Projections, attend
from attention_lab.diagonal.geometry import (
    half_plane,
    half_plane_of,
    hull_corners,
    hull_weights,
    in_hull,
)
from attention_lab.diagonal.settings import DiagonalSettings, trace_of_settings
from attention_lab.diagonal.token_matrices import gaussian_tokens

SEEDS = st.integers(0, 2**32 - 1)


@settings(max_examples=40)
@given(SEEDS, st.integers(1, 9), st.integers(1, 5), st.integers(-3, 3))
def test_averages_are_inside(seed: int, n_points: int, n_features: int, power: int) -> None:
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n_points, n_features)) * 10.0**power + rng.normal(size=n_features)
    point = rng.dirichlet(np.ones(n_points)) @ points
    weights, distance = hull_weights(point, points)
    assert in_hull(point, points)
    assert (weights >= 0).all()
    assert weights.sum() == pytest.approx(1)
    assert distance == pytest.approx(0, abs=1e-9 * np.abs(points).max())
    assert weights @ points == pytest.approx(point, abs=1e-9 * np.abs(points).max())


@settings(max_examples=40)
@given(SEEDS, st.integers(1, 9), st.integers(1, 5))
def test_what_lies_beyond_a_plane_is_outside(seed: int, n_points: int, n_features: int) -> None:
    rng = np.random.default_rng(seed)
    points, direction = rng.normal(size=(n_points, n_features)), rng.normal(size=n_features)
    direction /= np.linalg.norm(direction)
    point = rng.normal(size=n_features)
    point += ((points @ direction).max() - point @ direction + 0.01) * direction
    assert not in_hull(point, points)
    assert hull_weights(point, points)[1] >= 0.01 - 1e-9


def test_distances_by_hand() -> None:
    square = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]])
    known = {(1.0, 5.0): 3.0, (5.0, 6.0): 5.0, (0.5, 1.5): 0.0}
    for point, distance in known.items():
        assert hull_weights(np.array(point), square)[1] == pytest.approx(distance, abs=1e-12)
    # Near a corner, so that the view from the mean does not settle it.
    assert in_hull(np.array([1.9, 2.0]), square)
    assert not in_hull(np.array([1.9, 2.0 + 1e-6]), square)
    assert hull_weights(np.array([3.0, 4.0]), np.zeros((3, 2)))[1] == pytest.approx(5)
    assert hull_weights(np.zeros(2), np.zeros((3, 2)))[1] == 0


@settings(max_examples=40)
@given(SEEDS, st.integers(1, 12))
def test_corners_of_the_hull(seed: int, n_points: int) -> None:
    points = np.random.default_rng(seed).integers(-3, 4, (n_points, 2)).astype(float)
    corners = points[hull_corners(points)]
    assert all(in_hull(point, corners) for point in points)
    if len(corners) > 2:
        one = np.roll(corners, -1, axis=0) - corners
        two = np.roll(one, -1, axis=0)
        assert (one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0] > 0).all()


@settings(max_examples=40)
@given(SEEDS)
def test_the_half_plane_holds_those_who_out_vote(seed: int) -> None:
    x = gaussian_tokens(9, 2, seed)
    for weights in (Projections.weightless(2), Projections.random(2, 1, d_k=2, seed=seed)):
        trace = attend(x, weights)
        for token, scores in enumerate(trace.scores[0, 0]):
            rivals = half_plane_of(trace, token).rivals
            assert rivals.tolist() == (scores > scores[token]).tolist()
            assert rivals.any() == (trace.probabilities[0, 0, token].argmax() != token)


def test_a_half_plane_by_hand() -> None:
    x = np.array([[2.0, 0.0], [3.0, 7.0], [1.0, 9.0], [2.0, 5.0]])
    half = half_plane(x, x, 0)
    assert half.rivals.tolist() == [False, True, False, False]
    assert half.threshold == 4
    assert half.edge(3.0).tolist() == [[2, -3], [2, 3]]
    assert sorted(map(tuple, half.region(5.0).tolist())) == [(2, -5), (2, 5), (5, -5), (5, 5)]
    assert half.region(1.0).shape == (0, 2)


@pytest.mark.parametrize("weights", ["tied", "free"])
def test_equal_tokens_do_not_out_vote_each_other(weights: str) -> None:
    text = "the cat the dog the cat saw the dog and the cat ran " * 2
    trace = trace_of_settings(DiagonalSettings(text=text, weights=weights, d_k=2))
    words = np.array(trace.labels("T"))
    for token, word in enumerate(words):
        assert not (half_plane_of(trace, token).rivals & (words == word)).any()


@settings(max_examples=40)
@given(SEEDS, st.floats(0.5, 4))
def test_the_region_is_the_half_plane_in_the_square(seed: int, reach: float) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(1, 2))
    half, point = half_plane(x, x, 0), rng.uniform(-reach, reach, 2)
    region, beyond = half.region(reach), point @ half.normal - half.threshold
    if abs(beyond) > 1e-6:
        assert (len(region) > 2 and in_hull(point, region)) == (beyond > 0)
    assert (np.abs(region) <= reach + 1e-9).all()


def test_a_query_without_direction() -> None:
    half = half_plane(np.zeros((2, 2)), np.eye(2), 0)
    assert not half.rivals.any()
    assert half.edge(1.0).tolist() == [[1, 0], [1, 0]]
    assert half.region(1.0).shape == (0, 2)
    assert not half.has_direction
    assert half_plane(np.eye(2), np.zeros((2, 2)), 0).has_direction
