"""What an answer is worth, and which misconceptions it shows."""

from __future__ import annotations

from dataclasses import dataclass

from attention_core.checks import is_finite_number

from .record import Guess

NEAR_TOLERANCES = 5  # tolerances


@dataclass(frozen=True)
class GuessVerdict:
    """How good an answer is: "right", "near", "sign" for the right number with the other sign, or
    "wrong"; and the ids of the misconceptions that give it.
    """

    said: str
    misconceptions: tuple[str, ...] = ()

    @property
    def right(self) -> bool:
        """Whether it is right."""
        return self.said == "right"


def judge(guess: Guess, given: float | str) -> GuessVerdict:
    """Judge a number that was typed, or the value of an option.

    >>> from attention_core import Projections, attend
    >>> from attention_lab.guesses import guess_of
    >>> guess = guess_of(attend([[1.0], [2.0]], Projections.weightless(1)), "scores-number")
    >>> judge(guess, guess.number).right, judge(guess, 99.0).said
    (True, 'wrong')
    """
    if isinstance(given, str):
        chosen = next((option for option in guess.options if option.value == given), None)
        if chosen is None:
            return GuessVerdict("wrong")
        return GuessVerdict("right" if chosen.right else "wrong", chosen.misconceptions)
    if guess.number is None or not is_finite_number(given):
        return GuessVerdict("wrong")
    room = guess.tolerance * (1 + 1e-9)
    off = abs(given - guess.number)
    if off <= room:
        return GuessVerdict("right")
    believed = tuple(
        name
        for option in guess.options
        if not option.right and abs(given - float(option.value)) <= room
        for name in option.misconceptions
    )
    if believed:
        return GuessVerdict("wrong", believed)
    if abs(given + guess.number) <= room:
        return GuessVerdict("sign")
    return GuessVerdict("near" if off <= NEAR_TOLERANCES * room else "wrong")
