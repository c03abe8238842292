"""Homework: the same questions for all students; a seed gives each student other numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from attention_core.trace import Trace

from .choices import SEEDED_WEIGHTS, resolve
from .practice import MAX_QUESTION_NUMBER, PracticeQuestion, asked_cell, question_at
from .scenario import Scenario, trace_of

MAX_QUESTIONS = 12
MAX_STUDENT = 9999
MAX_TRIED = 60  # questions: a small layer repeats some cells


@dataclass(frozen=True)
class Homework:
    """A set of questions. first: the number of the first `asked_cell`; count: how many.

    >>> [one.exact.field for one in Homework(Scenario(), 1, 3).questions(17)]
    ['scaled_scores', 'merged', 'scores']
    """

    scenario: Scenario
    first: int = 1
    count: int = 6

    @property
    def differs_by_student(self) -> bool:
        """Whether each student gets other numbers: a seed decides the weights."""
        return resolve(self.scenario).weights in SEEDED_WEIGHTS

    def students(self, last: int) -> range:
        """Students 1 to `last`; only 0 if all get the same numbers."""
        if self.differs_by_student:
            return range(1, last + 1)
        return range(1)

    def seed(self, student: int) -> int:
        """The student's number as the seed; 0 if all get the same numbers."""
        return student * self.differs_by_student

    def trace(self, student: int) -> Trace:
        """The layer of a student, whose number is the seed. Raises: AttentionError."""
        return trace_of(replace(self.scenario, seed=student) if student else self.scenario)

    def questions(self, student: int) -> list[PracticeQuestion]:
        """The questions on a student's layer, no cell twice, in the same order for all. The layer
        of the scenario's own seed decides the cells.

        Raises: SettingsError if no step of the layer is short enough to work out by hand.
        """
        trace, deciding = self.trace(student), trace_of(self.scenario)
        found: dict[tuple[str, tuple[int, ...]], PracticeQuestion] = {}
        for place in range(self.first - 1, self.first - 1 + MAX_TRIED):
            cell = asked_cell(deciding, place % MAX_QUESTION_NUMBER + 1)
            if cell not in found:
                found[cell] = question_at(trace, *cell)
            if len(found) == self.count:
                break
        return list(found.values())

    def key(self, students: Iterable[int]) -> list[tuple[int, int, str, float, float]]:
        """The key: for each student and question, the step, the answer, and how far an answer may
        be off.
        """
        return [
            (student, place, one.exact.field, one.answer, one.tolerance)
            for student in students
            for place, one in enumerate(self.questions(student), 1)
        ]
