"""The rooms as this process serves them: what is told is kept for a moment, votes are written in
turn.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from attention_core.errors import AttentionError, FileError
from attention_lab.classroom.limits import Pace, Seats, TooManyError
from attention_lab.classroom.class_file import class_file
from attention_lab.classroom.class_question import Posed
from attention_lab.classroom.rooms import Rooms, RoomState, Vote
from attention_lab.classroom.tally import answers, count, histogram

FRESH = 0.1  # seconds for which all who ask are told the same
MAX_KEPT = 500  # rooms of which something is kept, twice
MAX_WAITING = 500  # votes that wait for the disk
MAX_TOGETHER = 100  # votes that are written at a time


@dataclass(frozen=True)
class Told:
    """What somebody in a room is told. tag: changes when it does."""

    tag: str
    body: bytes


class Hall:
    """All rooms of a file, for many who ask at the same time."""

    def __init__(self, path: Path, ticks: Callable[[], float] = time.monotonic) -> None:
        self.rooms = Rooms(path)
        # A connection of its own: who reads does not wait until a vote is on the disk.
        self._writing = Rooms(path)
        self._waiting: SimpleQueue[tuple[Vote, Future[None]]] = SimpleQueue()
        self._turns = ThreadPoolExecutor(1, thread_name_prefix="votes of classes")
        self._ticks = ticks
        limits = self.rooms.limits
        self._pace = Pace(limits.pace, limits.burst, ticks)
        self._source_pace = Pace(limits.source_pace, limits.source_burst, ticks)
        self._seats = Seats(limits)
        self._kept: dict[tuple[str, bool], tuple[float, Told]] = {}

    def told(self, room: str, to_teacher: bool) -> Told:
        """What a student is told, or the teacher, who is told of each vote, too.

        Raises: RoomError.
        """
        known, now = self._kept.get((room, to_teacher)), self._ticks()
        if known and now - known[0] < FRESH:
            return known[1]
        state = self.rooms.state(room)
        tag = f"{state.opened:.0f}.{state.version}" + (f".{state.n_writes}" if to_teacher else "")
        if not known or known[1].tag != tag:
            about = {"tag": tag, **self._about(state, to_teacher)}
            known = (now, Told(tag, json.dumps(about).encode()))
        if len(self._kept) >= 2 * MAX_KEPT:
            self._kept.clear()
        self._kept[room, to_teacher] = (now, known[1])
        return known[1]

    def vote(self, room: str, token: str, number: int, answer: float, source: str) -> Future[None]:
        """Have a vote written; done when it is on the disk. source: the network address.

        Raises: TooManyError before anything is written for who sends faster than he may.
        """
        for pace, who in ((self._pace, token), (self._source_pace, source)):
            if not pace.takes(who):
                raise TooManyError(
                    f"Answers come faster than one may send them; wait {pace.wait()} s and send the"
                    " last one again"
                )
        self._seats.take(room, source, token)
        if self._waiting.qsize() >= MAX_WAITING:
            raise TooManyError(
                f"{MAX_WAITING} answers of others are being written; send yours again in 1 s"
            )
        written: Future[None] = Future()
        self._waiting.put((Vote(room, token, number, answer), written))
        self._turns.submit(self._write)
        return written

    def _write(self) -> None:
        """Write all votes that wait: they go to the disk together."""
        waiting: list[tuple[Vote, Future[None]]] = []
        with suppress(Empty):
            while len(waiting) < MAX_TOGETHER:
                waiting.append(self._waiting.get_nowait())
        if not waiting:
            return  # an earlier turn has written this vote, too
        found: Sequence[AttentionError | None] = ()
        try:
            found = self._writing.vote_all([vote for vote, _ in waiting])
        except AttentionError as error:
            found = [error] * len(waiting)
        finally:  # nobody waits forever, also where this is a bug
            lost = [FileError("The vote could not be written; send it again")] * len(waiting)
            for (_, written), refused in zip(waiting, found or lost, strict=True):
                if written.set_running_or_notify_cancel():
                    written.set_exception(refused) if refused else written.set_result(None)

    def lead(self, act: Callable[[Rooms], Any], room: str) -> Any:
        """Do what a teacher does in a room; everybody is told at once."""
        done = act(self._writing)
        for to_teacher in (True, False):
            self._kept.pop((room, to_teacher), None)
        return done

    def _about(self, state: RoomState, to_teacher: bool) -> dict[str, Any]:
        about = {name: getattr(state, name) for name in ("room", "state", "number", "moment")}
        about |= {"moments": state.n_moments}
        if state.posed is None:
            return about
        about |= {"question": _asked(state.posed)}
        is_over, is_revealed = state.state != "open", state.state == "revealed"
        if is_over or to_teacher:
            about |= {"count": count(self.rooms, state.room, state.number)}
        if is_revealed or (is_over and to_teacher):
            bars = histogram(state.posed, answers(self.rooms, state.room, state.number))
            about |= {"bars": [[bar.label, bar.count] for bar in bars]}
            if is_revealed:
                about |= {
                    "right": [bar.is_right for bar in bars].index(True),
                    "arithmetic": state.posed.arithmetic,
                    "answer": state.posed.answer,
                    "tolerance": state.posed.tolerance,
                }
        return about


def _asked(posed: Posed) -> dict[str, Any]:
    """A question without its answer."""
    return {
        "kind": posed.kind,
        "text": posed.text,
        "given": posed.given,
        "options": posed.options,
        "pictures": posed.pictures,
    }


def hall() -> Hall:
    """The hall of the file that is set."""
    return _hall(class_file())


@lru_cache(maxsize=8)
def _hall(path: Path) -> Hall:
    return Hall(path)
