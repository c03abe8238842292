"""S1 to S14: theorems hold for any tokens, false statements have counterexamples, checks find
planted violations.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from attention_core import attend
from attention_lab.diagonal.propositions.catalogue import (
    FALSE,
    PROPOSITIONS,
    THEOREM,
    find_proposition,
)
from attention_lab.diagonal.propositions.checks import (
    UnmaskedAttention,
    tokens_of_trace,
    weightless_attention,
)
from attention_lab.diagonal.settings import DiagonalSettings, at_angle, trace_of_settings
from attention_lab.diagonal.token_matrices import gaussian_tokens

NUMBERS = [p.number for p in PROPOSITIONS]
TRUE = [p.number for p in PROPOSITIONS if p.status != FALSE]


@st.composite
def token_matrices(draw: st.DrawFn, least: int = 1) -> np.ndarray:
    """Tokens of any kind: whole numbers with zeros and repetitions, decimals, and Gaussian ones
    of uneven length.
    """
    shape = draw(array_shapes(min_dims=2, max_dims=2, min_side=least, max_side=6))
    numbers = st.integers(-4, 4) | st.floats(-30, 30, allow_subnormal=False)
    if draw(st.booleans()):
        return draw(arrays(np.float64, shape, elements=numbers))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return rng.normal(size=shape) * np.exp(draw(st.floats(0, 2)) * rng.normal(size=(shape[0], 1)))


@pytest.mark.parametrize("number", TRUE)
@settings(max_examples=40)
@given(x=token_matrices(), scale=st.none() | st.floats(0.1, 3))
def test_what_is_true_holds(number: str, x: np.ndarray, scale: float | None) -> None:
    assert find_proposition(number).check(x, scale).holds


@settings(max_examples=40)
@given(x=token_matrices(least=2))
def test_what_is_true_holds_with_equal_norms(x: np.ndarray) -> None:
    length = np.linalg.norm(x, axis=1, keepdims=True)
    x = np.where(length > 0, x / np.where(length > 0, length, 1), 1 / np.sqrt(x.shape[1]))
    check = find_proposition("S12").check(x)
    assert check.applies
    assert check.holds
    assert find_proposition("S4").check(x).holds
    a = weightless_attention(x).probabilities
    assert (np.diagonal(a) >= 1 / len(x) - 1e-12).all()


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(3, 6), st.integers(1, 4))
def test_an_average_of_others_is_out_voted(seed: int, n_tokens: int, d_model: int) -> None:
    rng = np.random.default_rng(seed)
    others = rng.normal(size=(n_tokens, d_model))
    x = np.vstack([rng.dirichlet(np.ones(n_tokens)) @ others, others])
    check = find_proposition("S11").check(x)
    assert check.applies
    assert check.holds
    a = weightless_attention(x).probabilities[0]
    assert a[0] < a[1:].max()


def test_equal_tokens_violate_the_greatest_diagonal_by_a_tie() -> None:
    text = "the cat the dog the cat saw the dog and the cat ran " * 2
    for d_model in (5, 7, 13, 33):
        chosen = DiagonalSettings(text=text, d_model=d_model, layer_norm=True)
        check = find_proposition("S5").verify(tokens_of_trace(trace_of_settings(chosen)))
        assert (check.holds, check.excess) == (False, 0)


def test_what_equal_norms_have_to_spare() -> None:
    two = [[3.0, 4.0], [5.0, 0.0]]
    shares, check = weightless_attention(two).probabilities, find_proposition("S12").check(two)
    assert (check.excess, check.where) == (pytest.approx(0.5 - shares[0, 0]), (0,))
    four = [*two, [4.0, 3.0], [-5.0, 0.0]]
    shares, check = weightless_attention(four).probabilities, find_proposition("S12").check(four)
    row, column = check.where
    assert check.excess == pytest.approx(shares[row, column] - shares[row, row])
    assert check.excess > 1 / 4 - shares.diagonal().min()


def test_one_normaliser_by_hand() -> None:
    p = np.exp([[9, 6, 3], [6, 4, 2], [3, 2, 1]])
    spare = min(np.sqrt(p[i, i] * p[j, j]) - p[i, j] for i, j in ((0, 1), (0, 2), (1, 2)))
    found = find_proposition("S3").check([[3.0], [2.0], [1.0]])
    assert -found.excess == pytest.approx(spare / p.sum())


def test_conditions_that_are_not_met() -> None:
    one, uneven = [[2.0]], [[1.0], [2.0], [4.0]]
    assert not find_proposition("S6").check(one).applies
    assert not find_proposition("S12").check(uneven).applies
    assert not find_proposition("S11").check([[1.0, 0.0], [0.0, 1.0]]).applies
    assert find_proposition("S11").check(uneven).where == (1,)
    assert all(p.check(one).holds for p in PROPOSITIONS)


def test_tied_weights_are_weightless_queries() -> None:
    x = gaussian_tokens(7, 5)
    tied, free = (tokens_of_trace(attend(x, at_angle(5, 3, degrees))) for degrees in (0, 90))
    assert all(find_proposition(number).verify(tied).holds for number in TRUE)
    violated = {p.number for p in PROPOSITIONS if not p.verify(free).holds}
    assert {"S1", "S3", "S7", "S13", "S14"} <= violated


@pytest.mark.parametrize("number", TRUE)
def test_theorems_hold_in_single_precision(number: str) -> None:
    test = find_proposition(number).verify
    for seed, spread in ((0, 1.0), (1, 10.0), (2, 30.0)):
        x = (spread * gaussian_tokens(20, 5, seed)).astype(np.float32)
        layer = at_angle(5, 3, 0).astype(np.float32)
        single = attend(np.stack([x, x[::-1]]), layer, mask=np.eye(20, dtype=bool))
        double = attend(x.astype(np.float64), layer.astype(np.float64))
        assert test(tokens_of_trace(single)) == test(tokens_of_trace(double))
        assert test(tokens_of_trace(single, batch=1)).holds
        t = attend(x, layer)
        fields = (t.query_heads, t.scaled_scores, t.probabilities)
        assert test(UnmaskedAttention(*(array[0, 0] for array in fields), scale=t.scale)).holds


def test_a_planted_violation_is_found() -> None:
    tokens = weightless_attention(gaussian_tokens(5, 9))
    a = tokens.probabilities.copy()
    a[1, 3] = 0.99
    wrong = replace(tokens, probabilities=a)
    for number in ("S4", "S7", "S9", "S14"):
        assert find_proposition(number).verify(tokens).holds
        assert not find_proposition(number).verify(wrong).holds
    assert find_proposition("S14").verify(wrong).where in ((1, 3), (3, 1))


def test_the_smallest_trace() -> None:
    assert np.trace(weightless_attention(np.ones((6, 2))).probabilities) == pytest.approx(1)
    assert find_proposition("S13").check(gaussian_tokens(6, 2)).holds
    opposite = tokens_of_trace(attend(4 * gaussian_tokens(6, 3), at_angle(3, 3, 180)))
    assert find_proposition("S13").verify(opposite).excess > 0.5


def test_every_proposition_is_declared_in_full() -> None:
    assert [f"S{k}" for k in range(1, 15)] == NUMBERS
    for p in PROPOSITIONS:
        assert bool(p.failing_step) == (p.status == FALSE)
        assert bool(p.condition) == (p.status != THEOREM)
