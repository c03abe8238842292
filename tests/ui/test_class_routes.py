"""What the server answers a class, without a script: news, votes, moves, refusals."""

from __future__ import annotations

import asyncio
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette

from attention_lab.classroom.letters import ROOM_LETTERS
from attention_lab.classroom.limits import Limits
from attention_lab.classroom.rooms import NewRoom, Rooms
from attention_lab.classroom.store import PLACE_VARIABLE
from attention_lab.quiz import Question, options_of
from attention_ui.classroom import routes
from attention_ui.classroom import waiting as waiting_module
from attention_ui.classroom.room_service import RoomService, room_service
from attention_ui.classroom.waiting import RoomNews, Waiting
from tests.lab.classroom.rooms_made import CHOICE, NUMBER, token
from tests.ui.asking import Answered, asked

Slow = tuple[RoomService, list[float]]
Body = bytes | dict[str, object]
STATE, VOTE, MOVE = "/class-room/state", "/class-room/vote", "/class-room/move"


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Starlette:
    """The routes alone, with a file of rooms of their own."""
    monkeypatch.setenv(PLACE_VARIABLE, str(tmp_path / "classes.sqlite3"))
    monkeypatch.setattr(routes, "MAX_WAIT", 0.3)
    return Starlette(routes=list(routes.class_routes()))


@pytest.fixture
def slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Slow:
    """A service of the routes whose time stands still until it is moved."""
    now = [0.0]
    service = RoomService(
        tmp_path / "slow.sqlite3", lambda: now[0], Limits(misses=20, miss_pace=1.0)
    )
    monkeypatch.setattr(routes, "room_service", lambda: service)
    return service, now


def opened(posed: object = NUMBER) -> NewRoom:
    """A room with an open vote."""
    service = routes.room_service()
    made: NewRoom = service.change(Rooms.open, "")
    service.change(lambda rooms: rooms.ask(made.room, made.secret, posed), made.room)
    service.change(lambda rooms: rooms.set_state(made.room, made.secret, "open"), made.room)
    return made


def ballot(room: str, visitor: int, answer: str = "6", number: int = 1) -> dict[str, object]:
    """What a page sends for an answer."""
    return {"room": room, "token": token(visitor), "number": number, "answer": answer}


def answered(*given: Any, **about: Any) -> Answered:
    """The answer to one request."""
    return asyncio.run(asked(*given, **about))


def test_a_student_is_not_told_the_answer_before_it_is_revealed(server: Starlette) -> None:
    made = opened(CHOICE)
    answered(server, VOTE, ballot(made.room, 1, "1"))
    told = []
    for state in ("open", "closed", "revealed"):
        act = partial(Rooms.set_state, room=made.room, secret=made.secret, state=state)
        room_service().change(act, made.room)
        told.append(answered(server, f"{STATE}?room={made.room}").said)
    still, closed, revealed = told
    secrets = {"answer", "arithmetic", "bars", "right", "tolerance"}
    assert not secrets & (set(still) | set(closed))
    assert ("count" in still, closed["count"]) == (False, 1)
    assert secrets <= set(revealed)
    assert (revealed["bars"][revealed["right"]], revealed["answer"]) == (["a row", 1], 1.0)


def test_the_teacher_sees_how_many_are_in_the_room(server: Starlette) -> None:
    made: NewRoom = room_service().change(Rooms.open, "")
    path = f"{STATE}?room={made.room}"
    for one in (1, 2, 1):
        answered(server, path, visitor=token(one))
    told = answered(server, path, secret=made.secret, visitor=token(2)).said
    time.sleep(0.2)
    later, student = answered(server, path, secret=made.secret).said, answered(server, path).said
    assert (told["people"], later["people"], "people" in student) == (1, 1, False)


def test_the_teacher_hears_of_every_vote(server: Starlette) -> None:
    made = opened()
    path = f"{STATE}?room={made.room}"
    first = answered(server, path, secret=made.secret)

    async def visit() -> Answered:
        news = asked(server, f"{path}&seen={first.said['tag']}", secret=made.secret)
        waiting = asyncio.create_task(news)
        await asked(server, VOTE, ballot(made.room, 1))
        return await waiting

    later, wrong = asyncio.run(visit()), answered(server, path, secret="guessed")
    assert (first.said["count"], later.said["count"]) == (0, 1)
    assert "bars" not in later.said
    assert (wrong.status, set(wrong.said)) == (403, {"error"})


