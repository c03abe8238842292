"""A proposition about the diagonal: words, formula, proof and check."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from numpy.typing import ArrayLike

from .checks import Check
from .tokens import Tokens, weightless

THEOREM, FALSE, CONDITION = "theorem", "false", "condition"


@dataclass(frozen=True)
class Proposition:
    """One proposition. says: in words; latex: as a formula; condition: what it needs, if anything.

    proof: its lines, with LaTeX between dollars. For a false proposition it is the usual argument,
    and `fails` is the step that does not hold. test: the check on some tokens.
    """

    number: str
    title: str
    says: str
    latex: str
    status: str
    proof: tuple[str, ...]
    test: Callable[[Tokens], Check]
    condition: str = ""
    fails: str = ""

    def check(self, x: ArrayLike, scale: float | None = None) -> Check:
        """The result for attention without weights over some tokens. Shapes: x (T, D). Raises:
        AttentionError.

        >>> from attention_lab.diagonal.propositions.catalogue import proposition
        >>> verdict = proposition("S4").check([[1.0], [2.0], [3.0]])
        >>> verdict.holds, round(verdict.excess, 4), verdict.where
        (False, 0.1274, (0, 1))
        """
        return self.test(weightless(x, scale))
