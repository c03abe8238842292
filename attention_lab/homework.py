"""Homework: the same questions for all students in the same order, with own numbers by seed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from attention_core.trace import Trace

from .choices import SEEDED_WEIGHTS, resolve
from .practice import MAX_QUESTION_NUMBER, PracticeQuestion, practice_question
from .scenario import Scenario, trace_of

MAX_QUESTIONS = 12
MAX_STUDENT = 9999
_LOOKED_AT = 60  # numbers of questions: a small layer repeats some cells


@dataclass(frozen=True)
class Homework:
    """A set of questions. first: the number of the first `practice_question`; count: how many.

    >>> [one.exact.field for one in Homework(Scenario(), 1, 3).questions(17)]
    ['scaled_scores', 'merged', 'scores']
    """

    scenario: Scenario
    first: int = 1
    count: int = 6

    @property
    def has_own_numbers(self) -> bool:
        """Whether each student gets numbers of their own: a seed decides the weights."""
        return resolve(self.scenario).weights in SEEDED_WEIGHTS

    def trace(self, student: int) -> Trace:
        """The layer of a student, whose number is the seed. Raises: AttentionError."""
        return trace_of(replace(self.scenario, seed=student) if student else self.scenario)

    def questions(self, student: int) -> list[PracticeQuestion]:
        """The questions on a student's layer, no cell twice, in the same order for all.

        Raises: SettingsError where no step of the layer is short enough for a hand.
        """
        trace = self.trace(student)
        found: dict[tuple[str, tuple[int, ...]], PracticeQuestion] = {}
        for place in range(self.first - 1, self.first - 1 + _LOOKED_AT):
            question = practice_question(trace, place % MAX_QUESTION_NUMBER + 1)
            found.setdefault((question.exact.field, question.exact.index), question)
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
