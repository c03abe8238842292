"""Questions to work out by hand: one cell of a step, from numbers rounded as they stand on a
page or on paper.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array, check_choice, is_finite_number
from attention_core.derivation import Derivation, array_of, derive, expand
from attention_core.errors import SettingsError
from attention_core.initialisation import Stream, generator
from attention_core.trace import Trace

ASKED_FIELDS = (
    "queries",
    "keys",
    "values",
    "scores",
    "scaled_scores",
    "probabilities",
    "head_outputs",
    "merged",
    "output",
)
MAX_TERMS = 16  # more are no work for a hand
MAX_QUESTION_NUMBER = 9999
_FEWEST_PLACES, _MOST_PLACES = 2, 8


@dataclass(frozen=True, eq=False)
class PracticeQuestion:
    """One cell that is asked for.

    exact: its arithmetic; shown: the same with every number it reads rounded to as many places,
    which are the decimals. Of a merged number it is asked in which column it stands, of all others
    how large it is.
    """

    exact: Derivation
    shown: Derivation
    places: int

    @property
    def answer(self) -> float:
        """What is asked for."""
        return float(self.exact.index[-1]) if self.exact.field == "merged" else self.exact.result

    @property
    def tolerance(self) -> float:
        """How far an answer may be off: half a unit of the last place, and what the rounding of
        the numbers does.
        """
        if self.exact.field == "merged":
            return 0.0
        return 0.5 * 10.0**-self.places * (1 + 1e-9) + abs(
            self.shown.recompute() - self.exact.result
        )

    def judge(self, answer: float) -> str:
        """What an answer is: "right", the right one with the other "sign", "near" it, or
        "wrong".
        """
        if self.accepts(answer):
            return "right"
        if self.accepts(-answer):
            return "sign"
        return "near" if abs(answer - self.answer) <= 10 * self.tolerance else "wrong"

    def accepts(self, answer: float) -> bool:
        """Whether an answer is right, worked out from the exact numbers or from the rounded
        ones; NaN never is.
        """
        return is_finite_number(answer) and abs(answer - self.answer) <= self.tolerance


def askable_fields(trace: Trace) -> tuple[str, ...]:
    """The fields of which a cell can be worked out by hand: of at most 16 terms, and with
    finite numbers.
    """
    return tuple(
        field for field in ASKED_FIELDS if _is_short(trace, field) and len(_cells(trace, field))
    )


def choose_question(trace: Trace, number: int, field: str = "") -> PracticeQuestion:
    """A question on the first sequence. number, from 1: decides which cell is asked for, and of
    which field if "".

    The fields take turns, those with the fewest terms first. Raises: SettingsError for a field that
    is none of the askable ones, also where there is none at all.

    >>> from attention_core import Projections, attend
    >>> question = choose_question(attend([[1.0], [2.0]], Projections.weightless(1)), 1, "scores")
    >>> question.accepts(question.answer), question.accepts(question.answer + 0.01)
    (True, False)
    """
    rng = generator(number, Stream.QUESTIONS)
    fields = askable_fields(trace)
    if not fields:
        raise SettingsError(
            "No step of this layer is short enough to be worked out by hand; choose smaller sizes"
        )
    in_turn = sorted(fields, key=lambda name: _n_terms(trace, name))[(number - 1) % len(fields)]
    asked = check_choice("field", field, ("", *fields)) or in_turn
    cells = _cells(trace, asked)
    return _question(trace, asked, (0, *cells[rng.integers(len(cells))].tolist()))


def _question(trace: Trace, field: str, index: tuple[int, ...]) -> PracticeQuestion:
    exact = derive(trace, field, index)
    largest = max(
        (abs(f.value) for t in exact.terms for f in t.factors if math.isfinite(f.value)),
        default=0.0,
    )
    digits = _FEWEST_PLACES - math.floor(math.log10(largest)) if largest else _FEWEST_PLACES
    places = min(max(_FEWEST_PLACES, digits), _MOST_PLACES)

    def rounded(name: str, at: tuple[int, ...]) -> float:
        return float(np.round(array_of(trace, name)[at], places))

    return PracticeQuestion(
        exact, expand(trace.rule(field), field, index, rounded, exact.result), places
    )


def _is_short(trace: Trace, field: str) -> bool:
    if field == "output" and trace.projections.w_o is None:
        return False  # it is the merged heads as they are
    return trace.rule(field).softcap is None and _n_terms(trace, field) <= MAX_TERMS


def _n_terms(trace: Trace, field: str) -> int:
    rule = trace.rule(field)
    return rule.length + len(rule.adds)


def _cells(trace: Trace, field: str) -> Array:
    """The cells that can be asked for: finite, and of the shares those of seen keys, beside others
    where there are any.

    Shapes: (any number, axes of the field but the first).
    """
    found = np.isfinite(getattr(trace, field)[0])
    if field == "probabilities":
        seen_HTS = ~trace.hidden[0] & found
        of_several_HTS = seen_HTS & (seen_HTS.sum(axis=-1, keepdims=True) > 1)
        found = of_several_HTS if of_several_HTS.any() else seen_HTS
    return np.argwhere(found)
