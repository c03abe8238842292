"""A claim about attention: who makes it, its verdict, the correct statement, and its check."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array

from ...notation.texts import NOTATIONS
from ..measures import TOLERANCE

ALWAYS, CONDITION, FALSE = "always", "condition", "false"

TEXTS = {key: text.title for key, text in NOTATIONS.items() if not text.has_our_letters} | {
    "vaswani": "Vaswani et al. 2017, Attention Is All You Need",
    "alammar": "Alammar 2018, The Illustrated Transformer",
    "dong": "Dong et al. 2021, Attention is not all you need",
    "popular": "Often said",
}


@dataclass(frozen=True)
class Evidence:
    """The result of a check: whether the claim holds as worded, whether the correct statement
    holds, and the numbers.
    """

    claimed: bool
    corrected: bool
    says: str


@dataclass(frozen=True)
class Claim:
    """A claim of one of the `TEXTS`. said: in few words of the text or in ours. status: always,
    condition or false. truth: the correct statement, or what to add.

    check: a computation with fixed seeds. Unless a claim is always true, its check shows a case in
    which it fails; the correct statement holds there.
    """

    text: str
    name: str
    said: str
    status: str
    truth: str
    check: Callable[[], Evidence]

    @property
    def id(self) -> str:
        """The claim's name among all claims."""
        return f"{self.text}-{self.name}"


Check = Callable[[], Evidence]


def claims_of(text: str) -> Callable[[str, str, str], Callable[[Check], Claim]]:
    """What declares the claims of one text: put it above the function that checks a claim,
    which gives it its name.
    """

    def claim(said: str, status: str, truth: str) -> Callable[[Check], Claim]:
        return lambda check: Claim(
            text, check.__name__.replace("_", "-"), said, status, truth, check
        )

    return claim


def fits(*matrices: Array) -> bool:
    """Whether matrices can be multiplied in this order.

    >>> fits(np.ones((2, 3)), np.ones((3, 4))), fits(np.ones((2, 3)), np.ones((2, 3)))
    (True, False)
    """
    return all(one.shape[1] == other.shape[0] for one, other in pairwise(matrices))


def difference(one: ArrayLike, other: ArrayLike) -> float:
    """The largest difference between two arrays of numbers."""
    return float(np.abs(np.asarray(one) - np.asarray(other)).max())


def same(one: ArrayLike, other: ArrayLike) -> bool:
    """Whether two arrays hold the same numbers, up to rounding."""
    return difference(one, other) < 1e-9


def shown(error: float) -> str:
    """A difference as it is read: 0 where it is rounding alone, two decimals of a large one.

    >>> shown(2.2e-16), shown(6e-6), shown(0.25)
    ('0', '6e-06', '0.25')
    """
    if abs(error) < TOLERANCE:
        return "0"
    return f"{error:.0e}" if error < 1e-3 else f"{error:.2f}"


def size(matrix: Array) -> str:
    """The shape of an array in words, such as 12 × 4."""
    return " × ".join(str(length) for length in matrix.shape)
