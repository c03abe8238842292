"""The rooms of a file, and what their teachers and students may do in them."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attention_core.errors import AttentionError, SettingsError

from .class_file import ClassFile
from .letters import check_token, digest, is_secret, new_room, new_secret
from .limits import LIMITS, ClosedError, Limits, RightsError, RoomError, TooManyError
from .class_question import Posed, from_json, to_json

STATES = ("none", "open", "closed", "revealed")
MAX_MOMENT = 8_000  # characters
# A page of this app with what it shows: never another site's.
_MOMENT = re.compile(r"/(?![/\\])[\x21-\x7e]*")


@dataclass(frozen=True)
class Opened:
    """A new room: its letters, and the secret that makes somebody its teacher."""

    room: str
    secret: str


@dataclass(frozen=True)
class RoomState:
    """A room as it is now.

    version: grows with all but votes; n_writes: with each vote. number: of the question, from 1; 0
    before the first. moment: the page that the teacher shows, with what it shows, and n_moments how
    often it has changed.
    """

    room: str
    opened: float
    version: int
    n_writes: int
    state: str
    number: int
    moment: str
    n_moments: int
    posed: Posed | None


@dataclass(frozen=True)
class Vote:
    """An answer on its way: the token of the visitor, the question's number, the answer."""

    room: str
    token: str
    number: int
    answer: float


# A new answer in place of the visitor's old one; a new visitor only where there is room.
KEEP = """
INSERT INTO votes SELECT ?1, ?2, ?3, ?4, ?5
WHERE EXISTS (SELECT 1 FROM votes WHERE room = ?1 AND number = ?2 AND visitor = ?3)
   OR (SELECT count(*) FROM votes WHERE room = ?1 AND number = ?2) < ?6
ON CONFLICT (room, number, visitor) DO UPDATE SET answer = excluded.answer, at = excluded.at
"""


