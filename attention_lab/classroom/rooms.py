"""All rooms, and the actions of teachers and students in them."""

import hmac
import re
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from attention_core.checks import check_choice
from attention_core.errors import AttentionError, SettingsError

from ..page_list import OLD_URLS, PAGES
from ..quiz import Question
from .class_question import question_from_json, question_to_json
from .letters import digest, is_secret, new_room, new_secret
from .limits import CLASS_LIMITS, Limits, RightsError, RoomError, TooManyError
from .place import Place, open_store
from .store import Reader, Transaction
from .votes import RoomState, Vote, write_votes

VOTE_STATES = ("open", "closed", "revealed")
MAX_MOMENT = 8_000  # characters
_MOMENT = re.compile(r"/([a-z0-9-]*)(\?[\x21-\x7e]*)?")  # a page with its parameters
URL_PATHS = {"", *OLD_URLS, *(page.url_path for page in PAGES)}
PAGES_WITH_ANSWERS = {"for-teachers"}  # there students wait on the page of their room


@dataclass(frozen=True)
class NewRoom:
    """A new room: its letters, and the secret of its teacher."""

    room: str
    secret: str


KEEP_PEOPLE = """
INSERT INTO people SELECT room, ?, ?, ? FROM rooms WHERE room = ?
ON CONFLICT (room, process) DO UPDATE SET count = excluded.count, at = excluded.at
"""
# What older apps did not keep. New rooms begin their seconds with the time of day; those of an
# older app with its newest room.
BEGIN = (
    ("INSERT INTO running SELECT 1, coalesce(max(opened), ?) FROM rooms WHERE true", "clock"),
    ("INSERT INTO uses SELECT room, ?, seconds FROM rooms, running WHERE true", "empty"),
    ("INSERT INTO attended SELECT room, seconds FROM rooms, running WHERE true", ""),
    ("INSERT INTO signing SELECT 1, ? WHERE true", "key"),
)
OLD_STUDENTS = """
INSERT INTO students SELECT room, visitor,
    row_number() OVER (PARTITION BY room ORDER BY min(at), visitor)
FROM votes WHERE room NOT IN (SELECT room FROM students) GROUP BY room, visitor
"""
UNUSED = "DELETE FROM rooms WHERE room IN (SELECT room FROM uses WHERE at <= ?)"
# The room that has been without students for the longest time, if that is long enough.
WITHOUT_STUDENTS = """
DELETE FROM rooms WHERE room IN (
    SELECT room FROM attended JOIN uses USING (room) WHERE attended.at <= ? {}
    ORDER BY attended.at, room LIMIT 1
)
"""

# Seconds since 1970 that go on evenly, also where the clock of the system is set anew.
_START = time.time() - time.monotonic()


def even_clock() -> float:
    """The time when this process began, and what has passed since. Units: seconds since 1970."""
    return _START + time.monotonic()


