"""The projections as convolutions over one buffer, and the sizes of one head beside all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attention_core import Projections, attend
from attention_lab.heads.window_convolution import (
    array_sizes,
    convolve_windows,
    projections_as_convolutions,
)

X = np.random.default_rng(5).standard_normal((7, 11))


def test_a_convolution_by_hand() -> None:
    filters = np.array([[1.0, 0.0, -1.0], [0.0, 2.0, 0.0]])
    buffer = np.array([5.0, 1.0, 2.0, 7.0, 3.0])
    assert convolve_windows(buffer, filters, step=1).tolist() == [
        [3.0, 2.0],
        [-6.0, 4.0],
        [-1.0, 14.0],
    ]
    assert convolve_windows(buffer, filters, step=2).tolist() == [[3.0, 2.0], [-1.0, 14.0]]


@pytest.mark.parametrize("groups", [3, 1])
@pytest.mark.parametrize("bias", [False, True])
def test_the_projections_are_convolutions(groups: int, bias: bool) -> None:
    """A window of one token, and a filter for each column of the weights, give the layer's
    queries, keys and values; other weights would not.
    """
    p = Projections.random(11, 3, d_k=5, d_v=2, n_kv_heads=groups, bias=bias)
    trace = attend(X, p)
    found = projections_as_convolutions(trace, head=2)
    assert [one.window for one in found] == [11] * 3
    assert [one.filters_of_one for one in found] == [5, 5, 2]
    assert [one.filters_of_all for one in found] == [15, 5 * groups, 2 * groups]
    assert max(max(one.gaps) for one in found) < 1e-12
    other = replace(trace, projections=replace(p, w_k=p.w_k + 1))
    assert min(projections_as_convolutions(other, head=2)[1].gaps) > 0.1


def test_the_two_tables_of_sizes() -> None:
    rows = array_sizes(attend(X, Projections.random(11, 3, d_k=5, d_v=2)))
    assert [(row.name, row.one, row.fused) for row in rows] == [
        ("inputs", (7, 11), (7, 11)),
        ("w_q", (11, 5), (11, 15)),
        ("queries", (7, 5), (7, 15)),
        ("w_k", (11, 5), (11, 15)),
        ("keys", (7, 5), (7, 15)),
        ("w_v", (11, 2), (11, 6)),
        ("values", (7, 2), (7, 6)),
    ]
