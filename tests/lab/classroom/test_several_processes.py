"""Several processes share rooms; a killed one loses no vote that it has answered."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from attention_lab.classroom.rooms import Rooms
from attention_lab.classroom.tally import count_answers, read_answers
from tests.lab.classroom.rooms_made import NUMBER, asked, rooms_in, token

ROOT = Path(__file__).resolve().parents[3]


def voting(rooms: Rooms, room: str, first: int, n_votes: int) -> subprocess.Popen[str]:
    """A process that votes as many visitors, one after the other, and tells of each."""
    given = (rooms.file.path, room, first, n_votes, rooms.clock())
    command = [sys.executable, "-m", "tests.lab.classroom.voting", *map(str, given)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def test_two_processes_share_a_room(tmp_path: Path) -> None:
    rooms, _ = rooms_in(tmp_path)
    room, _ = asked(rooms)
    for process in [voting(rooms, room, first, 30) for first in (0, 30)]:
        told, _ = process.communicate(timeout=60)
        assert (process.returncode, len(told.split())) == (0, 30)
    assert sorted(read_answers(rooms, room, 1)) == list(range(60))
    assert rooms.state(room).n_writes == 60


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
