"""All claims about attention, text by text."""

from __future__ import annotations

from .doshi import DOSHI_CLAIMS
from .geometric_machine_learning import GML_CLAIMS
from .lecture_note import NOTE_CLAIMS
from .mql5 import MQL5_CLAIMS
from .papers import PAPER_CLAIMS
from .popular import POPULAR_CLAIMS
from .record import ALWAYS, CONDITION, FALSE, TEXTS, Claim, Evidence
from .slides import SLIDES_CLAIMS

CLAIMS: tuple[Claim, ...] = (
    *POPULAR_CLAIMS,
    *PAPER_CLAIMS,
    *GML_CLAIMS,
    *MQL5_CLAIMS,
    *DOSHI_CLAIMS,
    *SLIDES_CLAIMS,
    *NOTE_CLAIMS,
)


def find_claim(identifier: str) -> Claim:
    """The claim with an id such as "slides-pair-bound".

    >>> find_claim("slides-pair-bound").check().sentence
    'X = (3, 2, 1): α_32 = 0.2447, but α_33 = 0.0900 and α_22 = 0.1173.'
    """
    return next(one for one in CLAIMS if one.id == identifier)


__all__ = ["ALWAYS", "CLAIMS", "CONDITION", "FALSE", "TEXTS", "Claim", "Evidence", "find_claim"]