class Rooms:
    """All rooms of a file. Several processes may have the same file open."""

    def __init__(
        self, path: Path, clock: Callable[[], float] = time.time, limits: Limits = LIMITS
    ) -> None:
        self.file, self.clock, self.limits = ClassFile(path), clock, limits
        self.forget_old()

    def open(self) -> Opened:
        """A new room. Raises: TooManyError where there are as many as there may be."""
        self.forget_old()
        made, now = Opened(new_room(), new_secret()), self.clock()
        with self.file.writing() as db:
            ((count,),) = db.execute("SELECT count(*) FROM rooms").fetchall()
            if count >= self.limits.rooms:
                raise TooManyError(
                    f"{count} rooms are open on this machine, and no more are possible; close one,"
                    " or wait: each closes a day after it was opened"
                )
            while db.execute("SELECT 1 FROM rooms WHERE room = ?", (made.room,)).fetchall():
                made = Opened(new_room(), made.secret)
            row = (made.room, digest(made.secret), now, 1, 0, "none", 0, "", 0)
            db.execute("INSERT INTO rooms VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        return made

    def state(self, room: str) -> RoomState:
        """A room as it is now. Raises: RoomError where there is none, or no longer."""
        rows = self.file.read(
            "SELECT opened, version, n_writes, state, number, moment, n_moments, posed FROM rooms"
            " LEFT JOIN questions USING (room, number) WHERE room = ? AND opened > ?",
            room,
            self.clock() - self.limits.lasts,
        )
        if not rows:
            raise RoomError(
                f"There is no room {room}, or no longer: a room closes after a day; ask the teacher"
                " for the letters"
            )
        opened, version, n_writes, state, number, moment, n_moments, kept = rows[0]
        posed = from_json(kept) if kept else None
        return RoomState(room, opened, version, n_writes, state, number, moment, n_moments, posed)

    def is_teacher(self, room: str, secret: str) -> bool:
        """Whether a secret is the one of the room's teacher."""
        rows = self.file.read("SELECT secret FROM rooms WHERE room = ?", room)
        return bool(rows) and is_secret(secret, rows[0][0])

    def check_teacher(self, room: str, secret: str) -> None:
        """Raises: RoomError where there is no room, RightsError for a wrong secret."""
        self.state(room)
        if not self.is_teacher(room, secret):
            raise RightsError(
                f"Only the teacher of room {room} may do this; open the teacher's link once more"
            )

    def ask(self, room: str, secret: str, posed: Posed) -> int:
        """Put a question to the class, its vote not yet open; gives its number."""
        self.check_teacher(room, secret)
        with self.file.writing() as db:
            number = _only(db, "SELECT max(number) FROM questions WHERE room = ?", room) or 0
            if number >= self.limits.questions:
                raise TooManyError(
                    f"Room {room} has had {number} questions, and no more are possible; open a new"
                    " room"
                )
            db.execute("INSERT INTO questions VALUES (?, ?, ?)", (room, number + 1, to_json(posed)))
            _change(db, room, "state = 'closed', number = ?", number + 1)
        return int(number) + 1

    def turn(self, room: str, secret: str, state: str) -> None:
        """Open the vote, close it, or reveal the answer. Raises: SettingsError before the first
        question, and for another state.
        """
        self.check_teacher(room, secret)
        if state not in STATES[1:]:
            raise SettingsError(f"state must be one of {STATES[1:]}, but is {state!r}; choose one")
        with self.file.writing() as db:
            if not _only(db, "SELECT number FROM rooms WHERE room = ?", room):
                raise SettingsError(f"Room {room} has no question yet; choose one first")
            _change(db, room, "state = ?", state)

    def move(self, room: str, secret: str, moment: str) -> None:
        """Bring those who follow to a page of this app, such as /scores?head=1."""
        self.check_teacher(room, secret)
        if len(moment) > MAX_MOMENT or not _MOMENT.fullmatch(moment):
            raise SettingsError(
                f"moment must be a page of this app that begins with one / and has at most"
                f" {MAX_MOMENT} characters, but is “{moment[:40]}”; show another page"
            )
        with self.file.writing() as db:
            if _only(db, "SELECT moment FROM rooms WHERE room = ?", room) != moment:
                _change(db, room, "moment = ?, n_moments = n_moments + 1", moment)

    def vote(self, room: str, token: str, number: int, answer: float) -> None:
        """Keep the answer of a visitor to the question of a number; a later one takes its place.

        Raises: ClosedError where the vote on it is not open, TooManyError, SettingsError. When this
        returns, the vote is on the disk.
        """
        (error,) = self.vote_all([Vote(room, token, number, answer)])
        if error:
            raise error

    def vote_all(self, votes: Sequence[Vote]) -> list[AttentionError | None]:
        """The same for many votes, which are on the disk together; gives what each is refused for.

        One by one each would wait for the disk, and between its statements for the interpreter.
        """
        with self.file.writing() as db:
            return [self._refusal(db, vote) for vote in votes]

    def _refusal(self, db: sqlite3.Connection, vote: Vote) -> AttentionError | None:
        try:
            visitor, now = digest(check_token(vote.token)), self.state(vote.room)
            if now.posed is None or now.state != "open" or now.number != vote.number:
                raise ClosedError("The vote on this question is closed; wait for the next question")
            given = (vote.room, vote.number, visitor, now.posed.check(vote.answer), self.clock())
            if not db.execute(KEEP, (*given, self.limits.voters)).rowcount:
                raise TooManyError(
                    f"{self.limits.voters} people have answered in this room, and no more are"
                    " possible; open a second room"
                )
        except AttentionError as error:
            return error
        return None

    def delete(self, room: str, secret: str) -> None:
        """Delete a room with its questions and votes, for good."""
        self.check_teacher(room, secret)
        with self.file.writing() as db:
            db.execute("DELETE FROM rooms WHERE room = ?", (room,))
        self.file.empty_log()

    def forget_old(self) -> None:
        """Delete every room that has had its day."""
        old = self.clock() - self.limits.lasts
        if self.file.read("SELECT 1 FROM rooms WHERE opened <= ? LIMIT 1", old):
            with self.file.writing() as db:
                db.execute("DELETE FROM rooms WHERE opened <= ?", (old,))
            self.file.empty_log()


def _only(db: sqlite3.Connection, query: str, *given: object) -> Any:
    """The first column of the first row, 0 where there is none."""
    row = db.execute(query, given).fetchone()
    return row[0] if row else 0


def _change(db: sqlite3.Connection, room: str, change: str, *given: object) -> None:
    db.execute(f"UPDATE rooms SET version = version + 1, {change} WHERE room = ?", (*given, room))
