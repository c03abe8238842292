"""Words made from numbers: signs, decimals, percent, sums whose digits add up, and which is more.

The facts of a page are numbers of these kinds: a sentence takes them in by name, and `str` writes
each as its kind is written everywhere.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from typing import Any, Literal

import numpy as np

from attention_core.checks import Array

NOISE, NOISE_SHARE = 5e-7, 1e-6
WHOLE = 1e-9  # the largest rounding error of a whole number, which has no decimals
DECIMALS = 4  # of a table of numbers
SMALL = 1e-3  # what is smaller beside the numbers around it is near 0


class Share(float):
    """A share, written in percent.

    >>> f"{Share(0.2447)}", f"{Share(-0.0001)}", f"{Share(-0.25)}", f"{Share(0.615, 0)}"
    ('24.5 %', '0.0 %', '−25.0 %', '62 %')
    """

    def __new__(cls, value: float, digits: int = 1) -> Share:
        """See the class."""
        made = super().__new__(cls, value)
        made.digits = digits
        return made

    digits: int

    def __str__(self) -> str:
        return f"{format_decimals(100 * self, self.digits)} %"


class Number(float):
    """A score, a logit or another measured number, with its sign. among: see `format_number`.

    >>> f"{Number(-2)}", f"{Number(-0.0)}", f"{Number(2.345, 1)}"
    ('−2.000', '0.000', '2.3')
    """

    def __new__(cls, value: float, digits: int = 3, among: float = 0.0) -> Number:
        """See the class."""
        made = super().__new__(cls, value)
        made.digits, made.among = digits, among
        return made

    digits: int
    among: float

    def __str__(self) -> str:
        return format_number(self, self.digits, self.among)


class Told(Number):
    """A number as sentences beside a picture tell it: a whole one has no decimals.

    >>> [str(Told(n)) for n in (14.0, -0.99361, 1 - 1e-15)]
    ['14', '−0.994', '1']
    """

    def __str__(self) -> str:
        if math.isfinite(self) and abs(self - round(self)) < WHOLE:
            return format_number(float(round(self)), 0, self.among)
        return super().__str__()


class Change(float):
    """By how much a number has changed, with the sign of its direction.

    >>> f"{Change(0.25)}", f"{Change(-0.25)}", f"{Change(0)}"
    ('+0.250', '−0.250', '0.000')
    """

    def __str__(self) -> str:
        return f"{'+' if self > 0 else ''}{format_number(self)}"


class Points(float):
    """By how much a share has changed.

    >>> f"{Points(0.125)}", f"{Points(-0.5)}"
    ('+12.5 percentage points', '−50.0 percentage points')
    """

    def __str__(self) -> str:
        return f"{'+' if self > 0 else ''}{format_decimals(100 * self, 1)} percentage points"


class Case(str):
    """Which of several sentences is said. It is not said itself."""


class Count(int):
    """How many there are.

    >>> f"{Count(163840)}"
    '163,840'
    """

    def __str__(self) -> str:
        return f"{int(self):,}"


def facts_said(facts: Any) -> Iterator[str]:
    """Every fact of a record of facts as a page writes it; what is None or empty is left out, and
    so is a choice between sentences (a bool or a `Case`). Facts of what a visitor opens first are
    those that a function gives.
    """
    match facts:
        case None | bool() | Case() | "":
            return
        case tuple() | list():
            for one in facts:
                yield from facts_said(one)
        case str() | float() | Count():
            yield str(facts)
        case int():
            return  # a place that has a name on the page
        case dict():
            yield from facts_said([*facts.values()])
        case Callable():
            yield from facts_said(facts())
        case _:
            for field in fields(facts):
                yield from facts_said(getattr(facts, field.name))


def more_or_less(
    first: float, second: float, rounding: float = 0.0
) -> Literal["more", "less", "equal"]:
    """How the first of two numbers compares with the second; up to rounding they are equal.

    >>> more_or_less(3, 2), more_or_less(-3, -2), more_or_less(0.0, -0.0)
    ('more', 'less', 'equal')
    """
    if abs(first - second) <= rounding:
        return "equal"
    return "more" if first > second else "less"


def without_noise(numbers: Array) -> Array:
    """Numbers in which those are 0 that rounding alone has left: below 5e-7, and below a millionth
    of the largest. The board, tables and texts show no others.

    >>> without_noise(np.array([1.22e-16, -1.0])).tolist(), without_noise(np.array([2e-9])).tolist()
    ([0.0, -1.0], [2e-09])
    """
    size = np.abs(numbers)
    largest = size.max(where=np.isfinite(size), initial=0.0)
    return np.where(size < min(NOISE, NOISE_SHARE * largest), 0, numbers)


def format_number(value: float, digits: int = 3, among: float = 0.0) -> str:
    """A number as text: with a minus sign, "−∞" for a masked score, an exponent only if needed.

    among: the largest of the numbers around it. What is small beside them and has no decimal left
    is "≈ 0". A sentence about shares or scores names it; where rounding itself is the subject, it
    is left out.

    >>> [format_number(n) for n in (-0.12345, float("-inf"), 0.00000123, 12345678.0)]
    ['−0.123', '−∞', '1.23e−06', '1.23e+07']
    >>> format_number(0.0000178, among=1.0)
    '≈ 0'
    """
    if 0 < abs(value) < min(10**-digits, SMALL * among):
        return "≈ 0"
    if value != 0 and math.isfinite(value) and not 10**-digits <= abs(value) < 10**6:
        return f"{value:.2e}".replace("-", "−")
    return format_decimals(value, digits)


def format_decimals(value: float, digits: int) -> str:
    """A number with a fixed number of decimals, for readers who calculate with the shown numbers.

    >>> [format_decimals(n, 2) for n in (-0.0099999998, 12345678.9, -0.001, float("-inf"))]
    ['−0.01', '12345678.90', '0.00', '−∞']
    """
    if math.isinf(value):
        return f"{value:.0f}".replace("inf", "∞").replace("-", "−")
    rounded = round(float(value), digits) + 0.0  # which turns a negative zero into zero
    return f"{rounded:.{digits}f}".replace("-", "−")


def decimals_for(largest: float) -> int:
    """The decimals of a table of numbers: four, or more if all of its numbers are small.

    >>> decimals_for(20.0), decimals_for(1.2345678e-6), decimals_for(0.0)
    (4, 10, 4)
    """
    return DECIMALS + max(0, -math.floor(math.log10(largest))) if largest else DECIMALS


def sum_in_digits(parts: Sequence[float], digits: int = 3) -> list[str]:
    """The parts of a sum and their total as texts that add up, digit for digit: where rounding
    would break the sum, the part nearest to the next digit is rounded the other way.

    >>> sum_in_digits([0.3334, 0.3334, 0.3334])
    ['0.334', '0.333', '0.333', '1.000']
    """
    unit = 10.0**digits
    scaled = [part * unit for part in parts]
    rounded = [math.floor(one) for one in scaled]
    missing = round(sum(scaled)) - sum(rounded)
    nearest = sorted(range(len(parts)), key=lambda n: (rounded[n] - scaled[n], n))
    for place in nearest[:missing]:
        rounded[place] += 1
    return [format_decimals(one / unit, digits) for one in (*rounded, sum(rounded))]


def as_sum(terms: Sequence[str]) -> str:
    """Numbers as texts, joined by their signs.

    >>> as_sum(["−0.5 (a)", "2.0", "−1.0"])
    '−0.5 (a) + 2.0 − 1.0'
    """
    joined = terms[0]
    for term in terms[1:]:
        joined += f" − {term[1:]}" if term.startswith("−") else f" + {term}"
    return joined


def is_rounded(value: float, digits: int = 3) -> bool:
    """Whether `format_number` leaves out digits that float32 holds (about seven).

    >>> [is_rounded(n) for n in (0.5, 0.1 + 0.2, 1 / 3, float("-inf"))], is_rounded(-3.081097, 4)
    ([False, False, True, False], True)
    """
    shown = float(format_number(value, digits).replace("−", "-").replace("∞", "inf"))
    return not math.isclose(shown, value, rel_tol=1e-7)


def with_minus_signs(text: str) -> str:
    """A text whose numbers have a minus sign in place of a hyphen.

    >>> with_minus_signs("S3-01: -0.15, up to 7e-16")
    'S3-01: −0.15, up to 7e−16'
    """
    return re.sub(r"(?<![\w)-])-(?=[\d.])|(?<=\de)-(?=\d)", "−", text)


def format_agreement(gap: float, rounding: float) -> str:
    """Whether numbers that were computed in two ways agree: a gap within rounding means equal.

    >>> format_agreement(4.4e-16, 1e-13), format_agreement(0.25, 1e-13)
    ('are equal', 'differ by at most 0.250')
    """
    if gap <= rounding:
        return "are equal"
    return f"differ by at most {format_number(gap)}"


def format_span(places: slice, thing: str) -> str:
    """A range of columns, rows or features, in words.

    >>> format_span(slice(4, 8), "column"), format_span(slice(4, 5), "column")
    ('columns 4 to 7', 'column 4')
    """
    first, last = places.start, places.stop - 1
    if first == last:
        return f"{thing} {first}"
    return f"{thing}s {first} to {last}"


def format_percent(value: float) -> str:
    """A share in percent.

    >>> format_percent(0.2447)
    '24.5 %'
    """
    return str(Share(value))
