"""What is true about the diagonal of weightless attention, S1 to S14: statement, status, proof,
live check.

The scores are s_ij = x_i·x_j/τ with τ = √d, Z_i is the sum of exp s_ik over k, and a_ij =
exp(s_ij)/Z_i. With tied weights everything holds for the queries x W in the place of the tokens.
The bound S4 and the sentence S5 are those of the slides; the rest says what becomes of them.
"""

from __future__ import annotations

from attention_core.checks import short_repr
from attention_core.errors import SettingsError

from .pairs import PAIR_PROPOSITIONS
from .record import Proposition
from .rows import ROW_PROPOSITIONS

PROPOSITIONS: tuple[Proposition, ...] = tuple(
    sorted((*PAIR_PROPOSITIONS, *ROW_PROPOSITIONS), key=lambda one: int(one.number[1:]))
)


def proposition(number: str) -> Proposition:
    """The proposition of a number such as "S4". Raises: SettingsError."""
    found = {candidate.number: candidate for candidate in PROPOSITIONS}
    if not isinstance(number, str) or number not in found:
        raise SettingsError(
            f"number is {short_repr(number)} but must be S1 to S{len(PROPOSITIONS)}"
        )
    return found[number]
