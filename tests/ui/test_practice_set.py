"""A set to hand in: the same questions for all, own numbers for each, answers after an attempt."""

from __future__ import annotations

import csv
import io

from attention_lab.practice import Homework
from attention_lab.scenario import Scenario, trace_of
from attention_ui.practice_set import key_csv, summary_csv
from tests.ui.app import opened, texts

LAYER = Scenario(text="you like cake", d_model=4, n_heads=2, embedding="integers")
SET = {"pr_mode": "a set to hand in"}
URL = {"text": "you like cake", "d_model": 4, "n_heads": 2, "embedding": "integers"}


def test_students_get_the_same_cells_with_other_numbers() -> None:
    homework = Homework(LAYER, 1, 6)
    first, second = homework.questions(1), homework.questions(2)
    cells = [(one.exact.field, one.exact.index) for one in first]
    assert cells == [(one.exact.field, one.exact.index) for one in second]
    assert len(set(cells)) == 6
    assert [one.answer for one in first] != [one.answer for one in second]


def test_answers_are_those_of_the_layer_with_that_seed() -> None:
    trace = trace_of(
        Scenario(text="you like cake", d_model=4, n_heads=2, embedding="integers", seed=7)
    )
    for question in Homework(LAYER, 1, 6).questions(7):
        value = getattr(trace, question.exact.field)[question.exact.index]
        is_place = question.exact.field == "merged"
        assert question.answer == (question.exact.index[-1] if is_place else value)


def test_an_answer_is_shown_only_after_an_attempt() -> None:
    app = opened("practice", **SET, hw_student=7, hw_show_1="true", **URL)
    assert app.toggle(key="hw_show_1").disabled
    assert "Answers looked at: **0**" in texts(app)
    app.text_input(key="hw_answer_1").set_value("1000").run()
    assert not app.toggle(key="hw_show_1").disabled
    assert "Answers looked at: **1**" in texts(app)


def test_right_answers_are_counted() -> None:
    app = opened("practice", **SET, hw_student=7, **URL)
    for place, question in enumerate(Homework(LAYER, 1, 6).questions(7)[:2], 1):
        app.text_input(key=f"hw_answer_{place}").set_value(f"{question.answer:.6f}")
    app.text_input(key="hw_answer_3").set_value("1000").run()
    assert "Right: **2 of 6**" in texts(app)


def test_weights_without_a_seed_give_all_the_same_numbers() -> None:
    app = opened(
        "practice", **SET, hw_student=7, weights="weightless", n_heads=1, text="you like cake"
    )
    assert len(app.info) == 1
    homework = Homework(Scenario(weights="weightless", n_heads=1, d_model=4), 1, 3)
    lines = list(csv.DictReader(io.StringIO(key_csv(homework, 30))))
    assert [line["student"] for line in lines] == ["0", "0", "0"]


def test_the_key_names_every_student_and_question() -> None:
    homework = Homework(LAYER, 3, 4)
    lines = list(csv.DictReader(io.StringIO(key_csv(homework, 3))))
    assert [(int(line["student"]), int(line["question"])) for line in lines] == [
        (student, place) for student in (1, 2, 3) for place in (1, 2, 3, 4)
    ]
    for line in lines:
        question = homework.questions(int(line["student"]))[int(line["question"]) - 1]
        assert question.judge(float(line["answer"])) == "right"


def test_a_formula_in_an_answer_is_harmless_in_a_spreadsheet() -> None:
    line = {"question": 1, "step": "scores", "verdict": "wrong", "looked": False}
    given = ("=1+1", "-0.5", "-1+1", "-1/2")
    text = summary_csv(7, [line | {"answer": answer} for answer in given])
    answers = [one["answer"] for one in csv.DictReader(io.StringIO(text))]
    assert answers == ["'=1+1", "-0.5", "'-1+1", "'-1/2"]