def test_who_waits_is_told_when_there_is_news(server: Starlette) -> None:
    made = opened()

    async def visit() -> list[Answered]:
        seen = (await asked(server, f"{STATE}?room={made.room}")).said["tag"]
        path = f"{STATE}?room={made.room}&seen={seen}"
        waiting = [asyncio.create_task(asked(server, path)) for _ in range(2)]
        await asked(server, VOTE, ballot(made.room, 1))
        nothing = await waiting[0]
        waiting.append(asyncio.create_task(asked(server, path)))
        moved = {"room": made.room, "moment": "/scores?head=1"}
        refused = await asked(server, MOVE, moved, secret="guessed")
        kept = await asked(server, MOVE, moved, secret=made.secret)
        return [nothing, await waiting[2], refused, kept]

    nothing, news, refused, kept = asyncio.run(visit())
    assert (nothing.status, nothing.body) == (204, b"")
    assert (news.said["moment"], news.said["moments"]) == ("/scores?head=1", 1)
    assert (refused.status, kept.status) == (403, 200)


def test_an_answered_vote_is_kept(server: Starlette) -> None:
    made = opened()
    votes = [ballot(made.room, *vote) for vote in ((1, "12"), (2, "18/3"), (1, "6,0"))]
    assert [answered(server, VOTE, vote).said["value"] for vote in votes] == [12.0, 6.0, 6.0]
    again = Rooms(room_service().rooms.place)
    assert [row[0] for row in again.store.read("SELECT answer FROM votes")] == [6.0, 6.0]


# What no page sends, by the status of its answer; an object changes some entries of a vote.
NO_VOTES: dict[int, tuple[Body, ...]] = {
    400: (
        *(b"not json", b"[" * 5_000, b"[]", b"x" * 20_000),
        *({"answer": "\ud800"}, {"token": "\ud800"}, {"token": 7}, {"number": "1"}),
        *({"answer": 6}, {"answer": "6" * 41}, {"answer": "many"}, {"answer": "<script>"}),
    ),
    404: ({}, ballot("ZZZZ", 1), {"room": "\ud800"}),
    409: ({"number": 2}, {"number": 10**30}),
}


@pytest.mark.parametrize(
    ("body", "status"), [(body, status) for status, all_of in NO_VOTES.items() for body in all_of]
)
def test_what_no_page_sends_is_refused(server: Starlette, body: Body, status: int) -> None:
    made = opened()
    if isinstance(body, dict) and body and "room" not in body:
        body = ballot(made.room, 1) | body
    answer = answered(server, VOTE, body)
    assert (answer.status, set(answer.said)) == (status, {"error"})
    assert room_service().rooms.state(made.room).n_writes == 0


def test_a_file_that_cannot_be_used_is_told(
    server: Starlette, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, logged: list[str]
) -> None:
    (tmp_path / "no folder").write_bytes(b"")
    monkeypatch.setenv(PLACE_VARIABLE, str(tmp_path / "no folder" / "classes.sqlite3"))
    for path, body in ((f"{STATE}?room=KXRT", None), (VOTE, ballot("KXRT", 1))):
        answer = answered(server, path, body)
        assert (answer.status, answer.headers["retry-after"]) == (503, "1")
        assert PLACE_VARIABLE in answer.said["error"]
        assert "no folder" not in answer.said["error"]
    assert "no folder" in logged.pop()


@pytest.mark.parametrize("visitor", ["short", "x" * 65, "<script>alert(1)</script>"])
def test_a_forged_visitor_is_in_no_room(server: Starlette, visitor: str) -> None:
    made = opened()
    path = f"{STATE}?room={made.room}"
    refused = answered(server, path, visitor=visitor)
    assert (refused.status, set(refused.said)) == (400, {"error"})
    assert room_service().presence.count(made.room) == 0


def test_an_endless_body_is_refused(server: Starlette, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routes, "MAX_BODY_SECONDS", 0.05)
    vote = ballot(opened().room, 1)
    answer = answered(server, VOTE, vote, arrives=False)
    assert (answer.status, set(answer.said)) == (400, {"error"})


def test_another_site_cannot_vote(server: Starlette) -> None:
    made = opened()
    vote = ballot(made.room, 1)
    kinds = ("text/plain", "application/x-www-form-urlencoded", "")
    found = [answered(server, VOTE, vote, kind=kind).status for kind in kinds]
    assert found == [400, 400, 400]


