"""The file of all classes: who may read it, what happens where it cannot be used, and several users of
one file in one process and in many.
"""

from __future__ import annotations

import sqlite3
import stat
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path

import pytest

from attention_core.errors import FileError
from attention_lab.classroom import class_file
from attention_lab.classroom.class_file import class_file_path
from attention_lab.classroom.rooms import Rooms
from attention_lab.classroom.tally import count_answers, read_answers
from tests.lab.classroom.rooms_made import NUMBER, asked, rooms_in, token

ROOT = Path(__file__).resolve().parents[3]


def test_the_file_holds_no_secret_and_no_token(tmp_path: Path) -> None:
    rooms, _ = rooms_in(tmp_path)
    room, secret = asked(rooms)
    rooms.vote(room, token(1), 1, 5.0)
    rooms.file.empty_log()
    kept = rooms.file.path.read_bytes()
    assert room.encode() in kept
    assert secret.encode() not in kept
    assert token(1).encode() not in kept
    assert stat.S_IMODE(rooms.file.path.stat().st_mode) == 0o600


def test_a_file_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    other, later = tmp_path / "other", tmp_path / "later"
    other.write_bytes(b"not a data base" * 100)
    with sqlite3.connect(later) as made:
        made.execute("PRAGMA user_version = 2")
    made.close()
    damaged = rooms_in(tmp_path)[0].file
    damaged.close()
    whole = damaged.path.read_bytes()
    damaged.path.write_bytes(whole[:100] + b"\xff" * (len(whole) - 100))
    for path in (other, later, tmp_path, other / "below", damaged.path):
        with pytest.raises(FileError, match=path.name):
            Rooms(path)
    assert other.read_bytes() == b"not a data base" * 100


def test_a_full_disk_loses_the_new_vote_alone(tmp_path: Path) -> None:
    rooms, _ = rooms_in(tmp_path)
    room, _ = asked(rooms)
    rooms.vote(room, token(0), 1, 0.0)
    ((pages,),) = rooms.file.read("PRAGMA page_count")
    rooms.file.read(f"PRAGMA max_page_count = {pages}")
    n_kept = 1
    with suppress(FileError):
        while n_kept < 500:
            rooms.vote(room, token(n_kept), 1, 6.0)
            n_kept += 1
    with pytest.raises(FileError, match="full"):
        rooms.vote(room, token(n_kept), 1, 6.0)
    assert count_answers(rooms, room, 1) == n_kept
    rooms.file.read("PRAGMA max_page_count = 10000")
    rooms.vote(room, token(n_kept), 1, 6.0)
    assert count_answers(rooms, room, 1) == n_kept + 1


def test_a_locked_file_is_told_and_used_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(class_file, "MAX_WAIT_SECONDS", 0.05)
    rooms, _ = rooms_in(tmp_path)
    room, _ = asked(rooms)
    with closing(sqlite3.connect(rooms.file.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(FileError, match="locked"):
            rooms.vote(room, token(1), 1, 6.0)
        assert rooms.state(room).n_writes == 0
        other.execute("ROLLBACK")
    rooms.vote(room, token(1), 1, 6.0)
    assert count_answers(rooms, room, 1) == 1


def test_where_the_file_is() -> None:
    home = Path("/home/ada")
    places = {
        "linux": ".local/share/attention-lab/classes.sqlite3",
        "darwin": "Library/Application Support/attention-lab/classes.sqlite3",
        "win32": "AppData/Local/attention-lab/classes.sqlite3",
    }
    for system, place in places.items():
        assert class_file_path({}, system, home) == home / place
    assert class_file_path({"XDG_DATA_HOME": "/data"}, "linux", home).parts[:2] == ("/", "data")


def voting(
    rooms: Rooms, room: str, first: int, n_votes: int, each: int = 1000
) -> subprocess.Popen[str]:
    """A process that votes as many visitors, one after the other, and tells of each; it opens the
    file anew for every `each` of them.
    """
    given = (rooms.file.path, room, first, n_votes, rooms.clock(), each)
    command = [sys.executable, "-m", "tests.lab.classroom.voting", *map(str, given)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def ended(process: subprocess.Popen[str]) -> list[int]:
    """The visitors whose votes a process has told of, when it has ended."""
    told, _ = process.communicate(timeout=60)
    return [int(line) for line in told.splitlines(keepends=True) if line[-1:] == "\n"]


def test_another_process_keeps_the_log_of_a_file_that_was_opened_twice(tmp_path: Path) -> None:
    rooms, clock = rooms_in(tmp_path)
    room, _ = asked(rooms)
    twice = Rooms(rooms.file.path, clock)
    rooms.vote(room, token(1), 1, 1.0)
    assert ended(voting(rooms, room, 2, 1)) == [2]
    rooms.vote(room, token(3), 1, 3.0)
    assert ended(voting(rooms, room, 4, 1)) == [4]
    for one in (rooms, twice):
        one.file.close()
    assert sorted(read_answers(Rooms(rooms.file.path, clock), room, 1)) == [1, 2, 3, 4]


def test_processes_that_open_and_close_lose_no_vote_when_one_is_killed(tmp_path: Path) -> None:
    rooms, clock = rooms_in(tmp_path)
    room, _ = asked(rooms)
    killed, other = voting(rooms, room, 0, 400, 1), voting(rooms, room, 400, 50, 1)
    assert killed.stdout is not None
    told = [int(killed.stdout.readline()) for _ in range(20)]
    killed.kill()
    mine = range(500, 530)
    for visitor in mine:
        Rooms(rooms.file.path, clock).vote(room, token(visitor), 1, float(visitor))
    told += [*ended(killed), *ended(other)]
    found = {int(answer) for answer in read_answers(rooms, room, 1)}
    assert set(range(400, 450)) | set(mine) | set(told) <= found
    assert rooms.state(room).n_writes == len(found)
    assert len(found) - len(told) - len(mine) in (0, 1)  # taken, but not yet told of
    rooms.file.close()
    with closing(sqlite3.connect(rooms.file.path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_a_killed_process_loses_no_vote(tmp_path: Path) -> None:
    rooms, clock = rooms_in(tmp_path)
    room, secret = asked(rooms)
    process = voting(rooms, room, 0, 590)
    assert process.stdout is not None
    first = [process.stdout.readline() for _ in range(20)]
    process.kill()
    rest, _ = process.communicate(timeout=60)
    taken = [int(line) for line in (*first, *rest.splitlines(keepends=True)) if line[-1:] == "\n"]
    rooms.file.close()
    again = Rooms(rooms.file.path, clock)
    assert 20 <= len(taken) < 590
    assert set(taken) <= set(map(int, read_answers(again, room, 1)))
    assert count_answers(again, room, 1) - len(taken) in (0, 1)  # taken, but not yet told of
    assert again.state(room).question == NUMBER
    again.vote(room, token(999), 1, 6.0)
    again.set_state(room, secret, "revealed")
