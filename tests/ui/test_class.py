"""The page of a class: open a room, join it, ask, close, reveal, delete."""

from __future__ import annotations

import base64
import json
import re
from contextlib import suppress
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from attention_core import SettingsError
from attention_lab.classroom.class_question import pictures_of, question_from_json
from attention_lab.classroom.limits import Limits, RightsError, RoomError, TooManyError
from attention_lab.classroom.store import PLACE_VARIABLE
from attention_lab.guesses import ITEMS, guess_of
from attention_lab.lessons.lesson_file import shipped_lessons
from attention_lab.practice import practice_question
from attention_ui.classroom import joining
from attention_ui.classroom import teaching as links
from attention_ui.classroom.asking import class_guess_question, lesson_questions
from attention_ui.classroom.room_service import RoomService, room_service
from attention_ui.classroom.teaching import OWN_KEYS
from attention_viz.markdown import escape_quotations
from tests.ui.app import (
    ERRORS_SHOWN,
    error,
    gone_to,
    html,
    opened,
    page_context,
    pressed,
    sent_to,
    texts,
)


@pytest.fixture(autouse=True)
def _file_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PLACE_VARIABLE, str(tmp_path / "classes.sqlite3"))


def led() -> tuple[AppTest, str]:
    """The page of a teacher who has opened a room, and its letters."""
    app = pressed(opened("class"), "Open a room")
    return app, app.session_state["room"]


def role(app: AppTest) -> str:
    """Whom the browser is told to be."""
    (sent,) = sent_to(app, "classroom")
    return str(json.loads(sent.json)["role"])


def student_link(app: AppTest) -> str:
    """The link that the teacher shows."""
    (link,) = re.findall("<span>(.*?)</span>", " ".join(html(app)))
    return link


def test_without_a_room_no_file_is_made(tmp_path: Path) -> None:
    assert opened("class").session_state["room"] == ""
    assert not list(tmp_path.iterdir())


def test_a_teacher_opens_a_room_and_a_student_joins(tmp_path: Path) -> None:
    teacher, room = led()
    assert role(teacher) == "teacher"
    assert parse_qs(urlsplit(student_link(teacher)).query) == {"room": [room]}
    assert (tmp_path / "classes.sqlite3").exists()
    by_link = opened("class", room=room)
    by_letters = opened("class")
    by_letters.text_input(key="class_letters").set_value(f" {room.lower()} ")
    by_letters = pressed(by_letters, "Join")
    for student in (by_link, by_letters):
        assert (student.session_state["room"], role(student)) == (room, "student")
        assert not student.code
    assert pressed(by_letters, "Leave the room").session_state["room"] == ""


def test_the_question_is_the_one_of_practice() -> None:
    app, room = led()
    app.selectbox(key="class_step").set_value("scores")
    app.number_input(key="class_number").set_value(3)
    app = pressed(app.run(), "Ask: open the vote")
    asked = practice_question(page_context(app).trace, 3, "scores")
    state = room_service().rooms.state(room)
    assert f"Next: {escape_quotations(state.question.text)}" in texts(app)
    assert (state.state, state.question.value) == ("open", asked.value)
    assert state.moment == f"/class?room={room}"
    assert [state.question.judge(v).right for v in (asked.value, asked.value + 1)] == [True, False]


def test_the_teachers_link_makes_a_teacher_and_leaves_no_trace() -> None:
    app, room = led()
    given = parse_qs(urlsplit(app.code[0].value).query)
    again = opened("class", room=room, teacher=given["teacher"][0])
    assert role(again) == "teacher"
    assert "teacher" not in again.query_params
    assert student_link(again).count("teacher") == 0
    assert isinstance(error(opened("class", room=room, teacher="guessed")), RightsError)


def test_a_deleted_room_is_gone() -> None:
    app, room = led()
    app = pressed(app, "Delete it now")
    assert app.session_state["room"] == ""
    assert isinstance(error(opened("class", room=room)), RoomError)


