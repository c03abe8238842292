"""Quotable claims about attention, each with its verdict, the corrected statement and a check
that runs on the spot.
"""

from __future__ import annotations

from attention_core.checks import short_repr
from attention_core.errors import SettingsError

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
    """The claim with an id such as "slides-pair-bound". Raises: SettingsError.

    >>> claim("slides-pair-bound").check().says
    'X = (3, 2, 1): α_32 = 0.2447, but α_33 = 0.0900 and α_22 = 0.1173.'
    """
    found = [
        candidate
        for candidate in CLAIMS
        if isinstance(identifier, str) and candidate.id == identifier
    ]
    if found:
        return found[0]
    raise SettingsError(
        f"there is no claim {short_repr(identifier)}; choose one such as {CLAIMS[0].id}"
    )


__all__ = ["ALWAYS", "CLAIMS", "CONDITION", "FALSE", "TEXTS", "Claim", "Evidence", "claim"]
