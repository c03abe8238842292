"""A question and the verdict on an answer, wherever it is asked."""

from __future__ import annotations

import math

import pytest

from attention_lab.quiz import Option, Question, options_of

TYPED = Question(
    "6 − 9?",
    "6 − 9 = −3",
    (Option("3", "3", misconceptions=("never-negative",)), Option("-3", "−3", right=True)),
    number=-3.0,
    tolerance=0.1,
)
CHOSEN = Question("6 − 9?", "6 − 9 = −3", options_of(("9", "−3", "3"), 1, ("", "", "slice")))


@pytest.mark.parametrize(
    ("answer", "grade", "misconceptions"),
    [
        (-3.1, "right", ()),
        (-2.95, "right", ()),
        (-3.2, "near", ()),
        (-3.6, "wrong", ()),
        (3.0, "wrong", ("never-negative",)),
        ("3", "wrong", ("never-negative",)),
        ("-3", "right", ()),
        ("4", "wrong", ()),
        (math.nan, "wrong", ()),
        (-math.inf, "wrong", ()),
    ],
)
def test_a_number_is_judged(answer: float | str, grade: str, misconceptions: tuple) -> None:
    verdict = TYPED.judge(answer)
    assert (verdict.grade, verdict.misconceptions) == (grade, misconceptions)


def test_a_number_with_the_other_sign_is_told_where_no_belief_gives_it() -> None:
    assert Question("?", "", number=-3.0, tolerance=0.1).judge(3.05).grade == "sign"
    assert Question("?", "", number=0.0, tolerance=0.1).judge(-0.05).grade == "right"


def test_an_option_is_judged_by_its_place() -> None:
    assert [CHOSEN.judge(place).grade for place in (0, 1, 2, 3, -1)] == [
        *("wrong", "right", "wrong", "wrong", "wrong")
    ]
    assert CHOSEN.judge(2).misconceptions == ("slice",)
    assert CHOSEN.judge(0).misconceptions == ()
    assert (CHOSEN.right, CHOSEN.value, CHOSEN.answer) == (1, 1.0, "−3")


def test_the_kind_and_the_answer_in_words() -> None:
    open_one = Question("Why?", "So.")
    assert [one.kind for one in (TYPED, CHOSEN, open_one)] == ["number", "choice", "open"]
    assert (open_one.answer, open_one.right) == ("", -1)
    assert Question("?", "", number=2.5).answer == "2.5"
    assert Question("?", "", number=2.5, shown="2.50").answer == "2.50"
