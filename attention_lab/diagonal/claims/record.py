"""A claim about attention: who makes it, its verdict, the correct statement, and its check.

Checks share the rest: the layer on which claims are tried, comparisons of arrays, and formats of
numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array
from attention_core.projections import Projections

from ...notation.texts import NOTATIONS
from ..measures import TOLERANCE
from ..token_matrices import gaussian_tokens

ALWAYS, CONDITION, FALSE = "always", "condition", "false"

# What most learners meet comes first, the five texts whose notations the app knows come last.
TEXTS = {
    "popular": "Often said",
    "vaswani": "Vaswani et al. 2017, Attention Is All You Need",
    "alammar": "Alammar 2018, The Illustrated Transformer",
    "dong": "Dong et al. 2021, Attention is not all you need",
} | {key: text.title for key, text in NOTATIONS.items() if not text.has_our_letters}

# The layer on which claims are tried: five tokens of six features, two heads.
EXAMPLE_TOKENS, EXAMPLE_WIDTH, EXAMPLE_HEADS = 5, 6, 2
EXAMPLE_X = gaussian_tokens(EXAMPLE_TOKENS, EXAMPLE_WIDTH)
EXAMPLE_LAYER = Projections.random(EXAMPLE_WIDTH, EXAMPLE_HEADS)


@dataclass(frozen=True)
class Evidence:
    """The result of a check. claimed: whether the claim holds as worded. corrected: whether the
    correct statement holds. sentence: the numbers that show it.
    """

    claimed: bool
    corrected: bool
    sentence: str


ClaimCheck = Callable[[], Evidence]


@dataclass(frozen=True)
class Claim:
    """A claim of one of the `TEXTS`. statement: in a few words of the text or in ours. status: its
    verdict: always, condition or false. correction: the correct statement, or what to add.

    check: a computation with fixed seeds. Unless a claim is always true, its check shows a case in
    which it fails; the correct statement holds there.
    """

    text: str
    name: str
    statement: str
    status: str
    correction: str
    check: ClaimCheck

    @property
    def id(self) -> str:
        """The claim's name among all claims."""
        return f"{self.text}-{self.name}"


def claims_of(text: str) -> Callable[[str, str, str], Callable[[ClaimCheck], Claim]]:
    """The decorator that declares the claims of one text. It stands above the function that checks
    a claim; the name of this function is the name of the claim.
    """

    def claim(statement: str, status: str, correction: str) -> Callable[[ClaimCheck], Claim]:
        return lambda check: Claim(
            text, check.__name__.replace("_", "-"), statement, status, correction, check
        )

    return claim


def fits(*matrices: Array) -> bool:
    """Whether matrices can be multiplied in this order.

    >>> fits(np.ones((2, 3)), np.ones((3, 4))), fits(np.ones((2, 3)), np.ones((2, 3)))
    (True, False)
    """
    return all(one.shape[1] == other.shape[0] for one, other in pairwise(matrices))


def score_deviations(width: int, *divisors: float) -> list[float]:
    """The standard deviation of scores of Gaussian queries and keys, divided by each divisor."""
    query, key = gaussian_tokens(400, width, seed=1), gaussian_tokens(400, width, seed=2)
    deviation = float((query @ key.T).std())
    return [deviation / divisor for divisor in divisors]


def max_difference(one: ArrayLike, other: ArrayLike) -> float:
    """The largest difference between two arrays of numbers."""
    return float(np.abs(np.asarray(one) - np.asarray(other)).max())


def are_equal(one: ArrayLike, other: ArrayLike) -> bool:
    """Whether two arrays hold the same numbers, up to rounding."""
    return max_difference(one, other) < 1e-9


def format_gap(error: float) -> str:
    """A difference to read: 0 if it is rounding alone, two decimals if it is large.

    >>> format_gap(2.2e-16), format_gap(6e-6), format_gap(0.25)
    ('0', '6e-06', '0.25')
    """
    if abs(error) < TOLERANCE:
        return "0"
    return f"{error:.0e}" if error < 1e-3 else f"{error:.2f}"


def format_shape(matrix: Array) -> str:
    """The shape of an array, such as 12 × 4."""
    return " × ".join(str(length) for length in matrix.shape)