class Rooms:
    """All rooms of a place. Several processes may have the same place open.

    How long a room was not used is counted in seconds of the place, which go on while the app runs:
    a machine whose clock is wrong ends no room, and a machine that is off ends none either.
    """

    def __init__(
        self, place: Place, clock: Callable[[], float] = even_clock, limits: Limits = CLASS_LIMITS
    ) -> None:
        self.place, self.store = place, open_store(place)
        self.clock, self.limits = clock, limits
        given = {"clock": clock(), "empty": b"", "key": secrets.token_bytes(32)}
        with self.store.writing() as db:
            for sentence, name in BEGIN:
                db.run(f"{sentence} ON CONFLICT DO NOTHING", *([given[name]] if name else []))
            db.run(OLD_STUDENTS)
            self._ahead = _seconds(db) - clock()
            self._key = repr(_first_value(db, "SELECT secret FROM signing")).encode()

    def _now(self) -> float:
        """The seconds of the place."""
        return self.clock() + self._ahead

    @contextmanager
    def _writing(self) -> Iterator[Transaction]:
        """One transaction, in which the seconds of the place go on."""
        with self.store.writing() as db:
            now = max(self._now(), _seconds(db))  # another process may be ahead
            db.run("UPDATE running SET seconds = ?", now)
            self._ahead = now - self.clock()
            yield db

    def open(self, source: str = "", earlier: Sequence[str] = ()) -> NewRoom:
        """A new room. source: the network that opens it; earlier: the rooms that were opened in the
        same visit.

        Raises: TooManyError if the limit of rooms, of the network or of the visit is reached, and
        no room has been without students for long.
        """
        self.delete_old()
        made, opener = NewRoom(new_room(), new_secret()), digest(source)
        with self._writing() as db:
            self._make_place(db, opener, earlier)
            while _count(db, "FROM rooms WHERE room = ?", made.room):
                made = NewRoom(new_room(), made.secret)
            now = self._now()
            row = (made.room, digest(made.secret), now, 1, 0, "none", 0, "", 0)
            db.run("INSERT INTO rooms VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", *row)
            db.run("INSERT INTO uses VALUES (?, ?, ?)", made.room, opener, now)
            db.run("INSERT INTO attended VALUES (?, ?)", made.room, now)
        return made

    def _make_place(self, db: Transaction, opener: bytes, earlier: Sequence[str]) -> None:
        limits, unused = self.limits, self._now() - self.limits.idle
        held = sum(_count(db, "FROM rooms WHERE room = ?", room) for room in set(earlier))
        if held >= limits.rooms_per_visit:
            raise TooManyError(
                f"{held} rooms that you opened are there, and no more are allowed; delete one"
            )
        waiting = f"or wait: a room without students for {limits.idle / 60:.0f} minutes gives way"
        of_network = (_count(db, "FROM uses WHERE source = ?", opener), limits.rooms_per_network)
        if of_network[0] >= of_network[1] and not db.run(
            WITHOUT_STUDENTS.format("AND source = ?"), unused, opener
        ):
            raise TooManyError(
                f"{of_network[0]} rooms are open from your network address, and no more are"
                f" allowed; delete one, {waiting}"
            )
        count = _count(db, "FROM rooms")
        if count >= limits.rooms and not db.run(WITHOUT_STUDENTS.format(""), unused):
            raise TooManyError(
                f"{count} rooms are open, and no more are allowed; delete one, {waiting}"
            )

    def ticket(self, room: str) -> str:
        """What a page gives to who has entered a room: all processes know it again."""
        return hmac.new(self._key, room.encode("utf-8", "replace"), "sha256").hexdigest()

    def is_ticket(self, room: str, ticket: str) -> bool:
        """Whether a page gave this ticket for the room."""
        return hmac.compare_digest(self.ticket(room).encode(), ticket.encode("utf-8", "replace"))

    def state(self, room: str) -> RoomState:
        """A room as it is now. Raises: RoomError if there is none, or no longer."""
        return self._state(self.store, room)

    def _state(self, reader: Reader, room: str) -> RoomState:
        columns = "opened, version, n_writes, state, number, moment, n_moments, posed"
        joined = f"{columns} FROM rooms LEFT JOIN questions USING (room, number)"
        *about, kept = self._row(reader, room, joined)
        about.append(question_from_json(kept) if kept else None)
        return RoomState(room, *about)

    def _row(self, reader: Reader, room: str, columns: str) -> Any:
        query = f"SELECT {columns} JOIN uses USING (room) WHERE room = ? AND uses.at > ?"
        for row in reader.read(query, room, self._now() - self.limits.lasts):
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
            db.run("DELETE FROM people WHERE at < ?", now - lasts)
            db.run(KEEP_PEOPLE, process, count, now, room)
            self._use(db, room, with_students=count > 0)

    def _use(self, db: Transaction, room: str, with_students: bool = False) -> None:
        """A room is used now."""
        for table in ("uses", *(("attended",) if with_students else ())):
            db.run(f"UPDATE {table} SET at = ? WHERE room = ?", self._now(), room)

    def people_elsewhere(self, room: str, process: str, lasts: float) -> int:
        """How many people the other processes of the app have in a room."""
        about = "people WHERE room = ? AND process != ? AND at >= ?"
        query = f"SELECT coalesce(sum(count), 0) FROM {about}"
        ((count,),) = self.store.read(query, room, process, self._now() - lasts)
        return int(count)

    def is_teacher(self, room: str, secret: str) -> bool:
        """Whether a secret is the one of the room's teacher."""
        rows = self.store.read("SELECT secret FROM rooms WHERE room = ?", room)
        return bool(rows) and is_secret(secret, rows[0][0])

    def check_teacher(self, room: str, secret: str) -> None:
        """Raises: RoomError if there is no such room, RightsError for a wrong secret."""
        (kept,) = self._row(self.store, room, "secret FROM rooms")
        if not is_secret(secret, kept):
            raise RightsError(
                f"Only the teacher of room {room} may do this; open the teacher's link again"
            )

    def ask(self, room: str, secret: str, posed: Question) -> int:
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
            db.run("INSERT INTO questions VALUES (?, ?, ?)", *row)
            self._change(db, room, "state = 'closed', number = ?", number + 1)
        return int(number) + 1

    def set_state(self, room: str, secret: str, state: str) -> None:
        """Open the vote, close it, or reveal the answer. state: one of `VOTE_STATES`.

        Raises: SettingsError for another one, or before the first question.
        """
        self.check_teacher(room, secret)
        check_choice("state", state, VOTE_STATES)
        with self._writing() as db:
            if not _first_value(db, "SELECT number FROM rooms WHERE room = ?", room):
                raise SettingsError(f"Room {room} has no question yet; choose one first")
            self._change(db, room, "state = ?", state)

    def move(self, room: str, secret: str, moment: str) -> None:
        """Send the students who follow to a page of this app, such as /scores?head=1; from a page
        with answers to the page of their room.
        """
        self.check_teacher(room, secret)
        if _checked_page(moment) in PAGES_WITH_ANSWERS:
            moment = f"/class?room={room}"
        with self._writing() as db:
            if _first_value(db, "SELECT moment FROM rooms WHERE room = ?", room) != moment:
                self._change(db, room, "moment = ?, n_moments = n_moments + 1", moment)

    def end(self, room: str, secret: str, moment: str) -> None:
        """End the class: students are thanked, and get a link to a page of this app. Another
        question goes on with it.
        """
        self.check_teacher(room, secret)
        _checked_page(moment)
        with self._writing() as db:
            change = "state = 'ended', moment = ?, n_moments = n_moments + 1"
            self._change(db, room, change, moment)

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
        refusals: list[AttentionError | None] = [None] * len(votes)
        by_room: dict[str, list[int]] = {}
        for place, vote in enumerate(votes):
            by_room.setdefault(vote.room, []).append(place)
        with self._writing() as db:
            for room, places in by_room.items():
                now, own = self._state_or_error(db, room), [votes[place] for place in places]
                errors = write_votes(db, own, now, self.limits, self.clock())
                for place, error in zip(places, errors, strict=True):
                    refusals[place] = error
                if count := errors.count(None):
                    db.run("UPDATE rooms SET n_writes = n_writes + ? WHERE room = ?", count, room)
                    self._use(db, room, with_students=True)
        return refusals

    def _state_or_error(self, db: Reader, room: str) -> RoomState | AttentionError:
        try:
            return self._state(db, room)
        except AttentionError as error:
            return error

    def delete(self, room: str, secret: str) -> None:
        """Delete a room with its questions and votes, for good."""
        self.check_teacher(room, secret)
        with self._writing() as db:
            db.run("DELETE FROM rooms WHERE room = ?", room)
        self.store.forget()

    def delete_old(self) -> None:
        """Delete every room that nobody has used for too long."""
        with self._writing() as db:
            deleted = db.run(UNUSED, self._now() - self.limits.lasts)
        if deleted:
            self.store.forget()

    def _change(self, db: Transaction, room: str, change: str, *given: object) -> None:
        """Change a room, which uses it; all who wait for news see a new version."""
        db.run(f"UPDATE rooms SET version = version + 1, {change} WHERE room = ?", *given, room)
        self._use(db, room)


def _checked_page(moment: str) -> str:
    """The URL path of a moment. Raises: SettingsError if it is no page of this app."""
    page = _MOMENT.fullmatch(moment)
    if len(moment) > MAX_MOMENT or page is None or page[1] not in URL_PATHS:
        raise SettingsError(
            f"moment must be a page of this app, such as /scores?head=1, with at most"
            f" {MAX_MOMENT} characters; it is “{moment[:40]}”; show another page"
        )
    return page[1]


def _first_value(db: Reader, query: str, *given: object) -> Any:
    """The first column of the first row; 0 if there is no row."""
    rows = db.read(query, *given)
    return rows[0][0] if rows else 0


def _count(db: Reader, table: str, *given: object) -> int:
    """How many rows of a table, such as "FROM rooms WHERE room = ?"."""
    return int(_first_value(db, f"SELECT count(*) {table}", *given))


def _seconds(db: Reader) -> float:
    """The seconds of the place; a number also where a file is damaged."""
    return float(_first_value(db, "SELECT coalesce(sum(seconds), 0) FROM running"))
