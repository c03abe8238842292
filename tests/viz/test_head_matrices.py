"""Tests of attention_viz.heads.head_matrices: what is said of the heads that stand out."""

from __future__ import annotations

import numpy as np

from attention_viz.heads.head_matrices import alike_says, closest_says


def test_the_closest_of_several_heads() -> None:
    """Of three heads the pair with the smallest divergence is named, with its number."""
    distance = np.array([[0.0, 0.5, 0.25], [0.5, 0.0, 0.375], [0.25, 0.375, 0.0]])
    assert closest_says(distance).startswith(
        "Closest: heads 0 and 2 with 0.250; their patterns overlap to"
    )
    assert alike_says(1.0 - 2.0 * distance) == "Most alike: heads 0 and 2 with 0.50."


def test_two_heads_are_one_pair() -> None:
    """Two heads that prefer opposite keys are not called most alike: there is no other pair to
    be less alike.
    """
    assert alike_says(np.array([[1.0, -0.875], [-0.875, 1.0]])) == "Heads 0 and 1: −0.88."
    assert closest_says(np.array([[0.0, 0.25], [0.25, 0.0]])).startswith(
        "Heads 0 and 1: 0.250; their patterns"
    )


def test_no_two_of_equal_heads_are_closest() -> None:
    """Where all heads look alike, as under a window of 0, no pair is singled out, and no head
    has a correlation.
    """
    assert (
        closest_says(np.zeros((4, 4)))
        == "No two patterns differ here; what the heads read there, their values, may all the same."
    )
    assert (
        alike_says(np.full((4, 4), np.nan))
        == "Grey: a head without preferences has no correlation."
    )


def test_some_heads_without_preferences() -> None:
    """One grey row among others is explained beside the pair that stands out."""
    correlation = np.array([[1.0, 0.5, np.nan], [0.5, 1.0, np.nan], [np.nan, np.nan, np.nan]])
    said = alike_says(correlation)
    assert (
        said == "Most alike: heads 0 and 1 with 0.50. Grey: a head without preferences has no"
        " correlation."
    )
