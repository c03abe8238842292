"""What both stores do: where they are, damage, several processes."""

from __future__ import annotations

import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from attention_core.errors import FileError
from attention_lab.classroom.place import class_place
from attention_lab.classroom.rooms import Rooms
from attention_lab.classroom.store import PLACE_VARIABLE
from attention_lab.classroom.tally import read_answers
from tests.lab.classroom.rooms_made import CHOICE, Clock, asked, token

ROOT = Path(__file__).resolve().parents[3]


def test_where_the_rooms_are() -> None:
    home = Path("/home/ada")
    places = {
        "linux": ".local/share/attention-lab/classes.sqlite3",
        "darwin": "Library/Application Support/attention-lab/classes.sqlite3",
        "win32": "AppData/Local/attention-lab/classes.sqlite3",
    }
    for system, place in places.items():
        assert class_place({}, system, home) == home / place
    assert class_place({"XDG_DATA_HOME": "/data"}, "linux", home).parts[:2] == ("/", "data")
    named = {"postgresql://lab:x@db/classes": str, "/srv/classes.db": Path}
    for name, kind in named.items():
        assert isinstance(class_place({PLACE_VARIABLE: name}), kind)


def test_a_damaged_question_can_be_left_behind(rooms: Rooms) -> None:
    room, secret = asked(rooms)
    with rooms.store.writing() as db:
        db.run("UPDATE questions SET posed = '{'")
    for act in (lambda: rooms.state(room), lambda: rooms.vote(room, token(1), 1, 6.0)):
        with pytest.raises(FileError):
            act()
    rooms.ask(room, secret, CHOICE)
    assert rooms.state(room).question == CHOICE
    with rooms.store.writing() as db:
        db.run("UPDATE questions SET posed = '[]'")
    rooms.delete(room, secret)


def voting(
    rooms: Rooms, room: str, first: int, n_votes: int, each: int = 1000, seats: int = 300
) -> subprocess.Popen[str]:
    """A process that votes as many visitors, one after the other, and tells of each; it opens the
    store anew for every `each` of them, and gives one network so many seats.
    """
    given = (rooms.place, room, first, n_votes, rooms.clock(), each, seats)
    command = [sys.executable, "-m", "tests.lab.classroom.voting", *map(str, given)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def told_by(process: subprocess.Popen[str], most: int = sys.maxsize) -> list[int]:
    """The next visitors whose votes a process tells of, at most so many; else all until its end."""
    assert process.stdout is not None
    lines = [line for line in islice(process.stdout, most) if line.endswith("\n")]
    if len(lines) < most:
        process.stdout.close()
        process.wait()
    return list(map(int, lines))


def test_processes_lose_no_vote_when_one_is_killed(rooms: Rooms, clock: Clock) -> None:
    room, _ = asked(rooms)
    each = 1 if isinstance(rooms.place, Path) else 10  # votes for which the store is opened anew
    killed, other = voting(rooms, room, 0, 400, each), voting(rooms, room, 400, 60, each)
    told = [*told_by(killed, 20), *told_by(other, 1)]
    killed.kill()
    mine = range(500, 515)
    for visitor in mine:
        twice = Rooms(rooms.place, clock)
        told += told_by(other, 3)  # it opens and closes the store meanwhile
        rooms.vote(room, token(visitor), 1, float(visitor))
        twice.store.close()
    told += [*told_by(killed), *told_by(other)]
    found = {int(answer) for answer in read_answers(rooms, room, 1)}
    assert set(range(400, 460)) | set(mine) | set(told) <= found
    assert rooms.state(room).n_writes == len(found)
    assert len(found) - len(told) - len(mine) in (0, 1)  # taken, but not yet told of
    if isinstance(rooms.place, Path):
        assert rooms.store.read("PRAGMA integrity_check") == [("ok",)]


def test_processes_count_seats_together(rooms: Rooms) -> None:
    room, _ = asked(rooms)
    both = [voting(rooms, room, first, 20, seats=25) for first in (0, 100)]
    told = [visitor for one in both for visitor in told_by(one)]
    assert len(told) == len(read_answers(rooms, room, 1)) == 25
    students = rooms.store.read("SELECT place FROM students ORDER BY place")
    assert students == [(place,) for place in range(1, 26)]
