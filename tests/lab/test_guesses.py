"""Questions before a step: the engine gives the answers, and each misconception is revealed."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from attention_core import STEPS, Projections, SettingsError, Trace, attend
from attention_core.trace import USUAL_STEPS
from attention_lab.diagonal.claims.catalogue import CLAIMS
from attention_lab.guesses import (
    ITEMS,
    MISCONCEPTIONS,
    Guess,
    as_data,
    guess_beside,
    guess_of,
    items_of,
)
from attention_lab.lessons.lesson import Lesson
from attention_lab.lessons.lesson_file import shipped_lessons
from attention_lab.scenario import Scenario, sequence_of, trace_of
from attention_lab.sentences import embedding_of
from tests.core.random_layers import Layer, calls
from tests.lab.learners import Learner

ASSETS = Path(__file__).resolve().parents[2] / "assets" / "data"
PRESETS = {
    one["name"]: Scenario(**one["scenario"])
    for one in json.loads((ASSETS / "presets.json").read_text(encoding="utf-8"))
}
MORE = {
    "padding": Scenario(mask="padding", n_tokens=15),
    "window": Scenario(mask="window", residual=True),
    "custom scale": Scenario(scaling="custom", scale=0.2, seed=3),
    "modern": Scenario(rotary="halves", start=2, qk_norm=True, gain=1.5, sink=True, alibi=True),
}
EVERY = PRESETS | MORE
STORY = [field for field in USUAL_STEPS if field != "memory"]
FIRST = "What does “it” stand for?"


def asked(trace: Trace, words: Any = None) -> list[Guess]:
    """Every question that a layer has a cell for."""
    found = []
    for name, item in ITEMS.items():
        for field in item.fields:
            try:
                found.append(guess_of(trace, name, 1, field, words))
            except SettingsError:
                continue
    return found


def assert_beliefs(guess: Guess, trace: Trace, words: Any = ()) -> None:
    """Who knows how answers a question right; a learner fails it by the beliefs it reveals."""
    for belief in ("", *MISCONCEPTIONS):
        is_right = guess.judge(Learner(trace, belief, words).answer(guess)).right
        assert is_right == (belief not in guess.revealed), (guess, belief)


@cache
def asked_in(name: str) -> list[Guess]:
    """The questions of an example."""
    return asked(sequence_of(EVERY[name], 0), embedding_of(EVERY[name]).words)


@pytest.mark.parametrize("name", EVERY)
def test_who_knows_how_is_right_and_a_learner_fails_by_a_belief(name: str) -> None:
    trace, words = sequence_of(EVERY[name], 0), embedding_of(EVERY[name]).words
    for guess in asked_in(name):
        assert_options(guess)
        assert_beliefs(guess, trace, words)


def assert_options(guess: Guess) -> None:
    """One option is right, and all differ."""
    options = guess.options
    assert 2 <= len(options) <= 4
    assert len({option.label for option in options}) == len(options)
    assert len({option.value for option in options}) == len(options)
    right = [option for option in options if option.right]
    assert [option.misconceptions for option in right] == [()]
    assert guess.judge(right[0].value).right
    assert guess.answer == right[0].label
    wrong = {name for option in options for name in option.misconceptions}
    assert wrong <= set(guess.revealed)
    assert "{" not in guess.text
    assert "{" not in guess.why


@settings(max_examples=8)
@given(calls())
def test_so_it_is_in_drawn_layers(call: tuple[Layer, dict[str, Any]]) -> None:
    made, options = call
    trace = made.run(**options)
    for guess in asked(trace):
        assert_beliefs(guess, trace)


def test_every_item_tells_each_of_its_beliefs_apart_somewhere() -> None:
    mine = Projections.from_heads([(-np.eye(2), np.eye(2), np.eye(2))], np.eye(2))
    negative = attend([[1.0, 0.0], [1.0, 1.0], [2.0, 1.0]], mine, causal=True)
    apart: dict[str, set[str]] = {name: set() for name in ITEMS}
    apart["masked-largest"] |= set(guess_of(negative, "masked-largest").revealed)
    for example in EVERY:
        for guess in asked_in(example):
            apart[guess.item.id] |= set(guess.revealed)
    assert all(set(item.misconceptions) <= apart[name] for name, item in ITEMS.items())
    in_lessons = {name for lesson in shipped_lessons().values() for name in beliefs_in(lesson)}
    assert set.union(*apart.values()) | in_lessons == set(MISCONCEPTIONS)


def beliefs_in(lesson: Lesson) -> Iterator[str]:
    """The misconceptions among the options of a lesson's questions."""
    for moment in lesson.moments:
        for option in moment.question.options if moment.question else ():
            yield from option.misconceptions


