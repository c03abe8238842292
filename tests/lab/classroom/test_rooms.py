"""Rooms of a class: what teachers and students may do in them, and when they end."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from attention_core.errors import SettingsError
from attention_lab.classroom.letters import ROOM_LETTERS, new_room, parse_room
from attention_lab.classroom.limits import (
    ClosedError,
    Limits,
    RateLimiter,
    RightsError,
    RoomError,
    TooManyError,
    network_of,
)
from attention_lab.classroom.place import Place
from attention_lab.classroom.rooms import Rooms
from attention_lab.classroom.tally import count_answers, read_answers
from attention_lab.classroom.votes import Vote
from tests.lab.classroom.rooms_made import CHOICE, NUMBER, Clock, asked, token


def test_a_vote_can_be_changed_until_it_is_closed(rooms: Rooms) -> None:
    room, secret = asked(rooms)
    rooms.vote(room, token(1), 1, 5.0)
    rooms.vote(room, token(2), 1, 7.0)
    rooms.vote(room, token(1), 1, 6.0)
    rooms.set_state(room, secret, "closed")
    with pytest.raises(ClosedError):
        rooms.vote(room, token(1), 1, 5.0)
    assert sorted(read_answers(rooms, room, 1)) == [6.0, 7.0]


def test_a_vote_counts_for_the_question_that_is_open(rooms: Rooms) -> None:
    room, secret = asked(rooms)
    assert rooms.ask(room, secret, CHOICE) == 2
    for number in (1, 2, 3):
        with pytest.raises(ClosedError):
            rooms.vote(room, token(1), number, 1.0)
    rooms.set_state(room, secret, "open")
    rooms.vote(room, token(1), 2, 1.0)
    assert (count_answers(rooms, room, 1), count_answers(rooms, room, 2)) == (0, 1)


@pytest.mark.parametrize("answer", [float("nan"), float("inf"), -1.0, 0.5, 3.0])
def test_an_answer_is_an_option(rooms: Rooms, answer: float) -> None:
    room, _ = asked(rooms, CHOICE)
    with pytest.raises(SettingsError):
        rooms.vote(room, token(1), 1, answer)
    assert count_answers(rooms, room, 1) == 0


def test_only_the_secret_makes_a_teacher(rooms: Rooms) -> None:
    room, _ = asked(rooms)
    other = rooms.open()
    before = rooms.state(room)
    for secret in ("", other.secret, "\ud800"):
        for act in (
            lambda secret=secret: rooms.ask(room, secret, NUMBER),
            lambda secret=secret: rooms.set_state(room, secret, "closed"),
            lambda secret=secret: rooms.move(room, secret, "/scores"),
            lambda secret=secret: rooms.delete(room, secret),
        ):
            with pytest.raises(RightsError):
                act()
    assert rooms.state(room) == before


def test_a_room_is_deleted_for_good(rooms: Rooms) -> None:
    room, secret = asked(rooms)
    kept, _ = asked(rooms, CHOICE)
    rooms.vote(room, token(1), 1, 5.0)
    rooms.delete(room, secret)
    with pytest.raises(RoomError):
        rooms.state(room)
    assert rooms.state(kept).question == CHOICE
    if isinstance(rooms.place, Path):
        files = [file.read_bytes() for file in rooms.place.parent.iterdir()]
        assert not any(room.encode() in file or b"2 \\u00d7 3?" in file for file in files)
    tables = ("questions", "votes", "people", "uses", "attended", "voters", "students")
    assert {table: rooms.store.read(f"SELECT room FROM {table}") for table in tables} == {
        table: [(kept,)] if table in ("questions", "uses", "attended") else [] for table in tables
    }


def test_a_room_goes_by_itself_after_a_day(rooms: Rooms, clock: Clock) -> None:
    room, secret = asked(rooms)
    for _ in range(3):
        clock.now += 24 * 3600 - 1
        rooms.vote(room, token(1), 1, 6.0)
    rooms.delete_old()
    clock.now += 24 * 3600
    for act in (
        lambda: rooms.state(room),
        lambda: rooms.set_state(room, secret, "closed"),
        lambda: rooms.vote(room, token(2), 1, 6.0),
    ):
        with pytest.raises(RoomError):
            act()
    rooms.delete_old()
    (left,) = rooms.store.read("SELECT count(*) FROM votes")
    assert left == (0,)


def test_there_are_bounds(place: Place, clock: Clock) -> None:
    rooms = Rooms(place, clock, Limits(rooms=2, questions=3, voters=5))
    room, secret = asked(rooms)
    rooms.open()
    with pytest.raises(TooManyError):
        rooms.open()
    for visitor in range(5):
        rooms.vote(room, token(visitor), 1, 6.0)
    with pytest.raises(TooManyError):
        rooms.vote(room, token(5), 1, 6.0)
    rooms.vote(room, token(0), 1, 7.0)
    assert sorted(read_answers(rooms, room, 1)) == [6.0] * 4 + [7.0]
    rooms.ask(room, secret, CHOICE)
    rooms.ask(room, secret, CHOICE)
    with pytest.raises(TooManyError):
        rooms.ask(room, secret, CHOICE)


def test_a_moment_is_a_page_of_this_app(rooms: Rooms) -> None:
    made = rooms.open()
    for moment in (
        *("//evil.example", "/\\evil.example", "https://evil.example", "/..//evil.example"),
        *("scores", "", "/no-page", "/../scores", "/scores/", "/scores\n"),
    ):
        with pytest.raises(SettingsError):
            rooms.move(made.room, made.secret, moment)
    for moment in ("/scores?head=1", "/scores?head=1", "/mask?mask=causal"):
        rooms.move(made.room, made.secret, moment)
    now = rooms.state(made.room)
    assert (now.moment, now.n_moments) == ("/mask?mask=causal", 2)
    with pytest.raises(SettingsError):
        rooms.move(made.room, made.secret, "/" + "x" * 8_000)


def test_without_a_question_no_vote_is_opened(rooms: Rooms) -> None:
    made = rooms.open()
    with pytest.raises(SettingsError):
        rooms.set_state(made.room, made.secret, "open")


def test_letters_cannot_be_taken_for_others() -> None:
    assert not set(ROOM_LETTERS) & set("AEIOUQVY0123456789")
    assert {len({new_room() for _ in range(50)}) > 40, len(new_room())} == {True, 5}
    assert (parse_room("b c-dFg"), parse_room("BCDF")) == ("BCDFG", "BCDF")
    for text in ("", "ABCD", "BCD", "BCDFGH", "бвгд", "B" * 10_000):
        with pytest.raises(RoomError):
            parse_room(text)


@pytest.mark.parametrize("days", [-400, 400])
def test_a_clock_that_is_set_anew_ends_no_room(
    place: Place, monkeypatch: pytest.MonkeyPatch, days: int
) -> None:
    rooms = Rooms(place)
    room, _ = asked(rooms)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + days * 86_400)
    rooms.open()
    rooms.vote(room, token(1), 1, 6.0)
    assert count_answers(rooms, room, 1) == 1


def test_a_clock_that_is_wrong_at_the_start_ends_no_room(rooms: Rooms, clock: Clock) -> None:
    """A process whose clock is 25 hours ahead, then one of years ago, then a right one."""
    room, _ = asked(rooms)
    rooms.vote(room, token(1), 1, 6.0)
    right = clock.now
    for visitor, hours in enumerate((25, -9 * 365 * 24, 0)):
        wrong = Clock()
        wrong.now = right + 3600.0 * hours
        later = Rooms(rooms.place, wrong)
        later.delete_old()
        wrong.now += 3600
        later.vote(room, token(visitor), 1, 6.0)
        later.delete_old()
    assert count_answers(rooms, room, 1) == 3
    wrong.now += 24 * 3600
    later.delete_old()
    assert later.store.read("SELECT * FROM rooms") == []


def test_one_network_does_not_hold_every_room(place: Place, clock: Clock) -> None:
    """However slowly it opens them, and though it keeps them all in use."""
    limits = Limits(rooms=5, rooms_per_network=3)
    rooms = Rooms(place, clock, limits)
    held: list[str] = []
    for _ in range(limits.rooms_per_network):
        held.append(rooms.open("6.6.6.6").room)
        clock.now += 3600
        for room in held:
            rooms.tell_people(room, "a process", 1, 12.0)
    for again in (rooms, Rooms(place, clock, limits)):  # another process, or a new start
        with pytest.raises(TooManyError, match=r"^3 "):
            again.open("6.6.6.6")
        again.open("192.0.2.7")
    assert [rooms.state(room).room for room in held] == held
    with pytest.raises(TooManyError, match=r"^5 "):
        rooms.open("192.0.2.8")


def test_a_network_is_a_school_and_a_visit_is_less() -> None:
    limits = Limits()
    assert 4 * limits.rooms_per_network < limits.rooms
    assert limits.rooms_per_visit * 8 < limits.rooms_per_network
    assert limits.visit_misses * 8 < limits.misses


def test_networks_of_one_prefix_are_one() -> None:
    """25 networks of one household."""
    inside = {network_of(f"2001:db8:7:{place:x}::1") for place in range(25)}
    assert len(inside) == 1
    assert network_of("2001:db8:8::1") not in inside
    assert len({network_of(one) for one in ("192.0.2.7", "192.0.2.8", "::ffff:192.0.2.7")}) == 2


def test_one_visit_opens_few_rooms(rooms: Rooms) -> None:
    opened = [rooms.open("6.6.6.6") for _ in range(rooms.limits.rooms_per_visit)]
    earlier = [made.room for made in opened]
    with pytest.raises(TooManyError):
        rooms.open("192.0.2.7", [*earlier, "ZZZZZ"])
    rooms.open("6.6.6.6", earlier[1:])
    rooms.delete(opened[0].room, opened[0].secret)
    rooms.open("6.6.6.6", earlier)


def test_rooms_without_students_give_way(place: Place, clock: Clock) -> None:
    """One for each that is needed, and of the network that needs it, if that has its share: the one
    without students for the longest time. What a teacher does alone keeps no place.
    """
    rooms = Rooms(place, clock, Limits(rooms=5, rooms_per_network=4))
    made = [rooms.open(source) for source in ("6.6.6.6", "", "", "", "")]
    _, led, voted, left, late = names = [one.room for one in made]
    clock.now += 0.5
    rooms.tell_people(late, "a process", 1, 12.0)
    clock.now += 0.5
    for one in made[1:]:
        rooms.ask(one.room, one.secret, NUMBER)
        rooms.set_state(one.room, one.secret, "open")
    rooms.vote(voted, token(1), 1, 6.0)
    rooms.tell_people(left, "a process", 1, 12.0)
    clock.now += rooms.limits.idle - 2
    rooms.tell_people(led, "a process", 0, 12.0)
    for source in ("", "192.0.2.7"):
        with pytest.raises(TooManyError):
            rooms.open(source)
    clock.now += 1.5
    assert there(rooms, *names) == [True] * 5
    rooms.open()
    assert there(rooms, *names) == [True, False, True, True, True]
    rooms.open("192.0.2.7")
    assert there(rooms, *names) == [False, False, True, True, True]
    rooms.open("192.0.2.7")
    assert there(rooms, *names) == [False, False, True, True, False]
    for source in ("", "192.0.2.7"):
        with pytest.raises(TooManyError):
            rooms.open(source)


def there(rooms: Rooms, *names: str) -> list[bool]:
    """Which rooms are there."""
    kept = {room for (room,) in rooms.store.read("SELECT room FROM rooms")}
    return [name in kept for name in names]


def test_one_network_cannot_take_every_seat(place: Place, clock: Clock) -> None:
    """Neither by votes for invented rooms nor with the help of another process."""
    rooms = Rooms(place, clock, Limits(voters=5, per_source=3))
    room, secret = asked(rooms)
    processes = (rooms, Rooms(rooms.place, clock, rooms.limits))
    rooms.set_state(room, secret, "closed")
    invented = [Vote("ZZZZZ", token(0), 1, 6.0, "6.6.6.6"), Vote(room, token(0), 1, 6.0, "6.6.6.6")]
    assert list(map(type, rooms.vote_all(invented))) == [RoomError, ClosedError]
    assert rooms.store.read("SELECT * FROM voters") == []
    rooms.set_state(room, secret, "open")
    for visitor in range(20):
        act = processes[visitor % 2].vote
        if visitor < 3:
            act(room, token(visitor), 1, 6.0, "6.6.6.6")
        else:
            with pytest.raises(TooManyError):
                act(room, token(visitor), 1, 6.0, "6.6.6.6")
    processes[1].vote(room, token(0), 1, 7.0, "another network, as a phone has")
    processes[1].vote(room, token(20), 1, 6.0, "192.0.2.7")
    assert sorted(read_answers(rooms, room, 1)) == [6.0, 6.0, 6.0, 7.0]
    rooms.ask(room, secret, NUMBER)
    rooms.set_state(room, secret, "open")
    for visitor in (30, 31, 32):
        rooms.vote(room, token(visitor), 2, 6.0, "6.6.6.6")
    with pytest.raises(TooManyError):
        rooms.vote(room, token(33), 2, 6.0, "6.6.6.6")


def test_votes_that_are_written_together_are_counted_one_by_one(place: Place, clock: Clock) -> None:
    """Whoever votes twice has one seat, and the later answer stays."""
    rooms = Rooms(place, clock, Limits(voters=5, per_source=3))
    room, _ = asked(rooms)
    sources = (*["6.6.6.6"] * 5, *["192.0.2.7"] * 4)
    votes = [Vote(room, token(one), 1, float(one), source) for one, source in enumerate(sources)]
    again, late = Vote(room, token(0), 1, 10.0, "6.6.6.6"), Vote("ZZZZZ", token(0), 1, 6.0)
    errors = rooms.vote_all([late, *votes, again])
    kept = [type(error) for error in errors]
    assert kept[0] is RoomError
    assert [one is type(None) for one in kept[1:]] == [1, 1, 1, 0, 0, 1, 1, 0, 0, 1]
    assert sorted(read_answers(rooms, room, 1)) == [1.0, 2.0, 5.0, 6.0, 10.0]
    numbered = rooms.store.read("SELECT place FROM students ORDER BY place")
    assert numbered == [(place,) for place in range(1, 6)]


def test_a_limiter_remembers_only_the_last() -> None:
    limiter = RateLimiter(1.0, 1, lambda: 0.0, most=100)
    assert all(limiter.allows(str(visitor)) for visitor in range(1_000))
    assert not limiter.allows("999")
    assert limiter.allows("0")  # it is forgotten


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("2001:db8:5:7::1", "2001:db8:5::"),
        ("2001:db8:5:8::9", "2001:db8:5::"),  # of the same school
        ("2001:db8:6:7::1", "2001:db8:6::"),  # of another one
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.8", "192.0.2.8"),
    ],
)
def test_a_network_is_the_first_48_bits(address: str, network: str) -> None:
    assert network_of(address) == network
