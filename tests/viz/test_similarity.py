"""The sentences about the closest and the most similar heads."""

from __future__ import annotations

import numpy as np
import pytest

from attention_lab.heads.similarity import overlap
from attention_viz.heads.compare import describe_closest, describe_most_alike
from tests.viz.reading_words import holds, numbers_said

ALONE = np.full((4, 4), np.nan)  # heads without preferences have no correlation


def of_pair(number: float, n_heads: int, others: float) -> np.ndarray:
    """A number for heads 0 and 1, another for all other pairs."""
    numbers = np.full((n_heads, n_heads), others)
    numbers[0, 1] = numbers[1, 0] = number
    return numbers


def test_the_closest_of_several_heads() -> None:
    distance = np.array([[0.0, 0.5, 0.25], [0.5, 0.0, 0.375], [0.25, 0.375, 0.0]])
    shared = round(100 * float(overlap(distance)[0, 2]), 1)
    assert holds(describe_closest(distance), 0, 2, 0.25, shared)
    assert holds(describe_most_alike(1.0 - 2.0 * distance), 0, 2, 0.5)


def test_two_heads_are_one_pair() -> None:
    """Two heads are not called the most similar pair, because there is no other pair."""
    one_pair, several = (of_pair(-0.875, n_heads, -0.9) for n_heads in (2, 3))
    assert holds(describe_most_alike(one_pair), 0, 1, -0.88)
    assert holds(describe_most_alike(several), 0, 1, -0.88)
    assert describe_most_alike(one_pair) != describe_most_alike(several)
    one_pair, several = (of_pair(0.25, n_heads, 0.5) for n_heads in (2, 3))
    assert holds(describe_closest(one_pair), 0, 1, 0.25)
    assert describe_closest(one_pair) != describe_closest(several)


@pytest.mark.parametrize(
    "sentence", [describe_closest(np.zeros((4, 4))), describe_most_alike(ALONE)]
)
def test_no_two_of_equal_heads_are_closest(sentence: str) -> None:
    assert sentence.endswith(".")
    assert numbers_said(sentence) == []


def test_some_heads_without_preferences() -> None:
    known = of_pair(0.5, 3, 0.25)
    greyed = known.copy()
    greyed[2] = greyed[:, 2] = np.nan
    assert holds(describe_most_alike(greyed), 0, 1, 0.5, describe_most_alike(ALONE))
    assert not holds(describe_most_alike(known), describe_most_alike(ALONE))
