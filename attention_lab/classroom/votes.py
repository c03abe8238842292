"""Votes: what is written of them, in a room whose vote is open and where seats are left;
and how many people are in a room: those who have asked for its news a moment ago.
"""

from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from attention_core.errors import AttentionError

from ..quiz import Question
from .class_question import check_answer
from .letters import digest
from .limits import CLASS_LIMITS, ClosedError, Limits, TooManyError
from .store import Transaction


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
    question: Question | None


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


KEEP_VOTES = """
INSERT INTO votes VALUES {}
ON CONFLICT (room, number, visitor) DO UPDATE SET answer = excluded.answer, at = excluded.at
"""


def write_votes(
    db: Transaction,
    votes: Sequence[Vote],
    now: RoomState | AttentionError,
    limits: Limits,
    at: float,
) -> list[AttentionError | None]:
    """Write votes into their room as it is now; returns why not, for each. at: seconds since 1970.

    All together take a few sentences of SQL, each of which waits for a database elsewhere.
    """
    if isinstance(now, AttentionError):
        return [now] * len(votes)
    seats = _Seats(db, now, limits)
    answers: dict[bytes, float] = {}
    refusals: list[AttentionError | None] = []
    for vote in votes:
        visitor = digest(vote.token)
        try:
            answer = _checked(vote, now)
            seats.take(visitor, vote.source)
        except AttentionError as error:
            refusals.append(error)
            continue
        answers[visitor] = answer
        refusals.append(None)
    seats.keep(db)
    rows = [(now.room, now.number, visitor, answer, at) for visitor, answer in answers.items()]
    _insert(db, KEEP_VOTES, rows)
    return refusals


def _checked(vote: Vote, now: RoomState) -> float:
    """The answer. Raises: ClosedError if the vote is not open, SettingsError."""
    if now.question is None or now.state != "open" or now.number != vote.number:
        raise ClosedError("The vote on this question is closed; wait for the next question")
    return check_answer(now.question, vote.answer)


class _Seats:
    """Who has answered the question of a room, from which network."""

    def __init__(self, db: Transaction, now: RoomState, limits: Limits) -> None:
        self._asked, self._limits = (now.room, now.number), limits
        about = "WHERE room = ? AND number = ?"
        self._taken = {
            row[0] for row in db.read(f"SELECT visitor FROM votes {about}", *self._asked)
        }
        per_source = f"SELECT source, count(*) FROM voters {about} GROUP BY source"
        self._by_source: Counter[Any] = Counter(dict(db.read(per_source, *self._asked)))
        self._new: dict[bytes, bytes] = {}

    def take(self, visitor: bytes, network: str) -> None:
        """Give a visitor who has none a seat.

        Raises: TooManyError if none is left, for all or for the network.
        """
        source, limits = digest(network), self._limits
        if visitor in self._taken:
            return
        if self._by_source[source] >= limits.per_source:
            raise TooManyError(
                f"{limits.per_source} people have answered from your network address, and no more"
                " are allowed; open a second room"
            )
        if len(self._taken) >= limits.voters:
            raise TooManyError(
                f"{limits.voters} people have answered in this room, and no more are allowed; open"
                " a second room"
            )
        self._taken.add(visitor)
        self._by_source[source] += 1
        self._new[visitor] = source

    def keep(self, db: Transaction) -> None:
        """Write the new seats, and number those who have not answered in this room before."""
        if not self._new:
            return
        room = self._asked[0]
        rows = [(*self._asked, source, visitor) for visitor, source in self._new.items()]
        _insert(db, "INSERT INTO voters VALUES {}", rows)
        signs = ", ".join("?" * len(rows))
        query = f"SELECT visitor FROM students WHERE room = ? AND visitor IN ({signs})"
        known = {row[0] for row in db.read(query, room, *self._new)}
        ((count,),) = db.read("SELECT count(*) FROM students WHERE room = ?", room)
        unknown = [visitor for visitor in self._new if visitor not in known]
        numbered = [(room, visitor, place) for place, visitor in enumerate(unknown, count + 1)]
        _insert(db, "INSERT INTO students VALUES {}", numbered)


def _insert(db: Transaction, sentence: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert all rows by one sentence."""
    if rows:
        signs = ", ".join(f"({', '.join('?' * len(row))})" for row in rows)
        db.run(sentence.format(signs), *(value for row in rows for value in row))


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
