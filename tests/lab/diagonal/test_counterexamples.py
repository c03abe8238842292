"""Which propositions have counterexamples, known ones among them, and how often they are met."""

from __future__ import annotations

import numpy as np
import pytest

from attention_core import softmax
from attention_lab.diagonal.measures import pair_violations
from attention_lab.diagonal.propositions.catalogue import FALSE, PROPOSITIONS, find_proposition
from attention_lab.diagonal.propositions.checks import weightless_attention
from attention_lab.diagonal.propositions.counterexamples import search
from attention_lab.diagonal.token_matrices import gaussian_tokens

TRUE = [p.number for p in PROPOSITIONS if p.status != FALSE]


@pytest.mark.parametrize("number", ["S4", "S5"])
def test_what_is_false_has_a_counterexample(number: str) -> None:
    for n_tokens, d_model in ((3, 1), (8, 8)):
        found = search(find_proposition(number), n_tokens=n_tokens, d_model=d_model, tries=100)
        assert found.x is not None
        check = find_proposition(number).check(found.x)
        assert not check.holds
        assert check == found.nearest
        row, column = check.where
        a = weightless_attention(found.x).probabilities
        assert a[row, column] > a[row, row]


@pytest.mark.parametrize("number", TRUE)
def test_what_is_true_has_none(number: str) -> None:
    found = search(find_proposition(number), n_tokens=4, d_model=2, tries=60)
    assert found.x is None
    assert found.applied > 50


def test_two_tokens_never_break_the_pair_bound() -> None:
    assert search(find_proposition("S4"), n_tokens=2, d_model=2).x is None
    assert search(find_proposition("S5"), n_tokens=2, d_model=2).x is not None


@pytest.mark.parametrize(
    ("tokens", "excess", "precision"),
    [
        ([[1], [2], [3]], 0.127418, 5e-7),
        ([[0.5], [320], [320.02]], 0.4958, 5e-5),  # d = 1: always below 1/2
        ([[0.3, 0.3], [10, 0], [11, -20]], 0.749, 5e-4),
        ([[0.9, 0.9], [10, 0], [11, -20]], 0.989, 5e-4),  # d = 2: below 1
        (
            [[7.77, 0.39], [8.48, 2.55], [7.65, 4.16]],
            0.0852,
            5e-5,
        ),  # in the column of the longest token
    ],
)
def test_known_counterexamples(tokens: list[list[float]], excess: float, precision: float) -> None:
    check = find_proposition("S4").check(tokens)
    assert not check.holds
    assert check.excess == pytest.approx(excess, abs=precision)


def test_the_condition_for_the_bound_to_fail() -> None:
    seen = set()
    for seed in range(40):
        t = weightless_attention(gaussian_tokens(5, 1, seed))
        log_z = np.log(np.exp(t.scores).sum(axis=1))
        own, a = np.diagonal(t.scores), t.probabilities
        for i, j in np.argwhere(t.scores > own[:, np.newaxis]):
            fails = a[i, j] > max(a[i, i], a[j, j])
            assert fails == (log_z[j] - log_z[i] > own[j] - t.scores[i, j])
            seen.add(bool(fails))
    assert seen == {True, False}


@pytest.mark.parametrize(
    ("n_tokens", "d_model", "share"),
    [(4, 1, 0.037), (64, 1, 0.040), (4, 2, 0.0083), (16, 2, 0.0048)],
)
def test_how_often_the_bound_fails(n_tokens: int, d_model: int, share: float) -> None:
    draws = 8000 // n_tokens
    x = np.random.default_rng(n_tokens).normal(size=(draws, n_tokens, d_model))
    scores = x @ x.swapaxes(1, 2) / np.sqrt(d_model)
    rates = pair_violations(softmax(scores)).sum(axis=(1, 2)) / (n_tokens * (n_tokens - 1))
    assert abs(rates.mean() - share) <= 3 * rates.std() / np.sqrt(draws) + 0.003
