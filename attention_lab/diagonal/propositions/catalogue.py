"""The propositions S1 to S14 about the diagonal of attention without weights: their words are rows
of `assets/data/propositions.csv`, each with the name of its check.

The scores are s_ij = x_i·x_j/τ with τ = √d, Z_i is the sum of exp s_ik over k, and a_ij =
exp(s_ij)/Z_i. With tied weights all that is proved holds for the queries x W instead of the tokens.
S4 and S5 are claims of the slides; the others say what is true instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from numpy.typing import ArrayLike

from ...home import read_table
from . import checks
from .checks import PropositionCheck, UnmaskedAttention, weightless_attention

THEOREM, FALSE, CONDITION = "theorem", "false", "condition"


@dataclass(frozen=True)
class Proposition:
    """One proposition. statement: in words; latex: as a formula; condition: what it needs, if
    anything.

    proof: its lines, with LaTeX between dollars. For a false proposition it is the usual argument,
    and `failing_step` is the step that does not hold. verify: the check on some tokens.
    """

    number: str
    title: str
    statement: str
    latex: str
    status: str
    condition: str
    failing_step: str
    proof: tuple[str, ...]
    verify: Callable[[UnmaskedAttention], PropositionCheck]

    def check(self, x: ArrayLike, scale: float | None = None) -> PropositionCheck:
        """The result for attention without weights over some tokens. Shapes: x (T, D). Raises:
        AttentionError.

        >>> from attention_lab.diagonal.propositions.catalogue import find_proposition
        >>> verdict = find_proposition("S4").check([[1.0], [2.0], [3.0]])
        >>> verdict.holds, round(verdict.excess, 4), verdict.where
        (False, 0.1274, (0, 1))
        """
        return self.verify(weightless_attention(x, scale))


_COLUMNS = ("number", "title", "statement", "latex", "status", "condition", "failing_step")
PROPOSITIONS = tuple(
    Proposition(
        proof=tuple(row["proof"].splitlines()),
        verify=getattr(checks, row["check"]),
        **{column: row[column] for column in _COLUMNS},
    )
    for row in read_table("propositions")
)


def find_proposition(number: str) -> Proposition:
    """The proposition of a number such as "S4"."""
    return next(one for one in PROPOSITIONS if one.number == number)
