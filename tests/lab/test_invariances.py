"""Changes that the output does not show, and others: shuffled tokens, biases, other scores; why the
scale is 1/√d_k.
"""

from __future__ import annotations

from dataclasses import replace
from math import tanh
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import Projections, SettingsError, Trace, attend, softmax
from attention_lab.heads.reruns import permutation_gaps, rerun, run_gaps
from attention_lab.masks.invariances import (
    LAYER_CHANGES,
    LayerChange,
    shuffled_order,
    with_key_bias,
    with_query_bias,
)
from attention_lab.masks.score_variants import additive_scores, one_softmax
from attention_lab.masks.shuffles import has_given_inputs, outcome_of, run_shuffled, word_vectors_of
from attention_lab.masks.temperature import (
    KEY_SIZES,
    at_temperature,
    jacobian_trace,
    score_spread,
    shares_at,
    sharpness,
    softmax_jacobian,
    two_token_derivative,
)
from attention_lab.rounding import tolerance
from attention_lab.scenario import Scenario, trace_of
from attention_lab.user_data.user_matrices import UserMatrices
from tests.core.random_layers import Layer, assert_same, calls
from tests.lab.refusal import refused

N, D = 13, 8
ORDER = shuffled_order(N)
WORDS = np.random.default_rng(6).normal(size=(N, D))
every_change = pytest.mark.parametrize("change", LAYER_CHANGES, ids=lambda change: change.key)


def layer(**options: Any) -> Trace:
    """Self-attention of two heads with all biases."""
    return attend(WORDS, Projections.random(D, 2, bias=True), **options)


@pytest.mark.parametrize(
    "options", [{}, {"causal": True, "residual": True}, {"mask": np.tri(N, k=-1, dtype=bool).T}]
)
@every_change
def test_changes_do_what_they_say(change: LayerChange, options: dict[str, Any]) -> None:
    before = layer(**options)
    for seed in (0, 1):
        found = run_gaps(before, change.apply(before, seed))
        if change.keeps_output:
            assert max(found.probabilities, found.output) < 1e-12
        else:
            assert min(found.probabilities, found.output) > 0.01


@settings(max_examples=25)
@given(calls(modern=False))
def test_invariances_hold_for_any_layer(call: tuple[Layer, dict[str, Any]]) -> None:
    layer, options = call
    before = layer.run(**{name: value for name, value in options.items() if name != "softcap"})
    for change in LAYER_CHANGES:
        if change.keeps_output:
            after = change.apply(before, 3)
            assert_same(after.probabilities, before.probabilities, 1e-11)
            assert_same(after.output, before.output, 1e-11)


@every_change
def test_a_change_changes_something(change: LayerChange) -> None:
    before = layer()
    first, again, other = (change.apply(before, seed) for seed in (0, 0, 1))
    fields = ("queries", "keys", "values", "scaled_scores", "masked_scores")
    assert any(np.abs(getattr(first, name) - getattr(before, name)).max() > 0.01 for name in fields)
    assert (first.masked_scores == again.masked_scores).all()
    if change.key != "temperature":
        assert any((getattr(first, name) != getattr(other, name)).any() for name in fields)


def test_a_key_bias_adds_one_number_to_each_row() -> None:
    plain = attend(WORDS, Projections.random(D, 2))
    vector = np.arange(1.0, D + 1)
    by_key = (
        rerun(plain, projections=with_key_bias(plain.projections, vector)).scores - plain.scores
    )
    by_query = (
        rerun(plain, projections=with_query_bias(plain.projections, vector)).scores - plain.scores
    )
    for head in range(2):
        part = vector[4 * head : 4 * head + 4]
        row, column = plain.query_heads[0, head] @ part, plain.key_heads[0, head] @ part
        assert_same(by_key[0, head], np.repeat(row[:, np.newaxis], N, axis=1))
        assert_same(by_query[0, head], np.repeat(column[np.newaxis], N, axis=0))


def test_shuffled_tokens_shuffle_the_output() -> None:
    straight = layer()
    found = permutation_gaps(straight, rerun(straight, x=WORDS[list(ORDER)]), ORDER)
    assert max(found.probabilities, found.output) < 1e-14


