"""The rooms of a file, the actions of teachers and students in them, and how many people are in a
room: those who have asked for its news a moment ago.
"""

from __future__ import annotations

import re
import sqlite3
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attention_core.errors import AttentionError, SettingsError

from ..page_list import OLD_URLS, PAGES
from .class_file import ClassFile
from .class_question import ClassQuestion, question_from_json, question_to_json
from .letters import digest, is_secret, new_room, new_secret
from .limits import CLASS_LIMITS, ClosedError, Limits, RightsError, RoomError, TooManyError


class Presence:
    """When each visitor was seen last, in bounded memory. lasts: seconds after which one is gone.

    >>> now = [0.0]
    >>> presence = Presence(lasts=10.0, clock=lambda: now[0])
    >>> for visitor in ("a", "b", "a"):
    ...     presence.see("KXRT", visitor)
    >>> presence.count("KXRT"), presence.count("ABCD")
    (2, 0)
    >>> now[0] = 11.0
    >>> presence.count("KXRT")
    0
    """

    def __init__(
        self, lasts: float, clock: Callable[[], float], limits: Limits = CLASS_LIMITS
    ) -> None:
        self._lasts, self._clock, self._limits = lasts, clock, limits
        self._seen: OrderedDict[str, dict[str, float]] = OrderedDict()

    def see(self, room: str, visitor: str) -> None:
        """A visitor asks for the news of a room. Beyond the limit of voters nobody is added."""
        present = self._present(room)
        if visitor in present or len(present) < self._limits.voters:
            self._seen[room] = present | {visitor: self._clock()}
        while len(self._seen) > self._limits.rooms:
            self._seen.popitem(last=False)

    def is_in(self, room: str, visitor: str) -> bool:
        """Whether a visitor was seen lately."""
        return visitor in self._present(room)

    def leave(self, room: str, visitor: str) -> None:
        """A visitor turns out to be no student."""
        self._seen.get(room, {}).pop(visitor, None)

    def count(self, room: str) -> int:
        """How many were seen lately."""
        return len(self._present(room))

    def _present(self, room: str) -> dict[str, float]:
        gone = self._clock() - self._lasts
        return {one: at for one, at in self._seen.get(room, {}).items() if at > gone}


MAX_MOMENT = 8_000  # characters
_MOMENT = re.compile(r"/([a-z0-9-]*)(\?[\x21-\x7e]*)?")  # a page with its parameters
URL_PATHS = {"", *OLD_URLS, *(page.url_path for page in PAGES)}


@dataclass(frozen=True)
class NewRoom:
    """A new room: its letters, and the secret of its teacher."""

    room: str
    secret: str


@dataclass(frozen=True)
class RoomState:
    """A room as it is now.

    version: grows with each change except votes; n_writes: with each vote. number: of the question,
    from 1; 0 before the first. moment: the page that the teacher shows, with its parameters;
    n_moments: how often it has changed.
    """

    room: str
    opened: float
    version: int
    n_writes: int
    state: str
    number: int
    moment: str
    n_moments: int
    question: ClassQuestion | None


@dataclass(frozen=True)
class Vote:
    """An answer to be written: room, token of the visitor, number of the question, answer, and the
    network that it comes from.
    """

    room: str
    token: str
    number: int
    answer: float
    source: str = ""


KEEP_VOTE = """
INSERT INTO votes VALUES (?, ?, ?, ?, ?)
ON CONFLICT (room, number, visitor) DO UPDATE SET answer = excluded.answer, at = excluded.at
"""
# A new file begins its seconds with the time of day; that of an older app with its newest room.
BEGIN_SECONDS = "INSERT OR IGNORE INTO running SELECT 1, coalesce(max(opened), ?) FROM rooms"
HOUR = 3600.0  # seconds
NEW_ROOMS = "FROM rooms JOIN uses USING (room) WHERE source = ? AND opened > ?"
UNUSED = "DELETE FROM rooms WHERE room IN (SELECT room FROM uses WHERE at <= ?)"

# Seconds since 1970 that go on evenly, also where the clock of the system is set anew.
_START = time.time() - time.monotonic()


def even_clock() -> float:
    """The time when this process began, and what has passed since. Units: seconds since 1970."""
    return _START + time.monotonic()


