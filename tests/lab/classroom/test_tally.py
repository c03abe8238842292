"""What a class has answered, as bars and as a table."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from typing import Any

import pytest

from attention_core.errors import SettingsError
from attention_lab.classroom.class_question import (
    check_class_question,
    question_from_json,
    question_to_json,
)
from attention_lab.classroom.limits import RightsError
from attention_lab.classroom.rooms import Rooms
from attention_lab.classroom.tally import OTHER_LABEL, export_votes, histogram, misconceptions_met
from attention_lab.quiz import Question, options_of
from tests.lab.classroom.rooms_made import CHOICE, NUMBER, Clock, asked, token


def test_every_answer_is_in_one_bar() -> None:
    bars = histogram(CHOICE, [1, 0, 1])
    assert [(bar.count, bar.is_right) for bar in bars] == [(1, False), (2, True), (0, False)]
    bars = histogram(NUMBER, [6.04, 5.96, 6.06, *range(20, 40), 20])
    assert sum(bar.count for bar in bars) == 24
    assert [bar.count for bar in bars if bar.is_right] == [2]
    assert (len(bars), bars[-1].label) == (9, OTHER_LABEL)
    assert [(bar.label, bar.count) for bar in histogram(NUMBER, [])] == [("6", 0)]


def test_a_question_comes_back_as_it_was_kept() -> None:
    hostile = Question("<b>&\u2028\x00 😀?", "\ud800", options_of(("a", '"b"'), 0, ("", "slice")))
    pictures = (((0.0, 1.0),), ((0.5,),), ((1.0,), (0.0,)))
    of_pictures = zip(CHOICE.options, pictures, strict=True)
    drawn = replace(CHOICE, options=tuple(replace(one, picture=two) for one, two in of_pictures))
    for posed in (NUMBER, CHOICE, hostile, drawn):
        assert question_from_json(question_to_json(posed)) == posed


def test_a_question_of_an_older_app_is_read() -> None:
    """Its options had no misconceptions."""
    kept = json.loads(question_to_json(CHOICE))
    del kept["misconceptions"]
    assert question_from_json(json.dumps(kept)) == CHOICE
    assert (kept["kind"], kept["answer"], kept["arithmetic"]) == ("choice", 1.0, "A softmax.")


TWO = options_of(("x", "y"), 0)
CELL = ((0.0,),)


@pytest.mark.parametrize(
    "wrong",
    [
        {"number": None},
        {"text": " "},
        {"text": "x" * 601},
        {"why": "x" * 601},
        {"number": float("nan")},
        {"tolerance": float("inf")},
        {"given": (("x", "1"),) * 9},
        {"given": (("x", "1" * 4_001),)},
        {"options": TWO},
        {"number": None, "options": options_of(("one",), 0)},
        {"number": None, "options": options_of(("x",) * 9, 0)},
        {"number": None, "options": options_of(("x", "y"), 2)},
        {"number": None, "options": options_of(("x", "y" * 601), 0)},
        {"number": None, "options": (replace(TWO[0], picture=CELL), TWO[1])},
        {"number": None, "options": tuple(replace(one, picture=((0.0,) * 25,)) for one in TWO)},
    ],
)
def test_a_question_has_bounds(wrong: dict[str, Any]) -> None:
    usual = Question("?", "1", number=1.0)
    assert check_class_question(usual) == usual
    with pytest.raises(SettingsError):
        check_class_question(replace(usual, **wrong))


def test_the_table_holds_every_vote_and_no_formula(rooms: Rooms, clock: Clock) -> None:
    posed = Question('=HYPERLINK("x")', "", options_of(("@sum", "-1+2", "3", "-4"), 1))
    room, secret = asked(rooms, posed)
    for visitor, option in ((7, 0), (3, 1), (5, 3)):
        clock.now += 1
        rooms.vote(room, token(visitor), 1, float(option))
    rooms.ask(room, secret, NUMBER)
    rooms.set_state(room, secret, "open")
    rooms.vote(room, token(3), 2, -6.0)
    with pytest.raises(RightsError):
        export_votes(rooms, room, "no")
    first, *rows = csv.reader(io.StringIO(export_votes(rooms, room, secret)))
    assert first[:5] == ["question", "text", "student", "answer", "right"]
    assert [row[:1] + row[2:5] for row in rows] == [
        ["1", "1", "'@sum", "no"],
        ["1", "2", "'-1+2", "yes"],
        ["1", "3", "-4", "no"],
        ["2", "2", "-6", "no"],
    ]
    assert {row[1][0] for row in rows} == {"'", "2"}
    assert all(row[5].startswith("1970-01-12T") for row in rows)


def test_students_keep_their_numbers_when_they_vote_again(rooms: Rooms, clock: Clock) -> None:
    room, secret = asked(rooms)
    for visitor, answer in ((1, 1.0), (2, 2.0), (3, 3.0), (1, 10.0), (2, 20.0)):
        clock.now += 1
        rooms.vote(room, token(visitor), 1, answer)
    rooms.ask(room, secret, NUMBER)
    rooms.set_state(room, secret, "open")
    for visitor in (4, 3):
        clock.now += 1
        rooms.vote(room, token(visitor), 2, float(visitor))
    rows = csv.DictReader(io.StringIO(export_votes(rooms, room, secret)))
    found = {(row["question"], row["student"]): row["answer"] for row in rows}
    first = {("1", "1"): "10", ("1", "2"): "20", ("1", "3"): "3"}
    assert found == first | {("2", "4"): "4", ("2", "3"): "3"}


def test_misconceptions_are_counted_over_all_questions_that_have_them(
    rooms: Rooms, clock: Clock
) -> None:
    first = Question("?", "", options_of(("a", "b", "c"), 0, ("", "slice", "no-swap")))
    room, secret = asked(rooms, first)
    for visitor, answer in enumerate((1, 1, 0, 2)):
        rooms.vote(room, token(visitor), 1, float(answer))
    rooms.ask(room, secret, Question("?", "", options_of(("a", "b"), 1, ("slice", ""))))
    rooms.set_state(room, secret, "open")
    rooms.vote(room, token(1), 2, 0.0)
    rooms.ask(room, secret, NUMBER)
    met = misconceptions_met(rooms, room, secret)
    assert met == {"slice": (3, 5), "no-swap": (1, 4)}
    with pytest.raises(RightsError):
        misconceptions_met(rooms, room, "no")
