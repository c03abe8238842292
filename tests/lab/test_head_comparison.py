"""Which heads are alike, and how far a change moves them: known values."""

from __future__ import annotations

import numpy as np
import pytest

from attention_core import Projections, SettingsError, ShapeError, attend
from attention_lab.heads.head_comparison import heads_apart, most_alike, relative_change
from attention_lab.heads.reruns import rerun
from tests.lab.refusal import refused

X = np.random.default_rng(1).normal(size=(5, 6))


def test_the_most_alike_pair() -> None:
    """A head is not its own pair; the lower head comes first; undefined similarities are passed
    over.
    """
    similarity = np.array([[9.0, -0.5, 0.1], [-0.5, 9.0, 0.4], [0.1, 0.4, 9.0]])
    assert most_alike(similarity) == (1, 2)
    assert most_alike(-similarity) == (0, 1)
    assert most_alike(np.full((3, 3), np.nan)) is None
    assert most_alike(np.ones((1, 1))) is None


def test_heads_that_did_not_change_are_not_apart() -> None:
    """The same layer is 0 apart, whatever the mask, also where a query sees nothing."""
    trace = attend(X, Projections.random(6, 3, seed=1), mask=np.arange(5)[:, np.newaxis] != 2)
    assert heads_apart(trace, trace) == 0.0
    assert 0 < heads_apart(trace, rerun(trace, scale=0.0)) < 1


def test_heads_with_nothing_in_common() -> None:
    """A head that read only itself and now reads only the other token is 1 apart."""
    x = 30 * np.eye(2)
    trace = attend(x, Projections.weightless(2))
    assert heads_apart(trace, rerun(trace, scale=-1.0)) == pytest.approx(1.0)


def test_heads_of_another_number_are_not_compared() -> None:
    """One head would else be compared with each of three, as if it were as many."""
    three, one = (attend(X, Projections.random(6, n_heads)) for n_heads in (3, 1))
    with refused(ShapeError, "before"):
        heads_apart(three, one)


def test_the_change_of_an_output() -> None:
    """Without all of it the change is 1, without any of it 0; where there was nothing it is 0."""
    assert relative_change(X, np.zeros_like(X)) == 1.0
    assert relative_change(X, X) == 0.0
    assert relative_change(np.zeros(3), np.ones(3)) == 0.0


def test_a_change_of_very_small_numbers() -> None:
    """Next to what they became, very small numbers are still not nothing; a change beyond float
    is refused.
    """
    assert relative_change([3e-160], [3e140]) == pytest.approx(1e300)
    assert relative_change(np.float32([2e-30]), np.float32([2e30])) == pytest.approx(1e60)
    assert relative_change([1e308, 0.0], [-1e308, 0.0]) == pytest.approx(2.0)
    with refused(SettingsError, "float64"):
        relative_change([1e-200], [1e200])