@settings(max_examples=40)
@given(st.integers(1, 40), st.integers(0, 2**32))
def test_no_token_stays_in_place(n_tokens: int, seed: int) -> None:
    order = shuffled_order(n_tokens, seed)
    assert sorted(order) == list(range(n_tokens))
    assert n_tokens == 1 or all(token != place for place, token in enumerate(order))


SCENARIO = Scenario(text="we like tea and cake", d_model=6, n_heads=2)
LARGE = UserMatrices(x=(1e5 * np.cos(np.arange(32.0).reshape(4, 8) ** 2)).round(3)).encode()


@pytest.mark.parametrize("seed", range(3))
def test_words_alone_have_no_order(seed: int) -> None:
    made = run_shuffled(SCENARIO, "words alone", seed)
    assert made.gaps.output <= tolerance(made.straight, "output")
    for place, token in enumerate(made.order):
        np.testing.assert_allclose(
            made.shuffled.output[0, place], made.straight.output[0, token], atol=1e-12
        )
    a, b = made.order.index(1), made.order.index(4)
    before, after = made.straight.probabilities[0, :, 1, 4], made.shuffled.probabilities[0, :, a, b]
    np.testing.assert_allclose(after, before, atol=1e-12)


@pytest.mark.parametrize("key", ["with positions", "causal mask"])
def test_positions_and_a_causal_mask_show_the_order(key: str) -> None:
    assert run_shuffled(SCENARIO, key).gaps.output > 0.01


def test_the_tokens_move_along() -> None:
    made = run_shuffled(SCENARIO, "words alone", 1)
    assert made.shuffled.tokens == tuple(made.straight.tokens[place] for place in made.order)
    assert all(place != token for place, token in enumerate(made.order))


def test_the_words_are_those_of_the_scenario() -> None:
    words = word_vectors_of(SCENARIO)
    assert (words != trace_of(SCENARIO).inputs[0]).any()
    words[0, 1] = 9
    assert (word_vectors_of(replace(SCENARIO, edits="x_0_1_9")) == words).all()


def test_given_inputs_stay_as_they_are() -> None:
    own = replace(SCENARIO, own=UserMatrices(x=np.arange(30.0).reshape(5, 6)).encode())
    for scenario in (own, Scenario(weights="trained", layer=2)):
        assert has_given_inputs(scenario)
        assert (word_vectors_of(scenario) == trace_of(scenario).inputs[0]).all()
    assert not has_given_inputs(SCENARIO)


def test_positions_of_weights_by_hand() -> None:
    by_hand = Scenario("the cat saw it", weights="by hand", d_model=8, n_heads=2)
    made = run_shuffled(by_hand, "with positions")
    assert (made.straight.inputs == trace_of(by_hand).inputs).all()
    assert made.gaps.output > 0.01
    assert run_shuffled(by_hand, "words alone").gaps.output < 1e-12


# d_k: largest share and trace of the Jacobian, of 32 keys, from an independent program.
RAW = {
    1: (0.14, 0.93),
    4: (0.34, 0.79),
    16: (0.63, 0.50),
    64: (0.82, 0.26),
    256: (0.91, 0.13),
    1024: (0.96, 0.06),
}
SCALED = {
    1: (0.14, 0.93),
    4: (0.16, 0.93),
    16: (0.16, 0.93),
    64: (0.16, 0.93),
    256: (0.17, 0.93),
    1024: (0.16, 0.93),
}
ROWS = st.lists(st.floats(-9, 9), min_size=1, max_size=7)


@pytest.mark.parametrize("d_k", KEY_SIZES)
def test_the_variance_is_the_width(d_k: int) -> None:
    found = score_spread(d_k)
    assert abs(found.variance - d_k) < 4 * found.standard_error
    assert found.standard_error < (0.05 if d_k > 1 else 0.1) * d_k


@pytest.mark.parametrize("d_k", KEY_SIZES)
@pytest.mark.parametrize(("kind", "table"), [("raw", RAW), ("scaled", SCALED)])
def test_the_table_of_saturation(d_k: int, kind: str, table: dict[int, tuple[float, ...]]) -> None:
    found, expected = getattr(score_spread(d_k), kind), table[d_k]
    assert (found.largest_share, found.jacobian_trace) == pytest.approx(expected, abs=0.012)


