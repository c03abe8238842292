"""A question with its right answer, and the verdict on an answer: guesses, practice, lessons, forms
of a test and classes ask with it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

NEAR_TOLERANCES = 5
ROUNDING = 1 + 1e-9  # of a tolerance: an answer at its edge is right
Picture = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Option:
    """One answer to choose.

    value: what is stored as the answer, for a number its digits. misconceptions: ids of those that
    give it. picture: rows of numbers from 0 to 1, if the answer is a picture.
    """

    value: str
    label: str
    right: bool = False
    misconceptions: tuple[str, ...] = ()
    picture: Picture = ()


@dataclass(frozen=True)
class Verdict:
    """The grade of an answer: "right", "near", "sign" for the right number with the other sign, or
    "wrong"; and the ids of the misconceptions that give it.
    """

    grade: str
    misconceptions: tuple[str, ...] = ()

    @property
    def right(self) -> bool:
        """Whether it is right."""
        return self.grade == "right"


@dataclass(frozen=True)
class Question:
    """A question: for a number, for one of several options, or, with neither, an open one.

    why: what is told with the answer. options: one of them is right; a number has them, too, if it
    may be chosen. tolerance: the largest error of a right number. given: lists of numbers from
    which to work it out, each with its name. hint: what helps after a wrong answer. shown: the
    number as it is told.
    """

    text: str
    why: str
    options: tuple[Option, ...] = ()
    number: float | None = None
    tolerance: float = 0.0
    given: tuple[tuple[str, str], ...] = ()
    hint: str = ""
    shown: str = ""

    @property
    def kind(self) -> str:
        """ "number", "choice" or "open"."""
        if self.number is not None:
            return "number"
        return "choice" if self.options else "open"

    @property
    def right(self) -> int:
        """The place of the right option; −1 without options."""
        return next((place for place, one in enumerate(self.options) if one.right), -1)

    @property
    def value(self) -> float:
        """The right answer as a number: of options its place."""
        return float(self.right) if self.number is None else self.number

    @property
    def answer(self) -> str:
        """The right answer in words or digits; "" for an open question."""
        if self.options:
            return self.options[self.right].label
        return self.shown or ("" if self.number is None else f"{self.number:.6g}")

    def judge(self, answer: float | str) -> Verdict:
        """The verdict on a number, on the place of an option where none is asked for, or on the
        value of an option.

        >>> asked = Question("2 × 3?", "", options_of(("5", "6"), 1))
        >>> asked.judge(1).right, asked.judge("0").grade
        (True, 'wrong')
        >>> Question("2 × 3?", "", number=6.0, tolerance=0.5).judge(-6.2).grade
        'sign'
        """
        if isinstance(answer, str) or self.number is None:
            chosen = [
                one
                for place, one in enumerate(self.options)
                if answer == (one.value if isinstance(answer, str) else place)
            ]
            if not chosen:
                return Verdict("wrong")
            return Verdict("right" if chosen[0].right else "wrong", chosen[0].misconceptions)
        return self._judge_number(answer, self.number)

    def _judge_number(self, answer: float, right: float) -> Verdict:
        tolerance = self.tolerance * ROUNDING
        if abs(answer - right) <= tolerance:
            return Verdict("right")
        believed = tuple(
            name
            for option in self.options
            if not option.right and abs(answer - float(option.value)) <= tolerance
            for name in option.misconceptions
        )
        if believed:
            return Verdict("wrong", believed)
        if abs(answer + right) <= tolerance:
            return Verdict("sign")
        near = abs(answer - right) <= NEAR_TOLERANCES * tolerance and math.isfinite(answer)
        return Verdict("near" if near else "wrong")


def options_of(
    labels: Sequence[str], right: int, misconceptions: Sequence[str] = ()
) -> tuple[Option, ...]:
    """Options with their places as values. right: the place of the right one. misconceptions: the
    id of the one that gives each option, or "".
    """
    names = misconceptions or ("",) * len(labels)
    return tuple(
        Option(str(place), label, place == right, (name,) if name else ())
        for place, (label, name) in enumerate(zip(labels, names, strict=True))
    )
