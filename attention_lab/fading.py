"""Worked examples that fade: help with a question by hand shows all of the arithmetic, all but one
term, all but the result, or nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from .practice import PracticeQuestion

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
    index of the term that is asked for, or None; term: its value.
    """

    lines: tuple[TermLine, ...]
    result: float | None
    decimals: int
    missing: int | None = None
    term: float = 0.0
    tolerance: float = 0.0

    def accepts(self, answer: float) -> bool:
        """Whether a number is the missing term, up to rounding; NaN never is."""
        return abs(answer - self.term) <= self.tolerance


def fade_example(question: PracticeQuestion, level: str) -> FadedExample:
    """The part of a question's arithmetic that a level of `HELP_LEVELS` shows; if one term is
    missing, it is the largest.

    >>> from attention_core import Projections, attend
    >>> from attention_lab.practice import practice_question
    >>> question = practice_question(attend([[1.0], [2.0]], Projections.weightless(1)), 1, "scores")
    >>> fade_example(question, "own layer").lines
    ()
    >>> fade_example(question, "worked").result == question.answer
    True
    """
    decimals, terms = question.decimals, question.rounded.terms
    lines = tuple(TermLine(tuple(f.value for f in term.factors), term.value) for term in terms)
    if level == "own layer":
        return FadedExample((), None, decimals)
    if level == "result missing":
        return FadedExample(lines, None, decimals)
    if level == "worked":
        return FadedExample(lines, question.answer, decimals)
    missing = max(range(len(lines)), key=lambda index: abs(terms[index].value))
    exact, rounded = question.exact.terms[missing].value, terms[missing].value
    hidden = TermLine(lines[missing].factors, None)
    return FadedExample(
        (*lines[:missing], hidden, *lines[missing + 1 :]),
        question.answer,
        decimals,
        missing,
        exact,
        0.5 * 10.0**-decimals * (1 + 1e-9) + abs(rounded - exact),
    )
