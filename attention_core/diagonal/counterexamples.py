"""A search for tokens that violate a proposition: finds them for the false ones, and none for the others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..checks import Array, whole_number
from .proposition_checks import Check
from .propositions import Proposition

MOST_TRIES = 10_000


@dataclass(frozen=True, eq=False)
class Search:
    """What a search found: the tokens that violate a proposition most, or None, and what came nearest to it.

    tried: how many token matrices were looked at; applied: how many met the proposition's condition.
    """

    x: Array | None
    nearest: Check | None
    tried: int
    applied: int


def search(proposition: Proposition, *, n_tokens: int = 4, d_model: int = 2, seed: int = 0, tries: int = 300) -> Search:
    """Look for a counterexample among random tokens; the worst violation is returned. Raises: SettingsError.

    >>> from attention_core.diagonal.propositions import proposition
    >>> search(proposition("S4"), n_tokens=3, d_model=1).x.tolist()
    [[4.0], [1.0], [3.0]]
    """
    n, d = whole_number("n_tokens", n_tokens, 1), whole_number("d_model", d_model, 1)
    rng = np.random.default_rng(whole_number("seed", seed, 0, 2**64 - 1))
    found, nearest, applied = None, None, 0
    for _ in range(whole_number("tries", tries, 1, MOST_TRIES)):
        x_TD = candidate(proposition, rng, n, d)
        check = proposition.check(x_TD)
        applied += check.applies
        if not check.applies or (nearest is not None and check.excess <= nearest.excess):
            continue
        nearest = check
        found = found if check.holds else x_TD
    return Search(found, nearest, tries, applied)


def candidate(proposition: Proposition, rng: np.random.Generator, n_tokens: int, d_model: int) -> Array:
    """Random tokens that meet the proposition's condition: small whole numbers as often as real ones.

    Their lengths differ widely, because equal lengths hide what can go wrong. Shapes: (T, D).
    """
    if rng.random() < 0.5:
        x_TD = rng.integers(-4, 5, (n_tokens, d_model)).astype(np.float64)
    else:
        lengths_T1 = np.exp(rng.uniform(0.0, 1.5) * rng.standard_normal((n_tokens, 1)))
        # Two decimals are enough to violate what is false, and can be typed.
        x_TD = np.round(lengths_T1 * rng.standard_normal((n_tokens, d_model)), 2)
    if proposition.number == "S11" and n_tokens > 1:
        weights_N = rng.dirichlet(np.ones(n_tokens - 1))
        x_TD[0] = weights_N @ x_TD[1:]
    if proposition.number == "S12":
        x_TD[(x_TD == 0).all(axis=-1)] = 1.0
        x_TD = np.sqrt(d_model) * x_TD / np.linalg.norm(x_TD, axis=-1, keepdims=True)
    return x_TD
