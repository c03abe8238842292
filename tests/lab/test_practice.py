"""Questions to work out by hand: which cells are asked for, which answers are right, how help
fades.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from attention_core import Projections, SettingsError, Trace, attend
from attention_lab.practice import (
    ASKED_FIELDS,
    HELP_LEVELS,
    MAX_TERMS,
    askable_fields,
    fade_example,
    practice_question,
)
from attention_lab.scenario import Scenario, trace_of
from tests.core.random_layers import Layer, calls
from tests.lab.refusal import refused

BY_HAND = Scenario(
    "you like cake",
    d_model=4,
    n_heads=2,
    embedding="integers",
    positions=False,
    init="integers",
    seed=57,
)


def layer(n_tokens: int = 5, d_model: int = 8, **options: Any) -> Trace:
    """A layer of two heads."""
    x = np.random.default_rng(3).normal(size=(n_tokens, d_model))
    return attend(x, Projections.random(d_model, 2, seed=1), **options)


@settings(max_examples=25)
@given(calls())
def test_answers_from_exact_and_rounded_numbers(call: tuple[Layer, dict[str, Any]]) -> None:
    made, options = call
    trace = made.run(**options)
    for field in askable_fields(trace):
        for number in range(1, 4):
            question = practice_question(trace, number, field)
            assert question.exact.field == field
            assert question.judge(question.value).right
            if field == "merged":
                assert question.value == question.exact.index[2]
                assert not question.judge(question.value + 1).right
            else:
                assert question.value == getattr(trace, field)[question.exact.index]
                assert question.judge(round(question.rounded.recompute(), question.decimals)).right
                assert question.judge(round(question.value, question.decimals)).right
                off = 2 * question.tolerance + 1e-12
                assert not question.judge(question.value + off).right
                assert not question.judge(question.value - off).right
            assert not any(question.judge(wrong).right for wrong in (math.nan, math.inf, -math.inf))


def test_the_same_number_is_the_same_question() -> None:
    trace = trace_of(BY_HAND)
    asked = [practice_question(trace, number).exact for number in range(1, 201)]
    assert {one.field for one in asked} == set(ASKED_FIELDS) == set(askable_fields(trace))
    in_turn = [one.field for one in asked]
    assert in_turn[:4] == ["scores", "probabilities", "head_outputs", "queries"]
    assert in_turn[7:9] == ["scaled_scores", "merged"]  # which take no work
    assert in_turn[9:18] == in_turn[:9]
    assert len({(one.field, one.index) for one in asked}) > 60
    held_by_urls = practice_question(trace, 7, "scores").exact.index
    assert held_by_urls == (0, 1, 2, 2)


def test_an_answer_by_hand() -> None:
    trace = attend([[1.0], [2.004]], Projections.weightless(1))
    asked = (practice_question(trace, number, "scores") for number in range(1, 40))
    question = next(one for one in asked if one.exact.index == (0, 0, 1, 1))
    assert [factor.value for factor in question.rounded.terms[0].factors] == [2.0, 2.0]
    assert all(question.judge(one).right for one in (4, 4.016, 4.02))
    assert not any(question.judge(one).right for one in (3.99, 4.04))


def test_places_follow_the_numbers() -> None:
    for size, decimals in ((100.0, 2), (1.0, 2), (1e-2, 4), (1e-4, 6), (1e-20, 8)):
        trace = attend([[1.0 * size], [2.0 * size]], Projections.weightless(1))
        assert practice_question(trace, 1, "scores").decimals == decimals


def test_only_what_a_hand_can_do() -> None:
    wide, long = layer(d_model=2 * MAX_TERMS), layer(n_tokens=MAX_TERMS + 1)
    assert {*ASKED_FIELDS} - {*askable_fields(wide)} == {"queries", "keys", "values", "output"}
    assert {*ASKED_FIELDS} - {*askable_fields(long)} == {"probabilities", "head_outputs"}
    assert "output" not in askable_fields(attend(np.eye(4), Projections.weightless(4)))
    assert "scaled_scores" not in askable_fields(layer(softcap=2.0))
    assert "output" in askable_fields(layer(d_model=MAX_TERMS))
    assert "output" not in askable_fields(layer(d_model=MAX_TERMS, residual=True))
    with refused(SettingsError, "field", "queries"):
        practice_question(wide, 1, "queries")
    broken = replace(layer(), scores=np.full((1, 2, 5, 5), np.inf))
    assert "scores" not in askable_fields(broken)


def test_hidden_keys_are_not_asked_for() -> None:
    trace = layer(causal=True)
    asked = (practice_question(trace, number, "probabilities") for number in range(1, 300))
    cells = {one.exact.index[2:] for one in asked}
    assert cells == {(query, key) for query in range(1, 5) for key in range(query + 1)}
    alone = layer(mask=np.eye(5, dtype=bool))
    asked = (practice_question(alone, number, "probabilities") for number in range(1, 20))
    assert {one.value for one in asked} == {1.0}
    nothing = layer(mask=np.zeros((5, 5), dtype=bool))
    assert "probabilities" not in askable_fields(nothing)


def test_no_question_adds_up_zeros_alone() -> None:
    by_hand = Scenario("the cat saw the old box and then it ran", weights="by hand", d_model=8)
    trace = trace_of(replace(by_hand, n_heads=2))
    for number in range(1, 100):
        cell = practice_question(trace, number).exact
        values = {round(term.value, 2) for term in cell.terms}
        if cell.operation == "softmax":
            assert len(values) > 1
        elif cell.field != "merged":
            assert values != {0}


FIELDS = [field for field in ASKED_FIELDS if field != "merged"]


@pytest.mark.parametrize("field", FIELDS)
def test_each_level_shows_less(field: str) -> None:
    question = practice_question(layer(), 2, field)
    own, no_result, no_term, worked = (fade_example(question, level) for level in HELP_LEVELS)
    assert (own.lines, own.result) == ((), None)
    assert no_result.result is None
    assert None not in [line.value for line in no_result.lines]
    assert [line.value for line in no_term.lines].count(None) == 1
    assert no_term.result == worked.result == question.value
    assert len(worked.lines) == len(question.exact.terms)


@pytest.mark.parametrize("field", FIELDS)
def test_the_missing_term_is_judged(field: str) -> None:
    question = practice_question(layer(), 3, field)
    shown = fade_example(question, "one term missing")
    assert shown.missing is not None
    exact = question.exact.terms[shown.missing].value
    assert shown.asked.judge(exact).right
    assert shown.asked.judge(
        round(question.rounded.terms[shown.missing].value, shown.decimals)
    ).right
    assert not shown.asked.judge(exact + 3 * shown.asked.tolerance).right
    assert not shown.asked.judge(float("nan")).right
