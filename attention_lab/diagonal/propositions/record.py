"""A proposition about the diagonal: words, formula, proof and check."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from numpy.typing import ArrayLike

from .checks import PropositionCheck
from .tokens import UnmaskedAttention, weightless_attention

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
    proof: tuple[str, ...]
    verify: Callable[[UnmaskedAttention], PropositionCheck]
    condition: str = ""
    failing_step: str = ""

    def check(self, x: ArrayLike, scale: float | None = None) -> PropositionCheck:
        """The result for attention without weights over some tokens. Shapes: x (T, D). Raises:
        AttentionError.

        >>> from attention_lab.diagonal.propositions.catalogue import find_proposition
        >>> verdict = find_proposition("S4").check([[1.0], [2.0], [3.0]])
        >>> verdict.holds, round(verdict.excess, 4), verdict.where
        (False, 0.1274, (0, 1))
        """
        return self.verify(weightless_attention(x, scale))
