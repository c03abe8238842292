"""Published and hand-made examples whose numbers can be checked on paper or in the text they
come from.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from attention_core import Projections, attend, softmax

LN_2 = math.log(2)


def test_illustrated_self_attention() -> None:
    projections = Projections(
        w_q=[[1, 0, 1], [1, 0, 0], [0, 0, 1], [0, 1, 1]],
        w_k=[[0, 0, 1], [1, 1, 0], [0, 1, 0], [1, 1, 0]],
        w_v=[[0, 2, 0], [0, 3, 0], [1, 0, 3], [1, 1, 0]],
        n_heads=1,
    )
    trace = attend([[1, 0, 1, 0], [0, 2, 0, 2], [1, 1, 1, 1]], projections, scale=1.0)
    assert trace.queries[0].tolist() == [[1, 0, 2], [2, 2, 2], [2, 1, 3]]
    assert trace.keys[0].tolist() == [[0, 1, 1], [4, 4, 0], [2, 3, 1]]
    assert trace.values[0].tolist() == [[1, 2, 3], [2, 8, 0], [2, 6, 3]]
    assert trace.scores[0, 0].tolist() == [[2, 4, 4], [4, 16, 12], [4, 12, 10]]
    # His text goes on with the first row rounded to 0, 0.5, 0.5 and so prints [2.0, 7.0, 1.5].
    exact = [[1.9366, 6.6831, 1.5951], [2.0000, 7.9640, 0.0540], [1.9997, 7.7599, 0.3584]]
    np.testing.assert_allclose(trace.output[0], exact, rtol=0, atol=5e-5)


def test_one_two_three_beats_both_diagonals() -> None:
    A = attend([[1], [2], [3]], Projections.weightless(1)).probabilities[0, 0]
    by_hand = [
        [math.exp(i * j) / sum(math.exp(i * k) for k in (1, 2, 3)) for j in (1, 2, 3)]
        for i in (1, 2, 3)
    ]
    np.testing.assert_allclose(A, by_hand, rtol=0, atol=1e-15)
    assert A[0, 1] - max(A[0, 0], A[1, 1]) == pytest.approx(0.127418, abs=5e-7)
    # a_ij a_ji = a_ii a_jj exp(-|x_i - x_j|^2): the normalisers cancel.
    assert A[0, 2] * A[2, 0] == pytest.approx(A[0, 0] * A[2, 2] * math.exp(-4), rel=1e-14)


def two_heads() -> Projections:
    """Two heads of width 1, integer weights; with scale ln 2 the softmax of integers is powers
    of 2 over their sum.
    """
    return Projections(
        w_q=[[1, 2], [0, 1]],
        w_k=[[1, 0], [2, 1]],
        w_v=[[6, 0], [12, 15]],
        w_o=[[1, 1], [0, 1]],
        n_heads=2,
    )


def test_two_heads_by_hand() -> None:
    trace = attend([[1, 0], [0, 1]], two_heads(), scale=LN_2)
    assert trace.query_heads[0].tolist() == [[[1], [0]], [[2], [1]]]
    assert trace.key_heads[0].tolist() == [[[1], [2]], [[0], [1]]]
    assert trace.value_heads[0].tolist() == [[[6], [12]], [[0], [15]]]
    assert trace.scores[0].tolist() == [[[1, 2], [0, 0]], [[0, 2], [0, 1]]]
    fractions = [[[1 / 3, 2 / 3], [1 / 2, 1 / 2]], [[1 / 5, 4 / 5], [1 / 3, 2 / 3]]]
    np.testing.assert_allclose(trace.probabilities[0], fractions, rtol=0, atol=1e-15)
    np.testing.assert_allclose(trace.head_outputs[0], [[[10], [9]], [[12], [10]]], rtol=1e-15)
    np.testing.assert_allclose(trace.merged[0], [[10, 12], [9, 10]], rtol=1e-15)
    np.testing.assert_allclose(trace.output[0], [[10, 22], [9, 19]], rtol=1e-15)


def test_softmax_of_logarithms() -> None:
    logarithms = np.log([1.0, 2.0, 5.0])
    for shift in (0.0, 1000.0, -1000.0):
        np.testing.assert_allclose(
            softmax(logarithms + shift), [1 / 8, 2 / 8, 5 / 8], rtol=0, atol=1e-13
        )
    assert softmax([-math.inf, -math.inf]).tolist() == [0, 0]
    assert softmax([[0.0, 0.0], [0.0, -math.inf]], axis=0).tolist() == [[0.5, 1.0], [0.5, 0.0]]
