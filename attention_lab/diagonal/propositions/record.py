"""A statement about the diagonal: its words, its formula, its proof and a live check."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from numpy.typing import ArrayLike

from .checks import Check
from .tokens import Tokens, weightless

THEOREM, FALSE, CONDITION = "theorem", "false", "condition"


@dataclass(frozen=True)
class Proposition:
    """One statement. says: in plain words; latex: as a formula; condition: what must hold for it,
    if anything.

    proof: its lines, with LaTeX between dollars; for a false statement the argument it is usually
    given, whose last line is `fails`, the step that does not hold. test: the live check on some
    tokens.
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
        """The verdict on weightless attention over some tokens. Shapes: x (T, D). Raises:
        AttentionError.

        >>> from attention_lab.diagonal.propositions.catalogue import proposition
        >>> verdict = proposition("S4").check([[1.0], [2.0], [3.0]])
        >>> verdict.holds, round(verdict.excess, 4), verdict.where
        (False, 0.1274, (0, 1))
        """
        return self.test(weightless(x, scale))
