"""The arithmetic of one cell as a line of text."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from attention_core import STEPS
from attention_core.derivation import Derivation, Factor
from attention_lab.user_data.matrix_names import ALL_SYMBOLS
from attention_lab.words.numbers import format_number, is_rounded, without_noise

MATRIX_SYMBOLS = ALL_SYMBOLS | {"scale": "s"}


def factor_code(factor: Factor) -> str:
    """A factor as code names it, without the batch axis.

    >>> factor_code(Factor("queries", (0, 3, 5), 1.5)), factor_code(Factor("scale", (), 0.5))
    ('queries[3, 5]', 's')
    """
    name = MATRIX_SYMBOLS.get(factor.name, factor.name)
    if not factor.index:
        return name
    index = factor.index
    if factor.name in STEPS:
        index = index[1:]
    return f"{name}[{', '.join(map(str, index))}]"


def format_derivation(derivation: Derivation, places: int | None = None) -> str:
    """The arithmetic of a cell as one line of plain text; of a long sum the first four terms.

    places: decimals of the factors of a sum. Without it they have three, as on the board; the
    factors of a single product, which has no table, have four. "≈" means that a shown number is
    rounded, so the line may give another result.
    """
    seen = derivation.allowed
    if derivation.operation == "mask" and not (seen and len(derivation.terms) > 1):
        score = format_number(derivation.terms[0].value, 4)
        return f"allowed: {score} stays {score}" if seen else f"not allowed: {score} becomes −∞"
    rounded: list[bool] = []
    factors = [factor.value for term in derivation.terms for factor in term.factors]
    parts = [*(term.value for term in derivation.terms), *factors]
    among = max((abs(value) for value in parts if math.isfinite(value)), default=0.0)
    if places is not None:  # the reader works it out: no factor is left out as small
        among = 0.0

    def shown(value: float, digits: int = 4) -> str:
        tidy = float(without_noise(np.array([value, among]))[0])
        rounded.append(is_rounded(tidy, digits))
        return format_number(tidy, digits, among)

    left, right = _left_side(derivation, shown, places), shown(derivation.result)
    if right.startswith("≈"):
        return f"{left} {right}"
    if float(without_noise(np.array([derivation.result, among]))[0]) and any(rounded):
        return f"{left} ≈ {right}"
    return f"{left} = {right}"


def _left_side(derivation: Derivation, shown: Callable[..., str], places: int | None) -> str:
    """The left side of the equation. shown: formats a number with a number of decimals."""
    operation, terms = derivation.operation, derivation.terms
    factors = terms[0].factors
    if operation in ("copy", "given") or (operation == "sum" and len(terms) == len(factors) == 1):
        return factor_code(factors[0])
    if operation == "mask":
        return "allowed: " + _added([shown(term.value) for term in terms])
    if operation in ("product", "softcap"):
        product = " × ".join(shown(factor.value) for factor in factors)
        cap = derivation.softcap and shown(derivation.softcap)
        return f"{cap} × tanh({product} / {cap})" if cap else product
    if operation == "norm":
        own, gain = terms[derivation.position].value, terms[-1].value
        mean = sum(term.value**2 for term in terms[:-1]) / (len(terms) - 1)
        return f"{shown(own)} / {shown(math.sqrt(mean + derivation.epsilon))} × {shown(gain)}"
    if operation == "softmax":
        own, total = terms[derivation.position].value, sum(term.value for term in terms)
        return f"{shown(own)} / {shown(total)}"
    if places is None:
        places = 4 if len(terms) == 1 else 3
    products = [
        " × ".join(shown(factor.value, places) for factor in term.factors) for term in terms[:4]
    ]
    if len(terms) == 1:
        return products[0]
    more = f" + … ({len(terms) - 4} more)" if len(terms) > 4 else ""
    return _added(products) + more


def _added(terms: Sequence[str]) -> str:
    """A sum of terms, in brackets where one has a minus sign."""
    return " + ".join(f"({term})" if "−" in term else term for term in terms)