@settings(max_examples=40)
@given(ROWS)
def test_the_jacobian_by_finite_differences(row: list[float]) -> None:
    scores, step = np.array(row), 1e-5
    slope = softmax_jacobian(softmax(scores))
    for k in range(len(row)):
        nudge = step * (np.arange(len(row)) == k)
        moved = (softmax(scores + nudge) - softmax(scores - nudge)) / (2 * step)
        assert_same(slope[:, k], moved, 1e-9)


@settings(max_examples=40)
@given(ROWS)
def test_bounds_of_the_jacobian(row: list[float]) -> None:
    shares = softmax(row)
    slope = softmax_jacobian(shares)
    assert_same(slope.sum(axis=-1), np.zeros(len(row)))
    eigenvalues = np.linalg.eigvalsh(slope)
    assert eigenvalues.min() > -1e-12
    assert eigenvalues.max() < 0.5 + 1e-12
    assert_same(jacobian_trace(shares), np.trace(slope))


def test_the_steepest_softmax() -> None:
    assert np.linalg.norm(softmax_jacobian(np.array([0.5, 0.5])), 2) == pytest.approx(0.5)
    assert np.linalg.norm(softmax_jacobian(np.full(7, 1 / 7)), 2) == pytest.approx(1 / 7)


@pytest.mark.parametrize(
    ("gap", "slope"), [(0, 0.25), (1, 0.197), (2, 0.105), (4, 0.0177), (8, 0.00034)]
)
def test_two_tokens(gap: float, slope: float) -> None:
    assert two_token_derivative(gap) == pytest.approx(slope, rel=0.02)
    assert two_token_derivative(-gap) == pytest.approx(two_token_derivative(gap))


def test_the_sharpest_softmax() -> None:
    both = sharpness(np.array([[1e308, -1e308], [0.0, 0.0]]))
    assert (both.largest_share, both.jacobian_trace) == (0.75, 0.25)


@pytest.mark.parametrize("temperature", [0.25, 4.0])
def test_temperature_keeps_the_order_of_shares(temperature: float) -> None:
    x = np.random.default_rng(6).normal(size=(13, 8))
    before = attend(x, Projections.random(8, 2, bias=True), causal=True)
    after = at_temperature(before, temperature)
    assert_same(after.scaled_scores, before.scaled_scores / temperature)
    assert (np.argsort(after.probabilities) == np.argsort(before.probabilities)).all()
    tops = [trace.probabilities[:, :, 1:].max(axis=-1) for trace in (before, after)]
    assert ((tops[1] > tops[0]) == (temperature < 1)).all()


def test_what_does_not_fit_is_refused() -> None:
    with refused(SettingsError, "keys", 20_000):
        softmax_jacobian(np.full(20_000, 5e-5))
    with refused(SettingsError, "float64"):
        shares_at(np.array([1.0]), np.array([1e-320]))


CAUSAL = trace_of(Scenario("we like green tea", d_model=6, n_heads=2, mask="causal"))


@pytest.mark.parametrize("head", [0, 1])
def test_additive_scores_are_sums_of_tanh(head: int) -> None:
    made, (query_TK, key_SK) = (
        additive_scores(CAUSAL, head),
        (CAUSAL.query_heads[0, head], CAUSAL.key_heads[0, head]),
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


@pytest.mark.parametrize(
    ("scenario", "key", "shows", "unclear", "only_rounding"),
    [
        (SCENARIO, "words alone", False, False, True),
        (SCENARIO, "with positions", True, False, False),
        (SCENARIO, "causal mask", True, False, False),
        # equal words are equal wherever they stand
        (replace(SCENARIO, text="the the the"), "causal mask", False, False, True),
        (Scenario(weights="trained", layer=3), "words alone", False, False, True),
        (Scenario(weights="trained", layer=3), "causal mask", True, False, False),
        # with large numbers, rounding hides what positions do
        (Scenario(own=LARGE), "with positions", False, True, False),
    ],
)
def test_what_a_shuffle_shows(
    scenario: Scenario, key: str, shows: bool, unclear: bool, only_rounding: bool
) -> None:
    shuffle = run_shuffled(scenario, key)
    found = outcome_of(shuffle, key, "output", 1)
    assert (found.shows, found.unclear, found.only_rounding) == (shows, unclear, only_rounding)
    assert (found.gap, shuffle.order[found.place]) == (shuffle.gaps.output, 1)