def test_a_flood_of_one_visitor_hinders_nobody(server: Starlette, slow: Slow) -> None:
    made = opened()

    async def visit() -> tuple[list[Answered], list[Answered]]:
        flood = [asked(server, VOTE, ballot(made.room, 0), source="6.6.6.6") for _ in range(1_000)]
        others = [asked(server, VOTE, ballot(made.room, visitor)) for visitor in range(1, 31)]
        both = await asyncio.gather(*flood, *others)
        return both[:1_000], both[1_000:]

    flood, others = asyncio.run(visit())
    assert [one.status for one in others] == [200] * 30
    refused = [one for one in flood if one.status == 429]
    assert len(refused) == 1_000 - slow[0].rooms.limits.burst
    assert {one.headers["retry-after"] for one in refused} == {"1"}


def test_the_letters_of_a_room_cannot_be_tried(server: Starlette, slow: Slow) -> None:
    service, now = slow
    made = service.rooms.open()
    found = f"{STATE}?room={made.room}"
    tried = [f"{STATE}?room=ZZZZ{letter}" for letter in ROOM_LETTERS]
    ways = [*tried, (VOTE, ballot("ZZZZB", 1)), (MOVE, {"room": "ZZZZB", "moment": "/"})]

    async def ask(way: str | tuple[str, object], source: str = "6.6.6.6", **who: str) -> int:
        path, body = (way, None) if isinstance(way, str) else way
        return (await asked(server, path, body, source=source, **who)).status

    async def visit() -> None:
        assert await ask(found, visitor=token(1)) == 200
        assert [await ask(way) for way in ways] == [404] * 20
        assert [await ask(way) for way in (*ways, found)] == [429] * 21
        inside = {"visitor": token(1)}, {"secret": made.secret}
        assert [await ask(found, **who) for who in inside] == [200, 200]
        assert [await ask(way, "192.0.2.7") for way in (found, tried[0])] == [200, 404]
        now[0] += 1.0
        assert [await ask(way) for way in tried[:3]] == [404, 429, 429]

    asyncio.run(visit())


