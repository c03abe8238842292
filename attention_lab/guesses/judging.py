"""Grading an answer, and finding the misconceptions that give it."""

from __future__ import annotations

from dataclasses import dataclass

from .record import Guess

NEAR_TOLERANCES = 5


@dataclass(frozen=True)
class GuessVerdict:
    """The grade of an answer: "right", "near", "sign" for the right number with the other sign, or
    "wrong"; and the ids of the misconceptions that give it.
    """

    grade: str
    misconceptions: tuple[str, ...] = ()

    @property
    def right(self) -> bool:
        """Whether it is right."""
        return self.grade == "right"


def judge(guess: Guess, answer: float | str) -> GuessVerdict:
    """Judge a typed number, or the value of an option.

    >>> from attention_core import Projections, attend
    >>> from attention_lab.guesses import guess_of
    >>> guess = guess_of(attend([[1.0], [2.0]], Projections.weightless(1)), "scores-number")
    >>> judge(guess, guess.number).right, judge(guess, 99.0).grade
    (True, 'wrong')
    """
    if isinstance(answer, str):
        for option in guess.options:
            if option.value == answer:
                grade = {True: "right", False: "wrong"}[option.right]
                return GuessVerdict(grade, option.misconceptions)
        return GuessVerdict("wrong")
    if guess.number is None:
        return GuessVerdict("wrong")
    tolerance = guess.tolerance * (1 + 1e-9)
    error = abs(answer - guess.number)
    if error <= tolerance:
        return GuessVerdict("right")
    believed = tuple(
        name
        for option in guess.options
        if not option.right and abs(answer - float(option.value)) <= tolerance
        for name in option.misconceptions
    )
    if believed:
        return GuessVerdict("wrong", believed)
    if abs(answer + guess.number) <= tolerance:
        return GuessVerdict("sign")
    return GuessVerdict("near" if error <= NEAR_TOLERANCES * tolerance else "wrong")