def test_one_visitor_can_neither_try_letters_nor_open_all_rooms(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = Limits(visit_misses=9, misses=2, rooms_per_network=2, rooms_per_visit=9)
    service = RoomService(tmp_path / "bounded.sqlite3", lambda: 0.0, limits)
    monkeypatch.setattr(joining, "room_service", lambda: service)
    monkeypatch.setattr(joining, "_network", lambda: "6.6.6.6")
    tried = [error(opened("class", room=f"ZZZZ{letter}")) for letter in "BCD"]
    assert list(map(type, tried)) == [RoomError, RoomError, TooManyError]
    for _ in range(2):
        service.rooms.open("6.6.6.6")
    assert isinstance(error(pressed(opened("class"), "Open a room")), TooManyError)


def test_one_visit_opens_few_rooms_and_tries_few_letters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another visit from the same network is not hindered."""
    service = RoomService(
        tmp_path / "bounded.sqlite3", lambda: 0.0, Limits(rooms_per_visit=2, visit_misses=2)
    )
    monkeypatch.setattr(joining, "room_service", lambda: service)
    app, other = opened("class"), opened("class")
    for _ in range(2):
        app = pressed(app, "Open a room")
        app.session_state["room"] = ""
        app = app.run()
    assert isinstance(error(pressed(app, "Open a room")), TooManyError)
    shown = []
    for letter in "BCD":
        app.session_state["room"] = f"ZZZZ{letter}"
        shown.append(type(error(app.run())))
    assert shown == [RoomError, RoomError, TooManyError]
    room = pressed(other, "Open a room").session_state["room"]
    assert service.rooms.state(room).room == room


def test_the_room_stays_while_other_pages_are_shown() -> None:
    app, room = led()
    back = gone_to(gone_to(app, "scores"), "class")
    assert (back.session_state["room"], role(back)) == (room, "teacher")


def test_a_step_that_is_too_long_for_a_hand_is_not_asked() -> None:
    app = pressed(opened("class", d_model=64, n_heads=2), "Open a room")
    app.selectbox(key="class_step").set_value("scores").run()
    assert isinstance(error(app), SettingsError)
    assert "Next: " not in texts(app)
    assert app.button(key="class_ask").disabled
    app.selectbox(key="class_step").set_value("probabilities").run()
    assert not app.button(key="class_ask").disabled


def test_the_url_of_the_server_can_be_edited() -> None:
    app, room = led()
    app.text_input(key="class_base").set_value("lab.example:8080/maths/").run()
    assert student_link(app) == f"http://lab.example:8080/maths/class?room={room}"
    code = links.qr_code_url(student_link(app))
    assert code in " ".join(html(app))
    assert code != links.qr_code_url(f"{student_link(app)}B")
    picture = base64.b64decode(code.partition("base64,")[2]).decode()
    assert (picture.count("<path"), "<script" in picture) == (2, False)
    for wrong in (
        *("javascript:alert(1)", "http://", "http://[::1", "ftp://x"),
        *("http://é", '"><b>', "http://h:0"),
    ):
        app.text_input(key="class_base").set_value(wrong).run()
        first, *_ = app.error
        assert isinstance(ERRORS_SHOWN[first.value], SettingsError), wrong


def test_a_guess_is_asked_with_its_options() -> None:
    trace = page_context(opened("class")).trace
    posed = {}
    for item in ITEMS:
        with suppress(SettingsError):  # where this layer has no cell for it
            posed[item] = class_guess_question(trace, item, 1)
    assert len(posed) > len(ITEMS) / 2
    for item, question in posed.items():
        guess = guess_of(trace, item)
        assert question.text.endswith(guess.text)
        rights = [question.judge(place).right for place in range(len(question.options))]
        assert rights == [option.right for option in guess.options]
        assert len(pictures_of(question)) in (0, len(question.options))
    app, room = led()
    app.selectbox(key="class_kind").set_value("Guess first").run()
    item = list(posed)[-1]
    app.selectbox(key="class_item").set_value(item).run()
    pressed(app, "Ask: open the vote")
    assert room_service().rooms.state(room).question == posed[item]


def test_a_question_of_a_lesson_is_asked() -> None:
    offered = lesson_questions()
    all_posed = [(title, one) for title, asked in offered.items() for one in asked.values()]
    lessons = shipped_lessons().values()
    moments = [(lesson.title, one.question) for lesson in lessons for one in lesson.moments]
    expected = {(title, q.text): q.answer for title, q in moments if q and q.options}
    assert len(expected) > 10
    assert expected == {(title, q.text): q.answer for title, q in all_posed}
    first = [posed.right == 0 for _, posed in all_posed]
    assert 0 < sum(first) < len(first) * 3 / 4  # the place of an option tells nothing
    app, room = led()
    app.selectbox(key="class_kind").set_value("Lesson").run()
    title = list(offered)[1]
    app.selectbox(key="class_lesson").set_value(title).run()
    app.selectbox(key=f"class_moment {title}").set_value(list(offered[title])[-1]).run()
    pressed(app, "Ask: open the vote")
    assert room_service().rooms.state(room).question == list(offered[title].values())[-1]


@pytest.mark.parametrize(
    ("right", "others", "kind", "judged"),
    [
        ("frog", ("pond", "", "saw"), "choice", {"frog": True, "pond": False, "saw": False}),
        ("3.14", ("", "", ""), "number", {3.144: True, 3.146: False, -3.14: False}),
        ("8", ("", "", ""), "number", {8.0: True, 8.4: False}),
    ],
)
def test_a_teacher_asks_an_own_question(
    right: str, others: tuple[str, ...], kind: str, judged: dict[str | float, bool]
) -> None:
    app, room = led()
    app.selectbox(key="class_kind").set_value("Your own").run()
    for key, text in zip(OWN_KEYS, ("What?", right, *others), strict=True):
        app.text_input(key=key).set_value(text)
    pressed(app, "Ask your question")
    state = room_service().rooms.state(room)
    asked = state.question
    assert (asked.kind, asked.text, state.state) == (kind, "What?", "open")
    places = {one.label: place for place, one in enumerate(asked.options)}
    found = {given: asked.judge(places.get(given, given)).right for given in judged}
    assert found == judged


@pytest.mark.parametrize("right", ["", "frog", "1e400"])
def test_an_own_question_without_an_answer_is_not_asked(right: str) -> None:
    app, room = led()
    app.selectbox(key="class_kind").set_value("Your own").run()
    app.text_input(key=OWN_KEYS[0]).set_value("What?")
    app.text_input(key=OWN_KEYS[1]).set_value(right)
    assert isinstance(error(pressed(app, "Ask your question")), SettingsError)
    assert room_service().rooms.state(room).question is None


def test_a_step_offers_the_teacher_a_question_on_the_layer_that_is_shown() -> None:
    """A student, and the teacher of no room, get none."""
    app, _ = led()
    step = gone_to(app, "scores")
    (offered,) = offers(step)
    trace = page_context(step).trace
    expected = class_guess_question(trace, "scores-number", 1)
    assert question_from_json(offered) == expected
    assert offers(opened("scores")) == []
    other = page_context(opened("scores", seed=3)).trace
    assert class_guess_question(other, "scores-number", 1) != expected


def offers(app: AppTest) -> list[str]:
    """The questions that the page offers to ask a class, as JSON."""
    return [unescape(one) for one in re.findall('data-ask="(.*?)"', " ".join(html(app)))]


def test_at_the_end_students_get_the_lesson_of_the_visit() -> None:
    app, room = led()
    pressed(app, "End the class")
    state = room_service().rooms.state(room)
    assert (state.state, state.moment) == ("ended", "/")
    pressed(gone_to(app, "class"), "Ask: open the vote")
    first = shipped_lessons()["masks"].moments[0]
    lesson = opened(first.page, lesson="masks", moment=1, **first.choices)
    lesson.session_state["room"] = room
    lesson.session_state["class_secret"] = app.session_state["class_secret"]
    pressed(gone_to(lesson, "class"), "End the class")
    assert room_service().rooms.state(room).moment == "/?lesson=masks"
