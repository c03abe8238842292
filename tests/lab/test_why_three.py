"""With W_K = W_Q the scores are the same both ways, with V = X a head hands on features of X; the
stored scores are those of training.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from attention_core import HeadNorm, Projections, Rotary, Trace, attend
from attention_lab.labs.training import train_layer
from attention_lab.labs.training_settings import WITHOUT, TrainingSettings
from attention_lab.presets import presets
from attention_lab.scenario import Scenario, trace_of
from attention_lab.why_three import (
    COMPARED,
    TrainedScore,
    train_and_score,
    trained_scores,
    two_ways,
    values_from_inputs,
    why_three,
    with_keys_from_queries,
)

T, D, H, G = 7, 12, 6, 3
X = np.random.default_rng(3).normal(size=(T, D))
OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "causal": {"causal": True, "residual": True},
    "rotary": {"rotary": Rotary(50.0, "halves", 3)},
    "QK-norm": {"head_norm": HeadNorm([1.0, 2.0], [-3.0, 0.5])},
}


def shared_keys(**options: Any) -> Trace:
    """Six heads on three key/value heads, with biases."""
    return attend(X, Projections.random(D, H, n_kv_heads=G, bias=True, seed=1), **options)


@pytest.mark.parametrize("name", OPTIONS)
def test_with_one_matrix_for_both_scores_are_the_same_both_ways(name: str) -> None:
    before = shared_keys(**OPTIONS[name])
    after = with_keys_from_queries(before)
    for head in range(H):
        scores = after.scores[0, head].tolist()
        for i, j in combinations(range(T), 2):
            assert scores[i][j] == pytest.approx(scores[j][i], abs=1e-12)
            assert scores[i][j] <= max(scores[i][i], scores[j][j]) + 1e-12
        assert two_ways(before, head).n_alike == 0
    assert np.array_equal(after.queries, before.queries)
    # Each head still reads the values that it read.
    for head in range(H):
        values = after.probabilities[0, head] @ before.value_heads[0, head // 2]
        np.testing.assert_allclose(after.head_outputs[0, head], values, rtol=0, atol=1e-12)


def test_with_inputs_as_values_a_head_hands_on_features_of_x() -> None:
    before = shared_keys()
    after = attend(X, values_from_inputs(before.projections))
    assert np.array_equal(after.probabilities, before.probabilities)
    for head in range(H):
        first = head // 2 * 2  # two features each, of three value heads
        for token in range(T):
            share = after.probabilities[0, head, token].tolist()
            for feature in range(2):
                total = sum(a * X[s, first + feature] for s, a in enumerate(share))
                assert after.head_outputs[0, head, token, feature] == pytest.approx(total)


def test_the_first_example_in_numbers() -> None:
    """It (8) asks for a noun that is animate, with 10 and 4; cat (1) asks nothing."""
    found = why_three(trace_of(presets()[0].scenario), 0)
    assert (found.asks, found.answers, found.there, found.back) == (8, 1, 14.0, 0.0)
    assert (found.now.n_pairs, found.now.gap) == (45, 14.0)
    assert (found.tied.n_alike, found.tied.gap, found.together) == (45, 0.0, 0.0)


def test_pairs_are_counted_one_by_one() -> None:
    trace = trace_of(replace(presets()[0].scenario, text="we saw it"))
    scores = trace.scores[0, 0].tolist()
    pairs = list(combinations(range(len(scores)), 2))
    alike = [(i, j) for i, j in pairs if scores[i][j] == scores[j][i]]
    assert 0 < len(alike) < len(pairs)
    found = two_ways(trace, 0)
    assert (found.n_pairs, found.n_alike) == (len(pairs), len(alike))
    alone = why_three(trace_of(Scenario("word", n_heads=1)), 0)
    assert (alone.now.n_pairs, alone.now.n_alike, alone.now.gap) == (0, 0, 0.0)


@pytest.mark.parametrize("without", WITHOUT)
def test_what_a_layer_does_without_stays_so_in_training(without: str) -> None:
    settings = TrainingSettings("letters", n_heads=2, n_steps=30, without=without)
    first, *_, last = train_layer(settings)
    p = last.projections
    assert np.array_equal(p.w_q, p.w_k) == (without == "W_K = W_Q")
    assert np.array_equal(p.w_v, np.eye(12)) == (without == "V = X")
    assert not np.array_equal(p.w_q, first.projections.w_q)
    learnt = 2 * (12 * (6 + 6 + 6) + 6 * 12) + 12
    assert settings.n_parameters == learnt - 144 * (without != "")


def test_which_layers_are_stored() -> None:
    about = [(one.task, one.n_heads, one.without) for one in trained_scores()]
    assert about == [(one.task, one.n_heads, one.without) for one in COMPARED]


RELEASE = pytest.mark.every_situation


@pytest.mark.parametrize("place", [1, *(pytest.param(i, marks=RELEASE) for i in (2, 4))])
def test_training_again_gives_the_stored_scores(place: int) -> None:
    again, stored = train_and_score(COMPARED[place]), trained_scores()[place]
    assert isinstance(stored, TrainedScore)
    assert replace(again, parts=()) == replace(stored, parts=())
    assert again.parts == pytest.approx(stored.parts, abs=2e-3)


def test_each_restriction_fails_where_it_must_and_only_there() -> None:
    full, tied, copied, agree, agree_tied, one, one_copied = (s.parts for s in trained_scores())
    assert min(full) > 0.99
    assert max(tied) < 0.6
    assert copied[0] > 0.99 > 0.4 > copied[1]
    assert max(*agree, *agree_tied) < 0.001
    assert sum(one_copied) == pytest.approx(sum(one), abs=0.02)
