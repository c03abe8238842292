"""Rooms for tests: a clock that is set by hand, questions, tokens."""

from __future__ import annotations

from attention_lab.classroom.class_question import ClassQuestion
from attention_lab.classroom.rooms import Rooms

NUMBER = ClassQuestion(
    "number", "2 × 3?", 6.0, "2 × 3 = 6", given=(("the two", "2, 3"),), tolerance=0.05
)
CHOICE = ClassQuestion(
    "choice", "Which sums to 1?", 1.0, "A softmax.", options=("a column", "a row", "-x")
)


class Clock:
    """A clock that stands still until it is told to go on."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def token(visitor: int) -> str:
    """The token of a visitor's browser."""
    return f"visitor-{visitor:016d}"


def asked(rooms: Rooms, posed: ClassQuestion = NUMBER) -> tuple[str, str]:
    """A room with an open vote: its letters and its secret."""
    made = rooms.open()
    rooms.ask(made.room, made.secret, posed)
    rooms.set_state(made.room, made.secret, "open")
    return made.room, made.secret
