"""The keys that a query reads most from, and the sum of its shares."""

from __future__ import annotations

import numpy as np
import pytest

from attention_core import Projections, Trace, attend
from attention_lab.heads.keys_read import keys_read_most, row_sum, strongest_keys
from tests.lab.small_layer import SELF_LAYERS

BOTH = pytest.mark.parametrize("trace", SELF_LAYERS, ids=["plain", "everything"])


@BOTH
def test_the_strongest_keys_are_the_largest_probabilities(trace: Trace) -> None:
    for query in range(7):
        row = trace.probabilities[0, 1, query]
        found = strongest_keys(trace, 1, query)
        assert [share for _, share in found] == sorted(row[row > 0], reverse=True)[:3]
        assert all(row[key] == share for key, share in found)


@BOTH
def test_keys_that_are_read_equally(trace: Trace) -> None:
    for query in range(1, 7):
        assert keys_read_most(trace, 1, query) == (int(trace.probabilities[0, 1, query].argmax()),)
    equal_tokens = np.repeat(np.random.default_rng(3).normal(size=(2, 11)), [3, 2], axis=0)
    mask = np.ones((5, 5), dtype=bool)
    mask[4] = False
    for kind in (np.float64, np.float32):
        equal = attend(
            equal_tokens.astype(kind),
            Projections.random(11, 3, d_k=2, d_v=5).astype(kind),
            mask=mask,
        )
        assert {keys_read_most(equal, head, query) for head, query in np.ndindex(3, 4)} <= {
            (0, 1, 2),
            (3, 4),
        }
        assert keys_read_most(equal, 0, 4) == ()


@BOTH
def test_the_sum_of_a_row(trace: Trace) -> None:
    assert all(
        row_sum(trace, *place) == pytest.approx(1, abs=1e-12)
        for place in np.ndindex(trace.scores.shape[1:3])
    )
    blind = attend(
        [[1.0], [2.0]], Projections.weightless(1), mask=np.array([[False, False], [True, True]])
    )
    assert (row_sum(blind, 0, 0), row_sum(blind, 0, 1)) == (0, pytest.approx(1))
