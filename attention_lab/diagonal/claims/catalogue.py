"""All claims about attention, text by text."""

from __future__ import annotations

from . import (
    doshi,
    geometric_machine_learning,
    language,
    lecture_note,
    papers,
    popular,
    slides,
)
from .record import ALWAYS, CONDITION, FALSE, TEXTS, Claim, Evidence

_MODULES = (popular, language, papers, geometric_machine_learning, doshi, slides, lecture_note)
_DECLARED = [one for module in _MODULES for one in vars(module).values() if isinstance(one, Claim)]
# In the order of the texts; those of one text in the order of their module.
CLAIMS = tuple(sorted(_DECLARED, key=lambda claim: list(TEXTS).index(claim.text)))


def find_claim(identifier: str) -> Claim:
    """The claim with an id such as "slides-pair-bound".

    >>> find_claim("slides-pair-bound").check().sentence
    'X = (3, 2, 1): α_32 = 0.2447, but α_33 = 0.0900 and α_22 = 0.1173.'
    """
    return next(one for one in CLAIMS if one.id == identifier)


__all__ = ["ALWAYS", "CLAIMS", "CONDITION", "FALSE", "TEXTS", "Claim", "Evidence", "find_claim"]
