"""Two forms of a test: equal topics, keys that are the engine's, codes, gain."""

from __future__ import annotations

from collections import Counter

import pytest

from attention_core import SettingsError
from attention_lab.before_and_after import (
    FORMS,
    NO_ANSWER,
    FormResult,
    form_layer,
    form_questions,
    normalised_gain,
    question_operands,
)
from attention_lab.guesses import MISCONCEPTIONS
from tests.lab.learners import Learner


def form_result(form: str, belief: str = "") -> FormResult:
    """The answers of a learner with a belief, or of one who knows how."""
    learner = Learner(form_layer(form), belief)
    answers = []
    for guess in form_questions(form):
        given = learner.answer(guess)
        near = [
            option.value == given
            if isinstance(given, str)
            else abs(float(option.value) - given) <= guess.tolerance
            for option in guess.options
        ]
        answers.append(near.index(True) + 1 if True in near else NO_ANSWER)
    return FormResult(form, tuple(answers))


@pytest.mark.parametrize("form", FORMS)
def test_a_form_has_four_three_and_three(form: str) -> None:
    topics = Counter(guess.item.topic for guess in form_questions(form))
    assert topics == {"arithmetic": 4, "shapes": 3, "misconceptions": 3}
    assert all(guess.revealed for guess in form_questions(form))


@pytest.mark.parametrize("form", FORMS)
def test_who_knows_how_has_all_right_and_a_learner_fails_the_items_of_a_belief(form: str) -> None:
    assert all(form_result(form).right)
    for belief in MISCONCEPTIONS:
        failed = [not right for right in form_result(form, belief).right]
        assert failed == [belief in guess.revealed for guess in form_questions(form)], belief


def test_the_forms_ask_the_same_of_other_numbers() -> None:
    a, b = form_questions("A"), form_questions("B")
    assert [guess.item for guess in a] == [guess.item for guess in b]
    assert sum(one.text != other.text for one, other in zip(a, b, strict=True)) >= 5


@pytest.mark.parametrize("form", FORMS)
def test_the_given_matrices_are_those_that_are_read(form: str) -> None:
    for guess in form_questions(form):
        given = question_operands(form_layer(form), guess)
        assert given
        assert "scale" not in dict(given)
        assert all(matrix.ndim == 2 and max(matrix.shape) <= 8 for _, matrix in given)


def test_a_code_brings_the_answers_back() -> None:
    result = form_result("B", "diagonal")
    assert FormResult.from_code(f" {result.code.lower()} ") == result
    for text in ("", "C-1111111111", "A-111", "A-9999999999", "x" * 500):
        with pytest.raises(SettingsError, match="A-1203124312"):
            FormResult.from_code(text)
    with pytest.raises(SettingsError, match="form A"):
        FormResult("A", (4,) * 9)


def test_the_gain_is_normalised() -> None:
    full = {form: form_result(form) for form in FORMS}
    empty = {form: FormResult(form, (NO_ANSWER,) * 10) for form in FORMS}
    assert normalised_gain(empty["A"], full["B"]) == 1.0
    half = FormResult("A", (*full["A"].answers[:5], *(NO_ANSWER,) * 5))
    more = FormResult("B", (*full["B"].answers[:7], *(NO_ANSWER,) * 3))
    assert normalised_gain(half, more) == pytest.approx(0.4)
    assert normalised_gain(full["A"], empty["B"]) is None
    with pytest.raises(SettingsError, match="form A"):
        normalised_gain(empty["A"], full["A"])


def test_answers_show_their_misconceptions() -> None:
    assert "diagonal" in form_result("A", "diagonal").misconceptions
    assert form_result("A").misconceptions == ()


@pytest.mark.parametrize("form", FORMS)
def test_the_largest_score_that_is_asked_for_is_not_one_that_the_mask_hides(form: str) -> None:
    """Else a student who thinks of the mask has no right answer; and it is not on the diagonal."""
    guess, trace = form_questions(form)[7], form_layer(form)
    _, head, query, _ = guess.index
    scores = [float(one) for one in trace.scores[0, head, query]]
    largest = scores.index(max(scores))
    assert guess.answer == f"“{trace.tokens[largest]}”"
    assert largest < query
