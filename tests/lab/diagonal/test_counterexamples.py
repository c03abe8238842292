"""Which propositions have counterexamples, known ones among them, and how often they are met."""

from __future__ import annotations

import numpy as np
import pytest

from attention_lab.diagonal.propositions.catalogue import find_proposition
from attention_lab.diagonal.propositions.checks import weightless_attention
from attention_lab.diagonal.propositions.counterexamples import search
from attention_lab.diagonal.token_matrices import gaussian_tokens


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


def test_what_is_true_has_none() -> None:
    found = search(find_proposition("S11"), n_tokens=4, d_model=2, tries=60)
    assert (found.x, found.tried) == (None, 60)
    assert found.applied > 50


def test_two_tokens_never_break_the_pair_bound() -> None:
    found = {s: search(find_proposition(s), n_tokens=2, d_model=2).x for s in ("S4", "S5")}
    assert found["S4"] is None is not found["S5"]


@pytest.mark.parametrize(
    ("tokens", "excess", "precision"),
    [
        ([[0.5], [320], [320.02]], 0.4958, 5e-5),  # d = 1: always below 1/2
        ([[0.9, 0.9], [10, 0], [11, -20]], 0.989, 5e-4),  # d = 2: below 1
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
