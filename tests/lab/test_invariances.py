"""Changes that the output does not show, and others: shuffled tokens, biases, other scores; why the
scale is 1/√d_k.
"""

from __future__ import annotations

import math
from dataclasses import replace
from math import tanh
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import Projections, SettingsError, Trace, attend, softmax
from attention_lab.choices import resolve
from attention_lab.compare import TwoLayers
from attention_lab.heads.reruns import rerun
from attention_lab.mask_kinds import MASKS
from attention_lab.masks.invariances import LAYER_CHANGES, LayerChange, shuffled_order
from attention_lab.masks.shuffles import (
    run_shuffled,
    what_knows_order,
    word_vectors_of,
)
from attention_lab.masks.temperature import (
    KEY_SIZES,
    at_temperature,
    score_spread,
    shares_at,
    sharpness,
)
from attention_lab.scenario import Scenario, trace_of
from attention_lab.user_data.user_matrices import UserMatrices
from tests.core.random_layers import Layer, assert_same, calls
from tests.lab.refusal import refused

N, D = 13, 8
ORDER = shuffled_order(N)
WORDS = np.random.default_rng(6).normal(size=(N, D))
KEEP_SHARES = {"inputs_as_values"}
KEEP_OUTPUT = {"row_constants", "key_bias", "query_key_basis", "value_basis"}  # by theory
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
        two = TwoLayers(before, change.apply(before, seed))
        found = [two.gap("probabilities"), two.gap("output")]
        if change.key in KEEP_SHARES:
            assert found.pop(0) == 0
        assert (max(found) < 1e-12) if change.key in KEEP_OUTPUT else (min(found) > 0.01)


@settings(max_examples=25)
@given(calls(modern=False))
def test_invariances_hold_for_any_layer(call: tuple[Layer, dict[str, Any]]) -> None:
    layer, options = call
    before = layer.run(**{name: value for name, value in options.items() if name != "softcap"})
    for change in LAYER_CHANGES:
        if change.key in KEEP_OUTPUT:
            after = change.apply(before, 3)
            assert_same(after.probabilities, before.probabilities, 1e-11)
            assert_same(after.output, before.output, 1e-11)


@every_change
def test_a_change_changes_something(change: LayerChange) -> None:
    before = layer()
    first, again, other = (change.apply(before, seed) for seed in (0, 0, 1))
    fields = ("queries", "keys", "values", "masked_scores", "probabilities")
    assert any(np.abs(getattr(first, name) - getattr(before, name)).max() > 0.01 for name in fields)
    assert (first.masked_scores == again.masked_scores).all()
    if change.is_drawn:
        assert any((getattr(first, name) != getattr(other, name)).any() for name in fields)


@settings(max_examples=40)
@given(st.integers(1, 40), st.integers(0, 2**32))
def test_no_token_stays_in_place(n_tokens: int, seed: int) -> None:
    order = shuffled_order(n_tokens, seed)
    assert sorted(order) == list(range(n_tokens))
    assert n_tokens == 1 or all(token != place for place, token in enumerate(order))


SCENARIO = Scenario(text="we like tea and cake", d_model=6, n_heads=2)
WORDS_ALONE = replace(SCENARIO, positions=False)
TRAINED = Scenario(weights="trained", layer=3)


@pytest.mark.parametrize("scenario", [WORDS_ALONE, replace(WORDS_ALONE, mask="padding"), TRAINED])
def test_words_alone_have_no_order(scenario: Scenario) -> None:
    assert what_knows_order(scenario) == ()
    made = run_shuffled(scenario, 1)
    assert made.order == shuffled_order(made.before.sizes["T"], 1)
    assert made.after.tokens == tuple(made.before.tokens[place] for place in made.order)
    assert not made.differs("output")
    for place, token in enumerate(made.order):
        np.testing.assert_allclose(
            made.after.output[0, place], made.before.output[0, token], atol=1e-5
        )


