"""The arithmetic of one cell as HTML: every number that went in, the operation, the number that came out."""

from __future__ import annotations

from html import escape

from attention_core.derivation import Derivation, Factor, Term

from .labels import number
from .theme import PALETTES, ROLES

MOST_TERMS = 64
WEIGHT_ROLES = {"w_q": "query", "w_k": "key", "w_v": "value", "w_o": "output"}


def arithmetic_html(derivation: Derivation, mode: str = "light") -> str:
    """A cell's arithmetic as chips: one for each term, with its factors below and a plus between; then the result.

    Only numbers and plain words of our own go in, and all of it is escaped.
    """
    terms, operation = derivation.terms, derivation.operation
    if operation == "softmax":
        body = _softmax(derivation, mode)
    elif operation == "mask" and not derivation.allowed:
        body = _chip(terms[0], mode) + _sign("is not allowed")
    elif operation == "product":
        body = _sign("×").join(_box(number(f.value), _named(f, mode, value=False)) for f in terms[0].factors)
    elif operation == "softcap":
        body = _sign(f"{number(derivation.softcap or 0)} · tanh(") + _chip(terms[0], mode)
        body += _sign(f"/ {number(derivation.softcap or 0)})")
    else:
        body = _sign("+").join(_chip(term, mode) for term in terms[:MOST_TERMS])
        if len(terms) > MOST_TERMS:
            rest = sum(term.value for term in terms[MOST_TERMS:])
            body += _sign("+") + _box(number(rest), f"{len(terms) - MOST_TERMS} more terms: see the table")
    return f'<div class="arithmetic"><div class="terms">{body}</div>{_sign("=")}{_result(derivation, mode)}</div>'


def _softmax(derivation: Derivation, mode: str) -> str:
    """exp(score − maximum) of this cell over the sum of the row's."""
    own = derivation.terms[derivation.position]
    total = sum(term.value for term in derivation.terms)
    if not total:
        return _box("0", "no key is allowed in this row")
    score = number(own.factors[0].value)
    above = _box(number(own.value), f"exp({score} − {number(derivation.maximum)})".replace("− −", "+ "))
    return above + _sign("÷") + _box(number(total), f"sum of the {len(derivation.terms)} exponentials of the row")


def _chip(term: Term, mode: str) -> str:
    if len(term.factors) == 1:
        return _box(number(term.value), _named(term.factors[0], mode, value=False))
    factors = " × ".join(_named(factor, mode) for factor in term.factors)
    return _box(number(term.value), factors)


def _named(factor: Factor, mode: str, value: bool = True) -> str:
    """A factor in the colour of what it is: its number, or its name where the number stands above."""
    role = ROLES.get(factor.name) or WEIGHT_ROLES.get(factor.name)
    text = escape(number(factor.value) if value else factor.name.replace("_", " "))
    return f'<span style="color:{PALETTES[mode][role]}">{text}</span>' if role else text


def _box(value: str, below: str) -> str:
    return f'<span class="term"><b>{escape(value)}</b><small>{below}</small></span>'


def _sign(text: str) -> str:
    return f'<span class="sign">{escape(text)}</span>'


def _result(derivation: Derivation, mode: str) -> str:
    text = number(derivation.result, 4)
    return f'<span class="result" style="color:{PALETTES[mode]["focus"]}">{escape(text)}</span>'
