"""Several processes share rooms; a killed one loses no vote that it has answered."""

from __future__ import annotations

import multiprocessing
import os
import signal
from multiprocessing.connection import Connection
from pathlib import Path

from attention_lab.classroom.rooms import Rooms
from attention_lab.classroom.tally import answers, count
from tests.lab.classroom.rooms_made import NUMBER, asked, rooms_in, token

SPAWN = multiprocessing.get_context("spawn")


def vote_on(path: Path, room: str, first: int, n_votes: int, now: float, told: Connection) -> None:
    """Vote as many visitors, one after the other, and tell of each vote that is taken."""
    rooms = Rooms(path, lambda: now)
    for visitor in range(first, first + n_votes):
        rooms.vote(room, token(visitor), 1, float(visitor))
        told.send(visitor)
    told.close()


def voting(rooms: Rooms, room: str, first: int, n_votes: int) -> tuple[SPAWN.Process, Connection]:
    """A process that votes, and where it tells of it."""
    told, telling = SPAWN.Pipe(duplex=False)
    given = (rooms.file.path, room, first, n_votes, rooms.clock(), telling)
    process = SPAWN.Process(target=vote_on, args=given)
    process.start()
    telling.close()
    return process, told


def test_two_processes_share_a_room(tmp_path: Path) -> None:
    """Both write at the same time, no vote is lost, and a third sees all of them."""
    rooms, _ = rooms_in(tmp_path)
    room, _ = asked(rooms)
    both = [voting(rooms, room, first, 30) for first in (0, 30)]
    for process, told in both:
        process.join(60)
        told.close()
        assert process.exitcode == 0
    assert sorted(answers(rooms, room, 1)) == list(range(60))
    assert rooms.state(room).n_writes == 60


def test_a_killed_process_loses_no_vote(tmp_path: Path) -> None:
    """Killed in the middle of writing; afterwards room, question and every vote that it has told
    of are there, and others can write.
    """
    rooms, clock = rooms_in(tmp_path)
    room, secret = asked(rooms)
    process, told = voting(rooms, room, 0, 500)
    taken = [told.recv() for _ in range(20)]
    os.kill(process.pid or 0, signal.SIGKILL)
    process.join(60)
    while told.poll():
        try:
            taken.append(told.recv())
        except EOFError:
            break
    told.close()
    rooms.file.close()
    again = Rooms(rooms.file.path, clock)
    assert len(taken) < 500
    assert set(taken) <= set(map(int, answers(again, room, 1)))
    assert count(again, room, 1) - len(taken) in (0, 1)  # taken, but not yet told of
    assert again.state(room).posed == NUMBER
    again.vote(room, token(999), 1, 6.0)
    again.turn(room, secret, "revealed")
