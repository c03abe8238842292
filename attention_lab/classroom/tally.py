"""The answers of a class: a histogram, and a table to download."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from attention_core.checks import is_finite_number
from attention_core.errors import FileError

from ..export.csv_text import csv_text
from ..quiz import Question
from .class_question import check_answer, question_from_json
from .rooms import Rooms

MAX_BARS = 8  # of different numbers; the rest is one bar
OTHER_LABEL = "other"
DAMAGED = "A vote of this room is damaged where it is kept; open a new room"


@dataclass(frozen=True)
class Bar:
    """One bar of the histogram: an answer, how often it was given, whether it is right."""

    label: str
    count: int
    is_right: bool


def read_answers(rooms: Rooms, room: str, number: int) -> list[float]:
    """All answers to a question, without their visitors.

    Raises: FileError if one is damaged where it is kept.
    """
    query = "SELECT answer FROM votes WHERE room = ? AND number = ?"
    answers = [answer for (answer,) in rooms.store.read(query, room, number)]
    if not all(map(is_finite_number, answers)):
        raise FileError(DAMAGED)
    return answers


def count_answers(rooms: Rooms, room: str, number: int) -> int:
    """The number of answers to a question."""
    query = "SELECT count(*) FROM votes WHERE room = ? AND number = ?"
    return int(rooms.store.read(query, room, number)[0][0])


def histogram(question: Question, given: Sequence[float]) -> list[Bar]:
    """How often each answer was given. A choice has a bar for each option. A number has one bar for
    all right answers, the seven most frequent wrong ones, and one for the rest.

    >>> asked = Question("2 × 3?", "2 × 3 = 6", number=6.0)
    >>> [(bar.label, bar.count, bar.is_right) for bar in histogram(asked, [6, 5, 6, 8])]
    [('5', 1, False), ('6', 2, True), ('8', 1, False)]
    """
    if question.kind == "choice":
        chosen = Counter(int(answer) for answer in given)
        return [Bar(one.label, chosen[i], one.right) for i, one in enumerate(question.options)]
    right = question.value
    counts = Counter(right if question.judge(answer).right else answer for answer in given)
    counts[right] += 0
    wrong = [answer for answer, _ in counts.most_common() if answer != right]
    shown = sorted([right, *wrong[: MAX_BARS - 1]])
    bars = [Bar(f"{answer:.6g}", counts[answer], answer == right) for answer in shown]
    rest = sum(counts[answer] for answer in wrong[MAX_BARS - 1 :])
    return [*bars, Bar(OTHER_LABEL, rest, False)] if rest else bars


def misconceptions_met(rooms: Rooms, room: str, secret: str) -> dict[str, tuple[int, int]]:
    """For each misconception among the options of the questions of a room how many answers gave it,
    and how many answers these questions had.

    Raises: RoomError, RightsError, FileError if a question or a vote is damaged.
    """
    fell, asked = Counter[str](), Counter[str]()
    for question, answers in asked_rounds(rooms, room, secret):
        for name in {name for one in question.options for name in one.misconceptions}:
            asked[name] += len(answers)
            fell[name] += sum(name in question.judge(one).misconceptions for one in answers)
    return {name: (fell[name], count) for name, count in asked.items()}


def asked_rounds(rooms: Rooms, room: str, secret: str) -> list[tuple[Question, list[float]]]:
    """The questions of a room in the order in which they were asked, with their answers; one that
    was asked twice is there twice.

    Raises: RoomError, RightsError, FileError if a question or a vote is damaged.
    """
    rooms.check_teacher(room, secret)
    query = "SELECT number, posed FROM questions WHERE room = ? ORDER BY number"
    return [
        (question_from_json(kept), read_answers(rooms, room, number))
        for number, kept in rooms.store.read(query, room)
    ]


def export_votes(rooms: Rooms, room: str, secret: str) -> str:
    """All votes of a room as CSV. Visitors are numbered in the order of their first votes, which
    stay theirs when they vote again. No cell is a formula.

    Raises: RoomError, RightsError, FileError if one is damaged where it is kept.
    """
    rooms.check_teacher(room, secret)
    query = (
        "SELECT votes.number, place, answer, at, posed FROM votes"
        " JOIN questions USING (room, number) LEFT JOIN students USING (room, visitor)"
        " WHERE room = ? ORDER BY votes.number, at, place"
    )
    lines: list[tuple[Any, ...]] = [("question", "text", "student", "answer", "right", "time")]
    for number, student, answer, at, kept in rooms.store.read(query, room):
        question = question_from_json(kept)
        try:
            value = check_answer(question, answer)
            time = datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")
        except (ValueError, TypeError, OverflowError, OSError) as error:
            raise FileError(DAMAGED) from error
        said = question.options[int(value)].label if question.kind == "choice" else f"{value:.12g}"
        right = "yes" if question.judge(value).right else "no"
        lines.append((number, question.text, student, said, right, time))
    return csv_text(lines)
