"""What a teacher does from the bar of a lesson, over the routes of a class."""

from __future__ import annotations

import json

from starlette.applications import Starlette

from attention_lab.classroom.class_question import question_id, question_to_json
from attention_lab.classroom.report import report_of_votes
from attention_lab.classroom.rooms import NewRoom, Rooms
from attention_ui.classroom.room_service import room_service
from tests.lab.classroom.rooms_made import CHOICE
from tests.ui.test_class_routes import STATE, VOTE, answered, ballot

LEAD = "/class-room/lead"


def test_a_teacher_leads_a_vote_from_the_bar(server: Starlette) -> None:
    made: NewRoom = room_service().change(Rooms.open, "")
    posed = json.loads(question_to_json(CHOICE))
    posed["answer"], posed["tolerance"] = 1, 0  # as a browser writes it
    path = f"{STATE}?room={made.room}"

    def led(act: str, secret: str = made.secret, **about: object) -> int:
        return answered(
            server, LEAD, {"room": made.room, "act": act, **about}, secret=secret
        ).status

    assert led("ask", "guessed", question=posed) == 403
    assert [led("ask", question=one) for one in (None, {"kind": "choice"}, "?")] == [400] * 3
    assert led("again") == 400  # before the first
    assert room_service().rooms.state(made.room).question is None
    assert led("ask", question=posed) == 200
    state = room_service().rooms.state(made.room)
    assert (state.state, state.question, state.moment) == (
        *("open", CHOICE),
        f"/class?room={made.room}",
    )
    answered(server, VOTE, ballot(made.room, 1, "1"))
    told = answered(server, path, secret=made.secret).said
    assert (told["of"], "of" in answered(server, path).said) == (question_id(CHOICE), False)
    for act in ("closed", "open", "revealed"):
        assert led(act) == 200
        assert answered(server, path).said["state"] == act
    assert led("again") == 200
    again = room_service().rooms.state(made.room)
    assert (again.state, again.number, again.question) == ("open", 2, CHOICE)
    answered(server, VOTE, ballot(made.room, 1, "0", 2))
    (line,) = report_of_votes(room_service().rooms, made.room, made.secret)
    assert (line.before.n_right, line.after.n_right) == (1, 0)
    assert [led("ended"), led("none"), led("end", there="//evil.example")] == [400] * 3
    assert (led("end", "guessed"), led("end", there="/?lesson=masks")) == (403, 200)
    told = answered(server, path).said
    assert (told["state"], told["moment"]) == ("ended", "/?lesson=masks")
    assert not {"answer", "bars", "arithmetic", "of"} & set(told)
    assert answered(server, VOTE, ballot(made.room, 2, "1", 2)).status == 409
