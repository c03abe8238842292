"""The propositions S1 to S14 about the diagonal of attention without weights.

The scores are s_ij = x_i·x_j/τ with τ = √d, Z_i is the sum of exp s_ik over k, and a_ij =
exp(s_ij)/Z_i. With tied weights all of them hold for the queries x W instead of the tokens.
S4 and S5 are claims of the slides; the others say what is true instead.
"""

from __future__ import annotations

from .pairs import PAIR_PROPOSITIONS
from .record import Proposition
from .rows import ROW_PROPOSITIONS

PROPOSITIONS: tuple[Proposition, ...] = tuple(
    sorted((*PAIR_PROPOSITIONS, *ROW_PROPOSITIONS), key=lambda one: int(one.number[1:]))
)


def find_proposition(number: str) -> Proposition:
    """The proposition of a number such as "S4"."""
    return next(one for one in PROPOSITIONS if one.number == number)
