"""Additive scores against plain loops, and one softmax for all scores of a head."""

from __future__ import annotations

from dataclasses import replace
from math import tanh

import numpy as np
import pytest

from attention_core import Projections, attend
from attention_core.formulas import softmax
from attention_lab.masks.score_variants import additive_scores, one_softmax
from attention_lab.scenario import Scenario, trace_of

CAUSAL = trace_of(Scenario("we like green tea", d_model=6, n_heads=2, mask="causal"))


@pytest.mark.parametrize("head", [0, 1])
def test_additive_scores_are_sums_of_tanh(head: int) -> None:
    made, (query_TK, key_SK) = (
        additive_scores(CAUSAL, head),
        (
            CAUSAL.query_heads[0, head],
            CAUSAL.key_heads[0, head],
        ),
    )
    for t, query in enumerate(query_TK):
        for s, key in enumerate(key_SK):
            total = sum(tanh(q + k) for q, k in zip(query, key, strict=True))
            assert made.scores[t, s] == (pytest.approx(total) if s <= t else -np.inf)
    assert np.allclose(made.shares, softmax(made.scores))
    assert made.n_tanh == 4 * 4 * 3


def test_additive_scores_stay_in_bounds() -> None:
    layer = attend(1e6 * np.eye(5, 6), Projections.random(6, 2))
    made = additive_scores(layer, 1)
    assert made.largest <= made.bound == 3
    assert np.abs(layer.scaled_scores).max() > 1e9


def test_heads_that_share_keys() -> None:
    layer = attend(np.eye(5, 8), Projections.random(8, 4, n_kv_heads=2))
    (query_TK, key_SK), made = (
        (layer.query_heads[0, 3], layer.key_heads[0, 1]),
        additive_scores(layer, 3),
    )
    assert made.scores[4, 2] == pytest.approx(np.tanh(query_TK[4] + key_SK[2]).sum())


@pytest.mark.parametrize("mask", ["none", "causal", "padding"])
def test_one_softmax_sums_to_1_over_all_queries(mask: str) -> None:
    trace = trace_of(replace(Scenario(), mask=mask, n_tokens=13))
    made = one_softmax(trace, 2)
    assert made.shares.sum() == pytest.approx(1)
    assert np.allclose(made.of_query, made.shares.sum(axis=1))
    assert made.gap < 1e-14
    assert np.allclose(made.shares / made.of_query[:, np.newaxis], trace.probabilities[0, 2])
    assert not made.shares[trace.hidden[0, 2]].any()


def test_if_all_keys_are_hidden_all_shares_are_0() -> None:
    layer = attend(np.eye(3, 4), Projections.random(4, 2), mask=np.zeros((3, 3), dtype=bool))
    made = one_softmax(layer, 0)
    assert not made.shares.any()
    assert made.gap == 0
    assert not additive_scores(layer, 0).shares.any()
