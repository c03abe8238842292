"""All claims about attention, each with its verdict, the correct statement and a check."""

from __future__ import annotations

from . import doshi, geometric_machine_learning, lecture_note, mql5, papers, popular, slides
from .record import ALWAYS, CONDITION, FALSE, TEXTS, Claim, Evidence

CLAIMS: tuple[Claim, ...] = (
    *geometric_machine_learning.CLAIMS,
    *mql5.CLAIMS,
    *doshi.CLAIMS,
    *slides.CLAIMS,
    *lecture_note.CLAIMS,
    *papers.CLAIMS,
    *popular.CLAIMS,
)


def claim(identifier: str) -> Claim:
    """The claim with an id such as "slides-pair-bound".

    >>> claim("slides-pair-bound").check().says
    'X = (3, 2, 1): α_32 = 0.2447, but α_33 = 0.0900 and α_22 = 0.1173.'
    """
    return next(one for one in CLAIMS if one.id == identifier)


__all__ = ["ALWAYS", "CLAIMS", "CONDITION", "FALSE", "TEXTS", "Claim", "Evidence", "claim"]
