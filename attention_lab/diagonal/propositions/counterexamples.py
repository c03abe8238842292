"""A search for tokens that violate a proposition."""

import math
from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array
from attention_core.numbers import check_room

from ...time_limit import check_seconds
from .catalogue import Proposition
from .checks import PropositionCheck


@dataclass(frozen=True, eq=False)
class Search:
    """The result of a search: the tokens that violate a proposition most, or None, and the check
    that came nearest to a violation.

    tried: the number of token matrices. applied: the number that met the condition of the
    proposition.
    """

    x: Array | None
    nearest: PropositionCheck | None
    tried: int
    applied: int


def search(
    proposition: Proposition,
    *,
    n_tokens: int = 4,
    d_model: int = 2,
    seed: int = 0,
    tries: int = 300,
) -> Search:
    """Search for a counterexample among random tokens, and give the worst.

    Raises: SettingsError for a search that would take too long.

    >>> from attention_lab.diagonal.propositions.catalogue import find_proposition
    >>> search(find_proposition("S4"), n_tokens=3, d_model=1).x.tolist()
    [[4.0], [1.0], [3.0]]
    """
    check_room(n_tokens=n_tokens, keys=n_tokens, d_model=d_model)
    rng = np.random.default_rng(seed)
    worst_TD, nearest, applied = None, None, 0
    seconds = tries * expected_check_seconds(proposition, n_tokens, d_model)
    check_seconds(seconds, "choose fewer tokens, features or tries")
    for _ in range(tries):
        x_TD = candidate(proposition, rng, n_tokens, d_model)
        check = proposition.check(x_TD)
        applied += check.applies
        if not check.applies or (nearest is not None and check.excess <= nearest.excess):
            continue
        nearest = check
        worst_TD = worst_TD if check.holds else x_TD
    return Search(worst_TD, nearest, tries, applied)


def expected_check_seconds(proposition: Proposition, n_tokens: int, d_model: int) -> float:
    """The approximate time of one try on one core: the pairs of tokens, and what some propositions
    need besides.
    """
    seconds = 3e-4 + 1e-7 * n_tokens**2 + 1e-9 * n_tokens**2 * d_model
    besides: dict[str, float] = {
        "S1": 5e-8 * n_tokens**2 * d_model,
        "S7": 5e-8 * n_tokens**2 * d_model,
        "S11": 7e-4 * n_tokens * math.cbrt(min(n_tokens, d_model)),
        "S13": 3e-8 * n_tokens**3,
    }
    return seconds + besides.get(proposition.number, 0.0)


def candidate(
    proposition: Proposition, rng: np.random.Generator, n_tokens: int, d_model: int
) -> Array:
    """Random tokens that meet the proposition's condition: half of them small whole numbers.

    Their lengths differ widely, because equal lengths hide violations. Shapes: (T, D).
    """
    if rng.random() < 0.5:
        x_TD = rng.integers(-4, 5, (n_tokens, d_model)).astype(np.float64)
    else:
        lengths_T1 = np.exp(rng.uniform(0.0, 1.5) * rng.standard_normal((n_tokens, 1)))
        # Two decimals are enough for a violation, and they can be typed.
        x_TD = np.round(lengths_T1 * rng.standard_normal((n_tokens, d_model)), 2)
    if proposition.number == "S11" and n_tokens > 1:
        weights_N = rng.dirichlet(np.ones(n_tokens - 1))
        x_TD[0] = weights_N @ x_TD[1:]
    if proposition.number == "S12":
        x_TD[(x_TD == 0).all(axis=-1)] = 1.0
        x_TD = np.sqrt(d_model) * x_TD / np.linalg.norm(x_TD, axis=-1, keepdims=True)
    return x_TD
