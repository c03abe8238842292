"""The lessons that come with the app: whole, and true of the layers that they show."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest

from attention_lab.lessons.lesson import Lesson
from attention_lab.lessons.lesson_file import shipped_lessons
from attention_lab.scenario import Scenario, trace_of

LESSONS = shipped_lessons()


def scenario_of(choices: dict[str, str]) -> Scenario:
    """The scenario that the state of a moment names."""
    found: dict[str, Any] = {}
    for name, usual in asdict(Scenario()).items():
        if name in choices:
            text = choices[name]
            found[name] = text == "true" if isinstance(usual, bool) else type(usual)(text)
    return Scenario(**found)


@pytest.mark.parametrize("lesson", LESSONS.values(), ids=LESSONS)
def test_a_lesson_has_goals_and_three_tasks_with_answers_and_mistakes(lesson: Lesson) -> None:
    assert len(lesson.goals) >= 3
    assert len(lesson.tasks) == 3
    assert all(task.mistakes for task in lesson.tasks)
    assert len(lesson.moments) >= 5
    assert any(moment.question for moment in lesson.moments)
    assert sum(bool(moment.note) for moment in lesson.moments) >= len(lesson.moments) / 2
    assert all(moment.text for moment in lesson.moments)


@pytest.mark.parametrize("lesson", LESSONS.values(), ids=LESSONS)
def test_no_question_gives_its_answer_away(lesson: Lesson) -> None:
    places = set()
    asked = [(moment, lesson.question_at(n)) for n, moment in enumerate(lesson.moments)]
    for moment, question in asked:
        if question and moment.question and question.options:
            right = question.options[question.right]
            assert right == moment.question.options[moment.question.right]
            assert sorted(question.options) == sorted(moment.question.options)
            assert not re.search(rf"(?<!\w){re.escape(right)}(?!\w)", moment.text)
            places.add(question.right)
    n_choices = sum(bool(question and question.options) for _, question in asked)
    assert len(places) > 1 or n_choices < 3


@pytest.mark.parametrize("lesson", LESSONS.values(), ids=LESSONS)
def test_every_moment_names_a_layer_that_can_be_made(lesson: Lesson) -> None:
    for moment in lesson.moments:
        choices = moment.choices
        trace = trace_of(scenario_of(choices))
        sizes = trace.sizes
        for name, axis in (("head", "H"), ("query", "T"), ("key", "S")):
            assert int(choices.get(name, 0)) < sizes[axis], (moment.title, name)


def by_hand() -> Any:
    """The layer of the lesson by hand."""
    return trace_of(scenario_of(LESSONS["by-hand"].moments[0].choices))


def test_the_numbers_of_the_lesson_by_hand_are_those_of_the_layer() -> None:
    trace = by_hand()
    assert trace.queries[0, 1].tolist() == [2, -1, -1, 1]
    assert trace.scores[0, 0, 1].tolist() == [-5, 2, 6]
    assert trace.scores[0, 0, 0].tolist() == [4, -2, -4]
    assert round(trace.probabilities[0, 0, 1, 2], 2) == 0.98
    assert round(trace.head_outputs[0, 0, 1, 0], 1) == -2.9
    assert trace.probabilities[0, 1, 0].round(3).tolist() == [0.045, 0.909, 0.045]
    assert trace.merged.shape[-1] == 4


def test_the_numbers_of_the_first_lesson_are_those_of_the_layer() -> None:
    trace = trace_of(scenario_of(LESSONS["multi-head-attention"].moments[3].choices))
    assert trace.scores[0, 0, 6].tolist() == [0, 14, 0, 0, 10, 0, 0, 0]
    assert round(trace.probabilities[0, 0, 6, 1], 2) == 0.88
    assert round(trace.head_outputs[0, 0, 6, 1], 2) == 0.88
    assert trace.values[0, 1, 1] == 1
    before = trace.probabilities[0, 1].argmax(-1)[1:]
    assert before.tolist()[1:] == [1, 2, 3, 4, 5, 6]


def test_large_scores_leave_one_share_as_the_lesson_on_the_scale_says() -> None:
    bare, scaled = (
        trace_of(scenario_of(LESSONS["why-scale"].moments[n].choices)).probabilities[0, 0, 8]
        for n in (1, 2)
    )
    assert bare.max() > 0.99
    assert scaled.max() < 0.5
    assert np.sum(scaled > 0.05) >= 3