def test_one_visit_that_tries_letters_hinders_nobody_else(
    tmp_path: Path, server: Starlette, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = RoomService(tmp_path / "school.sqlite3", lambda: 0.0)
    monkeypatch.setattr(routes, "room_service", lambda: service)
    found = f"{STATE}?room={service.rooms.open().room}"

    def ask(path: str, visitor: int) -> int:
        return answered(server, path, visitor=token(visitor), source="6.6.6.6").status

    allowed = service.rooms.limits.visit_misses
    tried = [ask(f"{STATE}?room=ZZZZZ", 0) for _ in range(40)]
    assert tried == [404] * allowed + [429] * (40 - allowed)
    assert (ask(found, 0), ask(found, 1), ask(f"{STATE}?room=ZZZZZ", 2)) == (429, 200, 404)


def test_a_flood_from_the_address_of_a_class_keeps_nobody_of_it_out(
    server: Starlette, slow: Slow
) -> None:
    """Votes of ever new visitors for an invented room, and for the room itself, which they have not
    joined. Half of the class has asked for news; the others have joined by a page just now.
    """
    made, other = opened(), slow[0].rooms.open().room
    mine, wrong = (slow[0].rooms.ticket(room) for room in (made.room, other))

    async def ask(*given: object, **about: str) -> int:
        return (await asked(server, *given, source="6.6.6.6", **about)).status

    async def visit() -> list[int]:
        news = f"{STATE}?room={made.room}"
        for visitor in range(15):
            assert await ask(news, visitor=token(visitor)) == 200
        rooms = (*[made.room] * 150, *["ZZZZZ"] * 1_000)
        flood = [ask(VOTE, ballot(room, 1_000 + place)) for place, room in enumerate(rooms)]
        seen = [ask(VOTE, ballot(made.room, visitor)) for visitor in range(15)]
        joined = [ask(VOTE, ballot(made.room, one), ticket=mine) for one in range(15, 30)]
        strangers = [ask(VOTE, ballot(made.room, 30), ticket=wrong), ask(news)]
        return await asyncio.gather(*flood, *seen, *joined, *strangers, ask(news, ticket=mine))

    found, limits = asyncio.run(visit()), slow[0].rooms.limits
    assert found[1_150:] == [*[200] * 30, 429, 429, 200]
    assert sorted(found[:150]) == [200] * limits.source_burst + [429] * (150 - limits.source_burst)
    assert sorted(found[150:1_150]) == [404] * limits.misses + [429] * (1_000 - limits.misses)


def test_one_look_wakes_all_who_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    tags, looks = ["old"], [0]

    async def sleep(seconds: float) -> None:
        looks[0] += 1
        if looks[0] == 5:
            tags[0] = "new"
        await yield_to_others(0)

    yield_to_others = asyncio.sleep
    monkeypatch.setattr(waiting_module.asyncio, "sleep", sleep)
    waiting = Waiting(lambda room, to_teacher: RoomNews(tags[0], b""))

    async def visit() -> list[RoomNews | None]:
        asking = [waiting.news("KXRTB", False, "old", str(one), 60.0) for one in range(100)]
        return await asyncio.gather(*asking)

    assert {news and news.tag for news in asyncio.run(visit())} == {"new"}
    assert looks == [5]


def test_few_of_one_network_wait(server: Starlette, slow: Slow) -> None:
    """But who is in the room, and its teacher, waits beside them."""
    service, _ = slow
    service.waiting = Waiting(service.news, Limits(waiting=9, source_waiting=5))
    made = service.rooms.open()

    async def visit() -> list[list[int]]:
        path = f"{STATE}?room={made.room}"
        tag = (await asked(server, path)).said["tag"]
        at_teacher = (await asked(server, path, secret=made.secret)).said["tag"]
        each = ("6.6.6.6", "6.6.6.7", "192.0.2.7")
        strangers = [
            asked(server, f"{path}&seen={tag}", source=one) for one in each for _ in range(20)
        ]
        members = [
            asked(server, f"{path}&seen={tag}", source="192.0.2.7", visitor=token(one))
            for one in range(30)
        ]
        teacher = asked(server, f"{path}&seen={at_teacher}", source="192.0.2.7", secret=made.secret)
        found = await asyncio.gather(*strangers, *members, teacher)
        later = await asked(server, f"{path}&seen={tag}")
        statuses = [one.status for one in (*found, later)]
        return [statuses[:20], statuses[20:40], statuses[40:60], statuses[60:91], statuses[91:]]

    first, second, third, inside, later = asyncio.run(visit())
    assert [sorted(found).count(204) for found in (first, second, third, later)] == [5, 4, 0, 1]
    assert set(first + second + third) == {204, 429}
    assert set(inside[:30]) == {204}
    assert inside[30] in (200, 204), "the number of people may have changed"


def test_an_address_has_its_seats(server: Starlette, slow: Slow) -> None:
    slow[0].rooms.limits = Limits(per_source=2)
    room = opened().room
    sources = ("6.6.6.6", "6.6.6.6", "6.6.6.6", "192.0.2.7")
    votes = [(ballot(room, visitor), source) for visitor, source in enumerate(sources)]
    found = [answered(server, VOTE, vote, source=source) for vote, source in votes]
    assert [one.status for one in found] == [200, 200, 429, 200]


def test_texts_come_as_texts(server: Starlette) -> None:
    hostile = "</script><img src=x onerror=alert(1)>"
    made = opened(Question(hostile, hostile, options_of((hostile, "b"), 0)))
    answer = answered(server, f"{STATE}?room={made.room}")
    assert answer.headers["content-type"] == "application/json"
    assert answer.said["question"]["text"] == hostile


def test_processes_count_their_people_together(tmp_path: Path) -> None:
    one, other = (RoomService(tmp_path / "classes.sqlite3") for _ in range(2))
    room, elsewhere = one.rooms.open().room, other.rooms.open().room
    one.presence.see(room, "a")
    for visitor in ("b", "c"):
        other.presence.see(room, visitor)
    for _ in range(3):
        other.tell_people(room)  # once is enough
    while one.people(room) == 1:
        time.sleep(0.01)
    assert (one.people(room), other.people(room), one.people(elsewhere)) == (3, 2, 0)


def test_people_of_a_process_that_is_gone_are_not_counted(tmp_path: Path) -> None:
    now = [1e9]
    rooms = Rooms(tmp_path / "classes.sqlite3", lambda: now[0])
    room = rooms.open().room
    rooms.tell_people(room, "gone", 5, 12.0)
    assert rooms.people_elsewhere(room, "here", 12.0) == 5
    now[0] += 20
    assert rooms.people_elsewhere(room, "here", 12.0) == 0
    rooms.tell_people(room, "here", 1, 12.0)
    assert rooms.store.read("SELECT process FROM people") == [("here",)]
