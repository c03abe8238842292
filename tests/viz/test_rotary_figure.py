"""The arrow of a pair of features: both ends of its turn, and the way of its tip."""

from __future__ import annotations

import math

import numpy as np
import pytest

from attention_lab.rotary_pairs import TurnedPair
from attention_viz.story.score_pages import pair_figure

BEFORE = (3.0, 4.0)


def pair(angle: float) -> TurnedPair:
    """The pair (3, 4), turned."""
    cos, sin = math.cos(angle), math.sin(angle)
    after = (3 * cos - 4 * sin, 3 * sin + 4 * cos)
    return TurnedPair(2, 3, 7, angle, BEFORE, after)


def lines(angle: float) -> list[np.ndarray]:
    """The points of each line: the way of the tip, the arrow before, the arrow after."""
    return [np.array([line["x"], line["y"]]).T for line in pair_figure(pair(angle))["data"]]


@pytest.mark.parametrize("angle", [0.0, 0.25, 3.0, 2 * math.pi])
def test_the_tip_goes_from_one_arrow_to_the_other(angle: float) -> None:
    way, before, after = lines(angle)
    np.testing.assert_allclose(before, [(0, 0), BEFORE])
    np.testing.assert_allclose(after, [(0, 0), pair(angle).after])
    np.testing.assert_allclose(way[[0, -1]], [BEFORE, pair(angle).after], atol=1e-12)
    np.testing.assert_allclose(np.hypot(*way.T), 5.0)
    turned = np.unwrap(np.arctan2(way[:, 1], way[:, 0]))
    np.testing.assert_allclose(np.diff(turned), angle / (len(way) - 1), atol=1e-12)


@pytest.mark.parametrize("angle", [6.3, -7.0, 500.0])
def test_after_more_than_one_turn_the_way_is_the_whole_circle(angle: float) -> None:
    way, _, after = lines(angle)
    np.testing.assert_allclose(after[1], pair(angle).after)
    np.testing.assert_allclose(way[0], way[-1], atol=1e-12)
    length = np.hypot(*np.diff(way, axis=0).T).sum()
    assert length == pytest.approx(2 * math.pi * 5, rel=1e-3)
