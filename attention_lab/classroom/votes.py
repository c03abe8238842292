"""A vote: what is written of it, in a room whose vote is open and where a seat is left."""

from __future__ import annotations

from dataclasses import dataclass

from attention_core.errors import AttentionError

from .class_question import ClassQuestion
from .letters import digest
from .limits import ClosedError, Limits, TooManyError
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
# How many seats of a question the visitor has, its network, and all; whether the visitor has a
# number in the room.
SEATS = """
SELECT (SELECT count(*) FROM votes WHERE room = ? AND number = ? AND visitor = ?),
    (SELECT count(*) FROM voters WHERE room = ? AND number = ? AND source = ?),
    (SELECT count(*) FROM votes WHERE room = ? AND number = ?),
    (SELECT count(*) FROM students WHERE room = ? AND visitor = ?)
"""
NEW_STUDENT = "INSERT INTO students SELECT room, ?, {} FROM rooms WHERE room = ?".format(
    "(SELECT count(*) + 1 FROM students WHERE students.room = rooms.room)"
)


def write_vote(
    db: Transaction, vote: Vote, now: RoomState | AttentionError, limits: Limits, at: float
) -> AttentionError | None:
    """Write a vote into its room as it is now; returns why not. at: seconds since 1970."""
    if isinstance(now, AttentionError):
        return now
    try:
        if now.question is None or now.state != "open" or now.number != vote.number:
            raise ClosedError("The vote on this question is closed; wait for the next question")
        answer, visitor = now.question.check_answer(vote.answer), digest(vote.token)
        _take_seat(db, vote, visitor, limits)
    except AttentionError as error:
        return error
    db.run(KEEP_VOTE, vote.room, vote.number, visitor, answer, at)
    return None


def _take_seat(db: Transaction, vote: Vote, visitor: bytes, limits: Limits) -> None:
    """Give a visitor who has not answered the question a seat.

    Raises: TooManyError if no seat is left, for all or for the network.
    """
    source, asked = digest(vote.source), (vote.room, vote.number)
    ((own, of_network, of_all, is_known),) = db.read(
        SEATS, *asked, visitor, *asked, source, *asked, vote.room, visitor
    )
    if own:
        return
    if of_network >= limits.per_source:
        raise TooManyError(
            f"{limits.per_source} people have answered from your network address, and no more are"
            " allowed; open a second room"
        )
    if of_all >= limits.voters:
        raise TooManyError(
            f"{limits.voters} people have answered in this room, and no more are allowed; open a"
            " second room"
        )
    db.run("INSERT INTO voters VALUES (?, ?, ?, ?)", *asked, source, visitor)
    if not is_known:
        db.run(NEW_STUDENT, visitor, vote.room)
