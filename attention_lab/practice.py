"""Questions to work out by hand: one cell of a step, from the rounded numbers on a page.

Worked examples fade: help with a question shows all of the arithmetic, all but one term, all but
the result, or nothing.

Homework asks all students the same questions; a seed gives each student other numbers.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from attention_core.checks import Array, check_choice
from attention_core.derivation import Derivation, array_of, derive, expand
from attention_core.errors import SettingsError
from attention_core.initialisation import Stream, generator
from attention_core.trace import STEPS, Trace

from .choices import resolve
from .export.csv_text import csv_text
from .files.file_checks import typed_number
from .quiz import Question
from .scenario import Scenario, trace_of

ASKED_FIELDS = (
    *("queries", "keys", "values", "scores", "scaled_scores", "probabilities", "head_outputs"),
    *("merged", "output"),
)
ASKED_TITLES = {STEPS[field].title: field for field in ASKED_FIELDS}
MAX_TERMS = 16  # of a sum to work out by hand
MAX_QUESTION_NUMBER = 9999
MAX_CELLS_TRIED = 60  # until a cell tells something
_MIN_DECIMALS, _MAX_DECIMALS = 2, 8
_LEAST = 0.005  # with two decimals it is not 0


@dataclass(frozen=True, kw_only=True, eq=False)
class PracticeQuestion(Question):
    """A question about one cell: its value, or, for the merged heads, its column.

    exact: the arithmetic of the cell; rounded: the same with all its operands rounded to
    `decimals`. Who shows it adds its words, which depend on the notation.
    """

    exact: Derivation
    rounded: Derivation
    decimals: int


def askable_fields(trace: Trace) -> tuple[str, ...]:
    """The fields whose cells can be worked out by hand: finite numbers of at most 16 terms."""
    return tuple(
        field for field in ASKED_FIELDS if _is_short(trace, field) and len(_cells(trace, field))
    )


def practice_question(trace: Trace, number: int, field: str = "") -> PracticeQuestion:
    """A question on the first sequence. number, from 1: decides the cell, and the field if that is
    "".

    Raises: SettingsError for a field that is not askable, or if none is.

    >>> from attention_core import Projections, attend
    >>> question = practice_question(attend([[1.0], [2.0]], Projections.weightless(1)), 1, "scores")
    >>> question.judge(question.value).right, question.judge(question.value + 0.01).right
    (True, False)
    """
    return question_at(trace, *asked_cell(trace, number, field))


def asked_cell(trace: Trace, number: int, field: str = "") -> tuple[str, tuple[int, ...]]:
    """The field and the index of a question with a number.

    The fields take turns: sums before what is a single product or a place, short ones first. Where
    a layer holds many zeros, the cell is one with several terms that are not 0, as far as a number
    of draws finds one. Raises: SettingsError as above.
    """
    rng = generator(number, Stream.QUESTIONS)
    fields = askable_fields(trace)
    if not fields:
        raise SettingsError(
            "No step of this layer is short enough to work out by hand; choose smaller sizes"
        )
    turns = sorted(fields, key=lambda name: (_n_terms(trace, name) == 1, _n_terms(trace, name)))
    chosen = check_choice("field", field, ("", *fields)) or turns[(number - 1) % len(fields)]
    cells, most, best = _cells(trace, chosen), -1, ()
    for _ in range(MAX_CELLS_TRIED):
        index = (0, *cells[rng.integers(len(cells))].tolist())
        told = n_telling(derive(trace, chosen, index))
        if told > most:
            most, best = told, index
        if most >= min(2, _n_terms(trace, chosen)):
            break
    return chosen, best


def n_telling(cell: Derivation) -> int:
    """How many terms of a cell are not 0 with two decimals; of a share that is not 0, how many
    different exponentials its row has.

    The merged heads ask for a place, whatever stands there.
    """
    if cell.field == "merged":
        return 1
    if cell.operation == "softmax":
        return len({term.value for term in cell.terms}) * (cell.result >= _LEAST)
    return sum(all(abs(factor.value) >= _LEAST for factor in t.factors) for t in cell.terms)


def question_at(trace: Trace, field: str, index: tuple[int, ...]) -> PracticeQuestion:
    """The question about a cell."""
    exact = derive(trace, field, index)
    factors = [f.value for t in exact.terms for f in t.factors if math.isfinite(f.value)]
    largest = max(map(abs, factors), default=0.0)
    digits = _MIN_DECIMALS - math.floor(math.log10(largest)) if largest else _MIN_DECIMALS
    decimals = min(max(_MIN_DECIMALS, digits), _MAX_DECIMALS)
    if all((8 * one).is_integer() for one in factors) and decimals == _MIN_DECIMALS:
        decimals += not all((4 * one).is_integer() for one in factors)  # an eighth has three

    def rounded(name: str, at: tuple[int, ...]) -> float:
        return float(np.round(array_of(trace, name)[at], decimals))

    arithmetic = expand(trace.rule(field), field, index, rounded, exact.result)
    number, tolerance = float(index[-1]), 0.0  # the merged heads ask for a place
    if field != "merged":
        number = exact.result
        tolerance = _tolerance(decimals, arithmetic.recompute() - number)
    return PracticeQuestion(
        text="",
        why="",
        number=number,
        tolerance=tolerance,
        exact=exact,
        rounded=arithmetic,
        decimals=decimals,
    )


def _tolerance(decimals: int, error: float) -> float:
    """The largest error of a right answer: half a unit of the last decimal, plus the error from the
    rounded operands.
    """
    return 0.5 * 10.0**-decimals + abs(error)


def _is_short(trace: Trace, field: str) -> bool:
    if field == "output" and trace.projections.w_o is None:
        return False  # without W_O the output equals the merged heads
    return trace.rule(field).softcap is None and _n_terms(trace, field) <= MAX_TERMS


def _n_terms(trace: Trace, field: str) -> int:
    rule = trace.rule(field)
    return rule.length + len(rule.adds)


def _cells(trace: Trace, field: str) -> Array:
    """The cells to ask for: finite, and for shares those of keys that are not hidden, in rows with
    several of them if there are any.

    Shapes: (number of cells, axes of the field but the first).
    """
    allowed = np.isfinite(getattr(trace, field)[0])
    if field == "probabilities":
        seen_HTS = ~trace.hidden[0] & allowed
        several_HTS = seen_HTS & (seen_HTS.sum(axis=-1, keepdims=True) > 1)
        allowed = several_HTS if several_HTS.any() else seen_HTS
    return np.argwhere(allowed)


def parse_answer(text: str) -> float:
    """A number as people write it: with a decimal comma or a minus sign, as a percentage or a
    fraction. NaN for any other text.

    >>> parse_answer("−0,5"), parse_answer("12 %"), parse_answer("2/3"), parse_answer("many")
    (-0.5, 0.12, 0.6666666666666666, nan)
    """
    text = text.strip().replace("−", "-").replace(",", ".")
    if text.endswith("%"):
        return typed_number(text[:-1].strip()) / 100
    numerator, slash, denominator = text.partition("/")
    if not slash:
        return typed_number(text)
    divisor = typed_number(denominator)
    return typed_number(numerator) / divisor if divisor else math.nan


HELP_LEVELS = ("own layer", "result missing", "one term missing", "worked")


@dataclass(frozen=True)
class TermLine:
    """One term of the arithmetic. factors: the numbers that are multiplied, or the score in the
    exponential; value: the result, None if it is asked for.
    """

    factors: tuple[float, ...]
    value: float | None


@dataclass(frozen=True)
class FadedExample:
    """The part of the arithmetic that a level shows. result: None if it is not shown. missing: the
    index of the term that is asked for, or None. asked: the question for it, or for the result.
    """

    lines: tuple[TermLine, ...]
    result: float | None
    decimals: int
    asked: Question
    missing: int | None = None


def fade_example(question: PracticeQuestion, level: str) -> FadedExample:
    """The part of a question's arithmetic that a level of `HELP_LEVELS` shows; if one term is
    missing, it is the largest.

    >>> from attention_core import Projections, attend
    >>> from attention_lab.practice import practice_question
    >>> question = practice_question(attend([[1.0], [2.0]], Projections.weightless(1)), 1, "scores")
    >>> fade_example(question, "own layer").lines
    ()
    >>> fade_example(question, "worked").result == question.value
    True
    """
    decimals, terms = question.decimals, question.rounded.terms
    lines = tuple(TermLine(tuple(f.value for f in term.factors), term.value) for term in terms)
    if level != "one term missing":
        result = question.value if level == "worked" else None
        return FadedExample(() if level == "own layer" else lines, result, decimals, question)
    missing = max(range(len(lines)), key=lambda index: abs(terms[index].value))
    exact, rounded = question.exact.terms[missing].value, terms[missing].value
    term = Question("", "", number=exact, tolerance=_tolerance(decimals, rounded - exact))
    hidden = TermLine(lines[missing].factors, None)
    shown = (*lines[:missing], hidden, *lines[missing + 1 :])
    return FadedExample(shown, question.value, decimals, term, missing)


MAX_QUESTIONS = 12
MAX_STUDENT = 9999
MAX_TRIED = 60  # questions: a small layer repeats some cells


@dataclass(frozen=True)
class Homework:
    """A set of questions. first: the number of the first `asked_cell`; count: how many.

    >>> [one.exact.field for one in Homework(Scenario(), 1, 3).questions(17)]
    ['scores', 'probabilities', 'head_outputs']
    """

    scenario: Scenario
    first: int = 1
    count: int = 6

    @property
    def differs_by_student(self) -> bool:
        """Whether each student gets other numbers: a seed decides the weights."""
        return resolve(self.scenario).weights.is_drawn

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
        by_cell: dict[tuple[str, tuple[int, ...]], PracticeQuestion] = {}
        for place in range(self.first - 1, self.first - 1 + MAX_TRIED):
            cell = asked_cell(deciding, place % MAX_QUESTION_NUMBER + 1)
            if cell not in by_cell:
                by_cell[cell] = question_at(trace, *cell)
            if len(by_cell) == self.count:
                break
        return list(by_cell.values())

    def key(self, last: int) -> str:
        """The key for students 1 to `last` as CSV, for all at once if they share their numbers: for
        each student and question, the step, the answer, and how far an answer may be off.
        """
        columns = ("student", "question", "step", "answer", "tolerance")
        students = range(1, last + 1) if self.differs_by_student else (0,)
        lines = (
            (student, place, one.exact.field, one.value, one.tolerance)
            for student in students
            for place, one in enumerate(self.questions(student), 1)
        )
        return csv_text([columns, *lines])
