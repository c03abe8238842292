"""Rooms for tests: a clock that is set by hand, questions, tokens."""

from __future__ import annotations

from attention_lab.classroom.rooms import Rooms
from attention_lab.quiz import Question, options_of

NUMBER = Question("2 × 3?", "2 × 3 = 6", number=6.0, given=(("the two", "2, 3"),), tolerance=0.05)
CHOICE = Question("Which sums to 1?", "A softmax.", options_of(("a column", "a row", "-x"), 1))


class Clock:
    """A clock that stands still until it is told to go on."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def token(visitor: int) -> str:
    """The token of a visitor's browser."""
    return f"visitor-{visitor:016d}"


def asked(rooms: Rooms, posed: Question = NUMBER) -> tuple[str, str]:
    """A room with an open vote: its letters and its secret."""
    made = rooms.open()
    rooms.ask(made.room, made.secret, posed)
    rooms.set_state(made.room, made.secret, "open")
    return made.room, made.secret
