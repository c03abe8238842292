"""Numbers that count the arithmetic done with them: the oracle for every formula of a count."""

from __future__ import annotations

from collections import Counter

import numpy as np


class Counted:
    """A number that notes each multiplication and each addition in a tally."""

    def __init__(self, value: float, tally: Counter[str]) -> None:
        self.value, self.tally = value, tally

    def __mul__(self, other: Counted) -> Counted:
        self.tally["multiplications"] += 1
        return Counted(self.value * other.value, self.tally)

    def __add__(self, other: Counted) -> Counted:
        self.tally["additions"] += 1
        return Counted(self.value + other.value, self.tally)


def counted(array: np.ndarray, tally: Counter[str]) -> np.ndarray:
    """The same array of numbers that count."""
    return np.vectorize(lambda value: Counted(value, tally), otypes=[object])(array)
