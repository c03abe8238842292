"""Help with a question to work out by hand, less from level to level: the whole arithmetic, all but
one term, all but the result, nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from attention_core.checks import check_choice, is_finite_number
from attention_core.derivation import Derivation

from .practice import PracticeQuestion

HELP_LEVELS = ("own layer", "result missing", "one term missing", "worked")


@dataclass(frozen=True)
class TermLine:
    """One term of the arithmetic. factors: the numbers that are multiplied, or the score of which
    the exponential is taken; value: what they make, None where it is asked for.
    """

    factors: tuple[float, ...]
    value: float | None


@dataclass(frozen=True)
class FadedExample:
    """What a level shows of a question. lines: its terms; result: None where it is not shown.
    missing: the place of the term that is asked for, None for none; places: decimals.
    """

    lines: tuple[TermLine, ...]
    result: float | None
    places: int
    missing: int | None = None
    term: float = 0.0
    room: float = 0.0

    def accepts(self, answer: float) -> bool:
        """Whether a number is the missing term, up to rounding; NaN never is."""
        return is_finite_number(answer) and abs(answer - self.term) <= self.room


def fade_example(question: PracticeQuestion, level: str) -> FadedExample:
    """What a level shows of a question; the largest term is the one that is missing. Raises:
    SettingsError.

    >>> from attention_core import Projections, attend
    >>> from attention_lab.practice import choose_question
    >>> question = choose_question(attend([[1.0], [2.0]], Projections.weightless(1)), 1, "scores")
    >>> fade_example(question, "own layer").lines
    ()
    >>> fade_example(question, "worked").result == question.answer
    True
    """
    check_choice("level", level, HELP_LEVELS)
    places, shown = question.places, question.shown
    if level == "own layer":
        return FadedExample((), None, places)
    lines = tuple(_line(shown, place) for place in range(len(shown.terms)))
    if level == "result missing":
        return FadedExample(lines, None, places)
    if level == "worked":
        return FadedExample(lines, question.answer, places)
    missing = max(range(len(lines)), key=lambda place: abs(shown.terms[place].value))
    exact, rounded = (one.terms[missing].value for one in (question.exact, shown))
    hidden = TermLine(lines[missing].factors, None)
    return FadedExample(
        (*lines[:missing], hidden, *lines[missing + 1 :]),
        question.answer,
        places,
        missing,
        exact,
        0.5 * 10.0**-places * (1 + 1e-9) + abs(rounded - exact),
    )


def _line(shown: Derivation, place: int) -> TermLine:
    term = shown.terms[place]
    return TermLine(tuple(factor.value for factor in term.factors), term.value)