@pytest.mark.parametrize("field", STORY)
def test_the_question_beside_an_example_is_about_another_cell(field: str) -> None:
    trace, words = trace_of(PRESETS[FIRST]), embedding_of(PRESETS[FIRST]).words
    shape = getattr(trace, field).shape
    for place in range(0, int(np.prod(shape)), 7):
        lit = tuple(int(i) for i in np.unravel_index(place, shape))
        spans = [(0, n) for n in shape[1:]]
        if len(shape) == 3:  # the board shows the columns of one head
            spans[-1] = (lit[-1] // 4 * 4, lit[-1] // 4 * 4 + 4)
        guess = guess_beside(trace, field, lit, spans, words)
        if guess is None or guess.item.kind in ("place", "largest"):
            continue
        assert guess.number is not None
        explained, array = getattr(trace, field)[lit], getattr(trace, field)
        assert guess.index[:-2] == lit[:-2]
        assert all(a <= at < b for at, (a, b) in zip(guess.index[1:], spans, strict=True))
        assert abs(guess.number - explained) > guess.tolerance < abs(guess.number)
        assert all(abs(array[at] - guess.number) <= guess.tolerance for at in guess.alike)
        hidden = as_data(guess)["hides"]
        same = np.argwhere(np.abs(array - guess.number) < 1e-9).tolist()
        assert all(at in hidden for at in same if tuple(at[:-2]) == lit[:-2])


def test_it_teaches_where_it_can() -> None:
    trace = trace_of(PRESETS[FIRST])
    query, key = 6, 1
    guess = guess_beside(trace, "scores", (0, 0, query, key))
    assert guess is not None
    row, column = guess.index[2:]
    products = trace.query_heads[0, 0, row] * trace.key_heads[0, 0, column]
    assert np.count_nonzero(products) >= 2
    assert guess_beside(trace, "values", (0, 1, 0)) is None
    assert guess_beside(trace, "masked_scores", (0, 0, query, key)) is None
    wide = trace_of(Scenario(n_heads=4))
    asked = [guess_beside(wide, field, (0, 2, 0)) for field in ("queries", "output")]
    assert [one.answer for one in asked if one] == ["all 16", "all 4 heads"]


def test_a_typed_number_is_judged_like_an_option() -> None:
    trace = trace_of(PRESETS["Two heads on paper"])
    guess = guess_of(trace, "scores-number")
    assert guess.number is not None
    assert guess.judge(guess.number + guess.tolerance).right
    assert guess.judge(-guess.number).grade in ("sign", "wrong")
    assert guess.judge(guess.number + 3 * guess.tolerance).grade == "near"
    assert guess.judge(float("nan")).grade == "wrong" == guess.judge("none of these").grade
    believed = next(option for option in guess.options if option.misconceptions)
    assert guess.judge(float(believed.value)).misconceptions == believed.misconceptions


def test_the_data_are_whole() -> None:
    with (ASSETS / "questions.csv").open(encoding="utf-8", newline="") as file:
        sources = {row["page"] for row in csv.DictReader(file)}
    sources |= {claim.id for claim in CLAIMS} | {""}
    assert {one.source for one in MISCONCEPTIONS.values()} <= sources
    assert all(items_of(field) for field in STORY)
    for item in ITEMS.values():
        assert set(item.fields) <= set(STEPS)
        assert set(item.misconceptions) <= set(MISCONCEPTIONS)


def test_what_is_asked_is_hidden_and_nothing_else() -> None:
    scenario = Scenario("the cat saw the box", mask="causal", n_heads=2)
    scenario = replace(scenario, qk_norm=True, rotary="halves")
    trace, words = trace_of(scenario), embedding_of(scenario).words
    hidden = {name: as_data(guess_of(trace, name, 2, words=words)) for name in ITEMS}
    at = hidden["scores-number"]["index"]
    assert hidden["scores-number"]["hides"] == [at]
    at = hidden["scores-largest"]["index"]
    assert hidden["scores-largest"]["hides"] == [[*at[:3], None]]
    at = hidden["scores-both-ways"]["index"]
    assert hidden["scores-both-ways"]["hides"] == [at, [0, at[1], at[3], at[2]]]
    assert hidden["softmax-picture"]["hides"][0][2:] == [None, None]
    assert hidden["scores-shape"]["hides"] == [] == hidden["softmax-grows"]["hides"]
    assert all(one["hides"] == [] for one in hidden.values() if one["kind"] == "place")
    json.dumps(hidden)


def test_a_layer_without_a_cell_for_a_question_says_so() -> None:
    trace = trace_of(replace(Scenario(), output_matrix="none"))
    with pytest.raises(SettingsError, match="output-number"):
        guess_of(trace, "output-number")
    with pytest.raises(SettingsError, match="item"):
        guess_of(trace, "none of these")


ALWAYS_ASKED = {"scores-number", "softmax-largest", "mixing-number"}


@pytest.mark.parametrize(
    ("layer", "unasked"),
    [
        (Scenario(), set()),
        (Scenario(weights="tied"), {"scores-largest", "scores-both-ways"}),
        (
            Scenario(weights="weightless"),
            {
                "projection-reads",
                *("scores-largest", "scores-both-ways"),
            },
        ),
        (Scenario(sink=True), {"softmax-number", "softmax-picture", "softmax-grows"}),
    ],
)
def test_nothing_is_asked_whose_reason_is_false(layer: Scenario, unasked: set[str]) -> None:
    """Tied weights make the query of a token its key; a head without weights reads its slice of X;
    with a sink, shares do not sum to 1.
    """
    depends = {
        "projection-reads",
        *("scores-largest", "scores-both-ways"),
        *("softmax-number", "softmax-picture", "softmax-grows"),
    }
    found = {guess.item.id for guess in asked(trace_of(layer))}
    assert found & (depends | ALWAYS_ASKED) == (depends - unasked) | ALWAYS_ASKED