class Rooms:
    """All rooms of a file. Several processes may have the same file open.

    How long a room was not used is counted in seconds of the file, which go on while the app runs:
    a machine whose clock is wrong ends no room, and a machine that is off ends none either.
    """

    def __init__(
        self, path: Path, clock: Callable[[], float] = even_clock, limits: Limits = CLASS_LIMITS
    ) -> None:
        self.file, self.clock, self.limits = ClassFile(path), clock, limits
        with self.file.writing() as db:
            db.execute(BEGIN_SECONDS, (clock(),))
            db.execute("INSERT OR IGNORE INTO uses SELECT room, x'', seconds FROM rooms, running")
            self._ahead = _seconds(db) - clock()

    def _now(self) -> float:
        """The seconds of the file."""
        return self.clock() + self._ahead

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction, in which the seconds of the file go on."""
        with self.file.writing() as db:
            now = max(self._now(), _seconds(db))  # another process may be ahead
            db.execute("UPDATE running SET seconds = ?", (now,))
            self._ahead = now - self.clock()
            yield db

    def open(self, source: str = "") -> NewRoom:
        """A new room. source: the network that opens it.

        Raises: TooManyError if the limit of rooms, or that of the network, is reached.
        """
        self.delete_old()
        made, opener, limits = NewRoom(new_room(), new_secret()), digest(source), self.limits
        with self._writing() as db:
            now = self._now()
            if _count(db, NEW_ROOMS, opener, now - HOUR) >= limits.rooms_per_source:
                raise TooManyError(
                    f"{limits.rooms_per_source} rooms were opened from your network address within"
                    " an hour, and no more are allowed; delete one, or wait"
                )
            if _count(db, "FROM rooms") >= limits.rooms:
                db.execute(f"{UNUSED} AND number = 0", (now - limits.idle,))
            if (count := _count(db, "FROM rooms")) >= limits.rooms:
                raise TooManyError(
                    f"{count} rooms are open on this machine, and no more are allowed; delete one,"
                    " or wait: each is deleted a day after it was used last"
                )
            while _count(db, "FROM rooms WHERE room = ?", made.room):
                made = NewRoom(new_room(), made.secret)
            row = (made.room, digest(made.secret), now, 1, 0, "none", 0, "", 0)
            db.execute("INSERT INTO rooms VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
            db.execute("INSERT INTO uses VALUES (?, ?, ?)", (made.room, opener, now))
        return made

    def state(self, room: str) -> RoomState:
        """A room as it is now. Raises: RoomError if there is none, or no longer."""
        columns = "opened, version, n_writes, state, number, moment, n_moments, posed"
        joined = f"{columns} FROM rooms LEFT JOIN questions USING (room, number)"
        *about, kept = self._row(room, joined)
        about.append(question_from_json(kept) if kept else None)
        return RoomState(room, *about)

    def _row(self, room: str, columns: str) -> Any:
        query = f"SELECT {columns} JOIN uses USING (room) WHERE room = ? AND uses.at > ?"
        for row in self.file.read(query, room, self._now() - self.limits.lasts):
            return row
        raise RoomError(
            f"There is no room {room}, or no longer: a room that nobody uses is deleted after a"
            " day; ask the teacher for the letters"
        )

    def tell_people(self, room: str, process: str, count: int, lasts: float) -> None:
        """Keep how many people a process of the app has in a room, which uses it; what is older
        than `lasts` seconds goes.
        """
        with self._writing() as db:
            now = self._now()
            db.execute("DELETE FROM people WHERE at < ?", (now - lasts,))
            db.execute(
                "INSERT OR REPLACE INTO people SELECT room, ?, ?, ? FROM rooms WHERE room = ?",
                (process, count, now, room),
            )

    def people_elsewhere(self, room: str, process: str, lasts: float) -> int:
        """How many people the other processes of the app have in a room."""
        query = "SELECT total(count) FROM people WHERE room = ? AND process != ? AND at >= ?"
        ((count,),) = self.file.read(query, room, process, self._now() - lasts)
        return int(count)

    def is_teacher(self, room: str, secret: str) -> bool:
        """Whether a secret is the one of the room's teacher."""
        rows = self.file.read("SELECT secret FROM rooms WHERE room = ?", room)
        return bool(rows) and is_secret(secret, rows[0][0])

    def check_teacher(self, room: str, secret: str) -> None:
        """Raises: RoomError if there is no such room, RightsError for a wrong secret."""
        (kept,) = self._row(room, "secret FROM rooms")
        if not is_secret(secret, kept):
            raise RightsError(
                f"Only the teacher of room {room} may do this; open the teacher's link again"
            )

    def ask(self, room: str, secret: str, posed: ClassQuestion) -> int:
        """Ask the class a question, with its vote still closed; returns its number."""
        self.check_teacher(room, secret)
        with self._writing() as db:
            number = _first_value(db, "SELECT max(number) FROM questions WHERE room = ?", room) or 0
            if number >= self.limits.questions:
                raise TooManyError(
                    f"Room {room} has had {number} questions, and no more are allowed; open a new"
                    " room"
                )
            row = (room, number + 1, question_to_json(posed))
            db.execute("INSERT INTO questions VALUES (?, ?, ?)", row)
            _change_room(db, room, "state = 'closed', number = ?", number + 1)
        return int(number) + 1

    def set_state(self, room: str, secret: str, state: str) -> None:
        """Open the vote, close it, or reveal the answer. state: "open", "closed" or "revealed".

        Raises: SettingsError before the first question.
        """
        self.check_teacher(room, secret)
        with self._writing() as db:
            if not _first_value(db, "SELECT number FROM rooms WHERE room = ?", room):
                raise SettingsError(f"Room {room} has no question yet; choose one first")
            _change_room(db, room, "state = ?", state)

    def move(self, room: str, secret: str, moment: str) -> None:
        """Send the students who follow to a page of this app, such as /scores?head=1."""
        self.check_teacher(room, secret)
        page = _MOMENT.fullmatch(moment)
        if len(moment) > MAX_MOMENT or page is None or page[1] not in URL_PATHS:
            raise SettingsError(
                f"moment must be a page of this app, such as /scores?head=1, with at most"
                f" {MAX_MOMENT} characters; it is “{moment[:40]}”; show another page"
            )
        with self._writing() as db:
            if _first_value(db, "SELECT moment FROM rooms WHERE room = ?", room) != moment:
                _change_room(db, room, "moment = ?, n_moments = n_moments + 1", moment)

    def vote(self, room: str, token: str, number: int, answer: float, source: str = "") -> None:
        """Write the answer of a visitor to a question; it replaces an earlier one. source: the
        network that it comes from.

        Raises: ClosedError if the vote is not open, TooManyError, SettingsError. When this returns,
        the vote is on the disk.
        """
        (error,) = self.vote_all([Vote(room, token, number, answer, source)])
        if error:
            raise error

    def vote_all(self, votes: Sequence[Vote]) -> list[AttentionError | None]:
        """Write many votes in one transaction; returns the error of each, or None.

        One by one, each would wait for the disk, and between its statements for the interpreter.
        """
        with self._writing() as db:
            return [self._write_vote(db, vote) for vote in votes]

    def _write_vote(self, db: sqlite3.Connection, vote: Vote) -> AttentionError | None:
        try:
            visitor, now = digest(vote.token), self.state(vote.room)
            if now.question is None or now.state != "open" or now.number != vote.number:
                raise ClosedError("The vote on this question is closed; wait for the next question")
            answer = now.question.check_answer(vote.answer)
            self._take_seat(db, vote, visitor)
            db.execute(KEEP_VOTE, (vote.room, vote.number, visitor, answer, self.clock()))
        except AttentionError as error:
            return error
        return None

    def _take_seat(self, db: sqlite3.Connection, vote: Vote, visitor: bytes) -> None:
        """Give a visitor who has not answered the question a seat.

        Raises: TooManyError if no seat is left, for all or for the network.
        """
        source, limits, asked = digest(vote.source), self.limits, (vote.room, vote.number)
        answers = "FROM votes WHERE room = ? AND number = ?"
        if _count(db, f"{answers} AND visitor = ?", *asked, visitor):
            return
        of_network = "FROM voters WHERE room = ? AND number = ? AND source = ?"
        if _count(db, of_network, *asked, source) >= limits.per_source:
            raise TooManyError(
                f"{limits.per_source} people have answered from your network address, and no more"
                " are allowed; open a second room"
            )
        if _count(db, answers, *asked) >= limits.voters:
            raise TooManyError(
                f"{limits.voters} people have answered in this room, and no more are allowed; open"
                " a second room"
            )
        db.execute("INSERT INTO voters VALUES (?, ?, ?, ?)", (*asked, source, visitor))

    def delete(self, room: str, secret: str) -> None:
        """Delete a room with its questions and votes, for good."""
        self.check_teacher(room, secret)
        with self._writing() as db:
            db.execute("DELETE FROM rooms WHERE room = ?", (room,))
        self.file.empty_log()

    def delete_old(self) -> None:
        """Delete every room that nobody has used for too long."""
        with self._writing() as db:
            deleted = db.execute(UNUSED, (self._now() - self.limits.lasts,)).rowcount
        if deleted:
            self.file.empty_log()


def _first_value(db: sqlite3.Connection, query: str, *given: object) -> Any:
    """The first column of the first row; 0 if there is no row."""
    row = db.execute(query, given).fetchone()
    return row[0] if row else 0


def _count(db: sqlite3.Connection, table: str, *given: object) -> int:
    """How many rows of a table, such as "FROM rooms WHERE room = ?"."""
    return int(_first_value(db, f"SELECT count(*) {table}", *given))


def _seconds(db: sqlite3.Connection) -> float:
    """The seconds of the file; a number also where the file is damaged."""
    return float(_first_value(db, "SELECT total(seconds) FROM running"))


def _change_room(db: sqlite3.Connection, room: str, change: str, *given: object) -> None:
    db.execute(f"UPDATE rooms SET version = version + 1, {change} WHERE room = ?", (*given, room))