@pytest.mark.parametrize(
    "knows",
    [
        {"positions": True},
        {"mask": "causal"},
        {"mask": "window"},
        {"rotary": "neighbours", "d_model": 8},
        {"alibi": True},
    ],
)
def test_what_belongs_to_positions_shows_the_order(knows: dict[str, Any]) -> None:
    scenario = replace(WORDS_ALONE, **knows)
    assert len(what_knows_order(scenario)) == 1
    assert run_shuffled(scenario).gap("output") > 0.01
    assert not run_shuffled(replace(scenario, text="the the the", positions=False)).differs(
        "output"
    )


def test_the_words_are_those_of_the_scenario() -> None:
    words = word_vectors_of(SCENARIO)
    assert (words != trace_of(SCENARIO).inputs[0]).any()
    words[0, 1] = 9
    assert (word_vectors_of(replace(SCENARIO, edits="x_0_1_9")) == words).all()


def test_given_inputs_stay_as_they_are() -> None:
    own = replace(SCENARIO, own=UserMatrices(x=np.arange(30.0).reshape(5, 6)).encode())
    for scenario in (own, Scenario(weights="trained", layer=2)):
        assert resolve(scenario).has_given_inputs
        assert (word_vectors_of(scenario) == trace_of(scenario).inputs[0]).all()
    assert not resolve(SCENARIO).has_given_inputs


def test_positions_of_weights_by_hand() -> None:
    by_hand = Scenario("the cat saw it", weights="by hand", d_model=8, n_heads=2)
    assert run_shuffled(by_hand).gap("output") > 0.01


SATURATION = {
    1: ((0.14, 0.93), (0.14, 0.93)),
    4: ((0.34, 0.79), (0.16, 0.93)),
    16: ((0.63, 0.50), (0.16, 0.93)),
    64: ((0.82, 0.26), (0.16, 0.93)),
    256: ((0.91, 0.13), (0.17, 0.93)),
    1024: ((0.96, 0.06), (0.16, 0.93)),
}


@pytest.mark.parametrize("d_k", KEY_SIZES)
def test_the_variance_is_the_width(d_k: int) -> None:
    found = score_spread(d_k)
    assert abs(found.variance - d_k) < 4 * found.standard_error
    assert found.standard_error < (0.05 if d_k > 1 else 0.1) * d_k


@pytest.mark.parametrize("d_k", KEY_SIZES)
def test_the_table_of_saturation(d_k: int) -> None:
    spread = score_spread(d_k)
    for found, expected in zip((spread.raw, spread.scaled), SATURATION[d_k], strict=True):
        assert (found.largest_share, found.jacobian_trace) == pytest.approx(expected, abs=0.012)


def test_the_sharpest_softmax() -> None:
    both = sharpness(np.array([[1e308, -1e308], [0.0, 0.0]]))
    assert (both.largest_share, both.jacobian_trace) == (0.75, 0.25)


@pytest.mark.parametrize("temperature", [0.25, 4.0])
def test_temperature_keeps_the_order_of_shares(temperature: float) -> None:
    x = np.random.default_rng(6).normal(size=(13, 8))
    before = attend(x, Projections.random(8, 2, bias=True), causal=True)
    for head, was_TS in enumerate(before.probabilities[0]):
        is_TS = at_temperature(before, np.array([temperature]), head)[0]
        assert_same(is_TS, rerun(before, scale=before.scale / temperature).probabilities[0, head])
        assert (np.argsort(is_TS) == np.argsort(was_TS)).all()
        tops = [shares_TS[1:].max(axis=-1) for shares_TS in (was_TS, is_TS)]
        assert ((tops[1] > tops[0]) == (temperature < 1)).all()


