"""The report of a class: what was right before and after, without names."""

from __future__ import annotations

import csv
import io

import pytest

from attention_core.errors import SettingsError
from attention_lab.before_and_after import form_questions
from attention_lab.classroom.limits import RightsError
from attention_lab.classroom.report import (
    COLUMNS,
    report_csv,
    report_of_codes,
    report_of_votes,
)
from attention_lab.classroom.rooms import Rooms
from attention_lab.classroom.tally import misconceptions_met
from attention_lab.quiz import Question, options_of
from tests.lab.classroom.rooms_made import NUMBER, asked, token

BELIEVED = Question("Which?", "b.", options_of(("a", "b", "c"), 1, ("slice", "", "word-alone")))


def voted(rooms: Rooms, posed: Question, given: list[float]) -> tuple[str, str]:
    """A room whose class has given these answers to its first question."""
    room, secret = asked(rooms, posed)
    again(rooms, room, secret, given)
    return room, secret


def again(rooms: Rooms, room: str, secret: str, given: list[float]) -> None:
    """Votes on the question of a room."""
    for visitor, answer in enumerate(given):
        rooms.vote(room, token(visitor), rooms.state(room).number, answer)


def test_the_first_and_the_last_vote_are_before_and_after(rooms: Rooms) -> None:
    room, secret = voted(rooms, BELIEVED, [0, 0, 2, 1])
    for posed, given in ((NUMBER, [6.0, 5.0]), (BELIEVED, []), (BELIEVED, [1, 1, 0])):
        rooms.ask(room, secret, posed)
        rooms.set_state(room, secret, "open")
        again(rooms, room, secret, given)
    first, second = report_of_votes(rooms, room, secret)
    assert (first.text, first.answer, second.text, second.after) == ("Which?", "b", "2 × 3?", None)
    assert (first.before.n_answers, first.before.n_right) == (4, 1)
    assert dict(first.before.fell) == {"slice": 2, "word-alone": 1}
    assert first.after is not None
    assert (first.after.n_answers, first.after.n_right, dict(first.after.fell)) == (
        *(3, 2),
        {"slice": 1},
    )
    assert (second.before.n_answers, second.before.n_right) == (2, 1)
    assert misconceptions_met(rooms, room, secret) == {"slice": (3, 7), "word-alone": (1, 7)}
    with pytest.raises(RightsError):
        report_of_votes(rooms, room, "guessed")


def test_the_report_is_a_table_without_formulas_and_without_people(rooms: Rooms) -> None:
    hostile = Question("=1+1", "x", options_of(("@a", "b"), 0))
    room, secret = voted(rooms, hostile, [0, 1])
    text = report_csv(report_of_votes(rooms, room, secret))
    head, line = csv.reader(io.StringIO(text))
    assert tuple(head) == COLUMNS
    assert line == ["'=1+1", "'@a", "2", "1", "", "", "", ""]
    assert token(0) not in text


def test_codes_of_the_test_are_reported_by_question() -> None:
    """Whoever left a question open has given no answer."""
    right = {form: [one.right + 1 for one in form_questions(form)] for form in "AB"}
    code = {form: f"{form}-{''.join(map(str, digits))}" for form, digits in right.items()}
    open_first = "A-0" + code["A"][3:]
    lines = report_of_codes(f"{code['A']} {open_first}", code["B"].lower())
    assert [line.text for line in lines] == [one.text for one in form_questions("A")]
    assert [line.before.n_answers for line in lines] == [1, *[2] * 9]
    assert [line.before.n_right for line in lines] == [1, *[2] * 9]
    assert [line.after and line.after.n_right for line in lines] == [1] * 10
    wrong = "A-" + "".join(str(1 + digit % 2) for digit in right["A"])
    assert sum(line.before.n_right for line in report_of_codes(wrong, "")) == 0
    assert report_of_codes("", "") == []
    for refused in (f"{code['A']}\n{code['B']}", "A-12", "C-1111111111"):
        with pytest.raises(SettingsError):
            report_of_codes(refused, "")
