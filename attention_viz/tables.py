"""The numbers of a picture as tables: a matrix, and the arithmetic of one cell."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pandas as pd

from attention_core import STEPS, Trace
from attention_core.checks import Array
from attention_core.derivation import Derivation, Factor, Term
from attention_core.trace import head_of
from attention_lab.user_data.matrix_names import ALL_SYMBOLS

from .labels import format_number, is_rounded, shorten, without_noise

DECIMALS = 4
MATRIX_SYMBOLS = ALL_SYMBOLS | {"scale": "s"}


def matrix_table(trace: Trace, field: str, head: int | None = None) -> pd.DataFrame:
    """One matrix of a field with its labels and all digits.

    Rows are numbered, so that repeated tokens stay apart.
    """
    matrix = getattr(trace, field)[0]
    if head is not None:
        matrix = matrix[head_of(trace, field, head)]
    rows = [f"{i} {token}" for i, token in enumerate(trace.labels(trace.axes(field)[-2]))]
    letter = trace.axes(field)[-1]
    columns = column_labels(trace, field)
    if letter in "TS":
        columns = [f"{j} {name}" for j, name in enumerate(trace.labels(letter))]
    return pd.DataFrame(matrix, index=pd.Index(rows, name="token"), columns=columns)


def readable(table: pd.DataFrame) -> pd.DataFrame:
    """A table for the screen: four decimals, or more if all of its numbers are small.

    >>> readable(pd.DataFrame({"a": [1.0, 6e-17]}))["a"].tolist()
    [1.0, 0.0]
    >>> readable(pd.DataFrame({"a": [1.2345678e-6, 6e-17]}))["a"].tolist()
    [1.2346e-06, 0.0]
    """
    numbers = table.select_dtypes("number").to_numpy(float)
    largest = np.abs(numbers).max(where=np.isfinite(numbers), initial=0.0)
    if not largest:
        return table
    return table.round(DECIMALS + max(0, -math.floor(math.log10(largest))))


def column_labels(trace: Trace, field: str) -> list[str]:
    """The names of a field's columns: tokens or feature numbers; "head·feature" if heads lie side
    by side.
    """
    axis = trace.axes(field)[-1]
    if "·" not in axis:
        return [shorten(token) for token in trace.labels(axis)]
    width = trace.sizes[axis.split("·")[1]]
    return [f"{i // width}·{i % width}" for i in range(getattr(trace, field).shape[-1])]


def numbered_table(trace: Trace, name: str, matrix: Array) -> pd.DataFrame:
    """X or a weight matrix with numbered rows and columns; the rows of X name their tokens."""
    rows = [str(i) for i in range(len(matrix))]
    if name == "x":
        rows = [f"{i} {token}".strip() for i, token in enumerate(trace.labels("T"))]
    return pd.DataFrame(
        without_noise(matrix),
        index=pd.Index(rows),
        columns=[str(j) for j in range(matrix.shape[1])],
    )


def field_table(trace: Trace, field: str) -> pd.DataFrame:
    """The whole field of the first sequence, one row for each row of a matrix, the heads one below
    the other.
    """
    if not STEPS[field].per_head:
        return matrix_table(trace, field)
    heads = range(trace.projections.n_heads)
    return pd.concat({f"head {h}": matrix_table(trace, field, h) for h in heads}, names=["head"])


def terms_table(derivation: Derivation) -> pd.DataFrame:
    """Every term of a cell's arithmetic with the running sum.

    Columns: two for each factor, the term's value, and the sum up to it.
    """
    n_factors = max(len(term.factors) for term in derivation.terms)
    rows = []
    total = 0.0
    for term in derivation.terms:
        total += term.value
        row: dict[str, object] = {}
        for i in range(n_factors):
            row |= {f"number {i + 1}": "", f"value {i + 1}": float("nan")}
        for i, factor in enumerate(term.factors):
            row |= {f"number {i + 1}": factor_code(factor), f"value {i + 1}": factor.value}
        rows.append(row | {"term": term.value, "running sum": total})
    return pd.DataFrame(rows)


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
    if derivation.operation == "mask":
        score, result = (
            format_number(derivation.terms[0].value, 4),
            format_number(derivation.result, 4),
        )
        if derivation.allowed:
            return f"allowed: {score} stays {result}"
        return f"not allowed: {score} becomes −∞"
    rounded: list[bool] = []
    parts = [value for term in derivation.terms for value in (term.value, *_values(term))]
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


def _values(term: Term) -> list[float]:
    return [factor.value for factor in term.factors]


def _left_side(derivation: Derivation, shown: Callable[..., str], places: int | None) -> str:
    """The left side of the equation. shown: formats a number with a number of decimals."""
    operation, terms = derivation.operation, derivation.terms
    factors = terms[0].factors
    if operation in ("copy", "given") or (operation == "sum" and len(terms) == len(factors) == 1):
        return factor_code(factors[0])
    if operation in ("product", "softcap"):
        return " × ".join(shown(factor.value) for factor in factors)
    if operation == "softmax":
        return (
            f"{shown(terms[derivation.position].value)} /"
            f" {shown(sum(term.value for term in terms))}"
        )
    if places is None:
        places = 3
        if len(terms) == 1:
            places = 4
    products = [
        " × ".join(shown(factor.value, places) for factor in term.factors) for term in terms[:4]
    ]
    if len(terms) == 1:
        return products[0]
    more = ""
    if len(terms) > 4:
        more = f" + … ({len(terms) - 4} more)"
    return " + ".join(f"({product})" if "−" in product else product for product in products) + more