def test_a_temperature_divides_all_that_enters_the_softmax() -> None:
    """Bias, cap and sink: in plain loops, and towards equal shares, which the bias alone keeps
    apart.
    """
    x = np.random.default_rng(6).normal(size=(5, 4))
    bias = np.array([[[0.5]], [[-2.0]]]) * np.arange(5)
    sinks = [0.5, -1.0]
    trace = attend(x, Projections.random(4, 2), bias=bias, softcap=0.7, sink=sinks, causal=True)
    for head, heat in ((0, 3.0), (1, 0.4)):
        shares_TS = at_temperature(trace, np.array([heat]), head)[0]
        for query, row in enumerate(trace.scores[0, head].tolist()):
            logits = [
                (0.7 * math.tanh(score * trace.scale / 0.7) + bias[head, 0, key]) / heat
                for key, score in enumerate(row[: query + 1])
            ]
            total = sum(map(math.exp, logits)) + math.exp(sinks[head] / heat)
            expected = [math.exp(one) / total for one in logits]
            assert shares_TS[query].tolist() == pytest.approx(expected + [0] * (4 - query))
    (even_TS,) = at_temperature(trace, np.array([1e9]), 1)
    assert even_TS[4].tolist() == pytest.approx([1 / 6] * 5)


def test_what_does_not_fit_is_refused() -> None:
    with refused(SettingsError, "float64"):
        shares_at(np.array([1.0]), np.array([1e-320]))


CAUSAL = trace_of(Scenario("we like green tea", d_model=6, n_heads=2, mask="causal"))
CHANGES = {change.key: change for change in LAYER_CHANGES}


def changed(trace: Trace, key: str) -> Trace:
    """A layer after one of the changes."""
    return CHANGES[key].apply(trace, 0)


@pytest.mark.parametrize("head", [0, 1])
def test_additive_scores_are_sums_of_tanh(head: int) -> None:
    made = changed(CAUSAL, "additive")
    query_TK, key_SK = CAUSAL.query_heads[0, head], CAUSAL.key_heads[0, head]
    for t, query in enumerate(query_TK):
        for s, key in enumerate(key_SK):
            total = sum(tanh(q + k) for q, k in zip(query, key, strict=True))
            assert made.scores[0, head, t, s] == pytest.approx(total)
            assert np.isneginf(made.masked_scores[0, head, t, s]) == (s > t)
    assert np.allclose(made.probabilities, softmax(made.masked_scores))
    assert np.allclose(
        made.head_outputs[0, head], made.probabilities[0, head] @ made.value_heads[0, head]
    )


def test_additive_scores_stay_in_bounds() -> None:
    layer = attend(1e6 * np.eye(5, 6), Projections.random(6, 2))
    assert np.abs(changed(layer, "additive").scores).max() <= 3
    assert np.abs(layer.scaled_scores).max() > 1e9


def test_heads_that_share_keys() -> None:
    layer = attend(np.eye(5, 8), Projections.random(8, 4, n_kv_heads=2))
    query_TK, key_SK = layer.query_heads[0, 3], layer.key_heads[0, 1]
    made = changed(layer, "additive").scores[0, 3, 4, 2]
    assert made == pytest.approx(np.tanh(query_TK[4] + key_SK[2]).sum())


@pytest.mark.parametrize("mask", MASKS)
def test_one_softmax_sums_to_1_over_all_queries(mask: str) -> None:
    trace = trace_of(replace(Scenario(), mask=mask, n_tokens=13))
    shares_HTS = changed(trace, "one_softmax").probabilities[0]
    assert shares_HTS.sum(axis=(1, 2)) == pytest.approx(1)
    proportions = shares_HTS / shares_HTS.sum(axis=-1, keepdims=True)
    assert np.allclose(proportions, trace.probabilities[0])
    assert not shares_HTS[trace.hidden[0]].any()


def test_if_all_keys_are_hidden_all_shares_are_0() -> None:
    layer = attend(np.eye(3, 4), Projections.random(4, 2), mask=np.zeros((3, 3), dtype=bool))
    for key in ("one_softmax", "additive"):
        assert not changed(layer, key).probabilities.any()
