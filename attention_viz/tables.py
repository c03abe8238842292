"""The numbers behind a picture as tables: a matrix, and the arithmetic of one cell."""

from __future__ import annotations

import pandas as pd

from attention_core import STEPS, Trace
from attention_core.checks import Array
from attention_core.derivation import Derivation, Factor
from attention_core.heads import head_of
from attention_core.own.matrix_names import ALL_SYMBOLS

from .labels import number
from .tiles import column_labels

SYMBOLS = ALL_SYMBOLS | {"scale": "s"}


def matrix_table(trace: Trace, field: str, head: int | None = None) -> pd.DataFrame:
    """One matrix of a field with its labels: all rows and columns, full precision.

    Rows are numbered, so that repeated tokens stay apart.
    """
    array = getattr(trace, field)[0]
    matrix = array if head is None else array[head_of(trace, field, head)]
    rows = [f"{i} {token}" for i, token in enumerate(trace.labels(trace.axes(field)[-2]))]
    letter = trace.axes(field)[-1]
    names = trace.labels(letter) if letter in "TS" else column_labels(trace, field)
    columns = [f"{j} {name}" for j, name in enumerate(names)] if letter in "TS" else list(names)
    return pd.DataFrame(matrix, index=pd.Index(rows, name="token"), columns=columns)


def numbered_table(trace: Trace, name: str, matrix: Array) -> pd.DataFrame:
    """X or a weight matrix with numbered rows and columns; the rows of X name their tokens."""
    tokens = trace.labels("T") if name == "x" else [""] * len(matrix)
    rows = [f"{i} {token}".strip() for i, token in enumerate(tokens)]
    return pd.DataFrame(matrix, index=pd.Index(rows), columns=[str(j) for j in range(matrix.shape[1])])


def field_table(trace: Trace, field: str) -> pd.DataFrame:
    """The whole field of the first sequence in long form: one line per number (head, row, column, value)."""
    if not STEPS[field].per_head:
        return matrix_table(trace, field)
    heads = range(trace.projections.n_heads)
    return pd.concat({f"head {h}": matrix_table(trace, field, h) for h in heads}, names=["head"])


def terms_table(derivation: Derivation) -> pd.DataFrame:
    """Every term of a cell's arithmetic with its running sum.

    Columns: one for each factor, the term's value, and the sum up to it.
    """
    n_factors = max(len(term.factors) for term in derivation.terms)
    rows = []
    total = 0.0
    for term in derivation.terms:
        total += term.value
        row: dict[str, object] = {}
        for i in range(n_factors):
            factor = term.factors[i] if i < len(term.factors) else None
            row[f"number {i + 1}"] = place(factor) if factor else ""
            row[f"value {i + 1}"] = factor.value if factor else float("nan")
        rows.append(row | {"term": term.value, "running sum": total})
    return pd.DataFrame(rows)


def place(factor: Factor) -> str:
    """Where a number stands, as code would name it (the batch axis of one sequence is left out).

    >>> place(Factor("queries", (0, 3, 5), 1.5)), place(Factor("scale", (), 0.5))
    ('queries[3, 5]', 's')
    """
    name = SYMBOLS.get(factor.name, factor.name)
    if not factor.index:
        return name
    index = factor.index[1:] if factor.name in STEPS else factor.index
    return f"{name}[{', '.join(map(str, index))}]"


def reads(derivation: Derivation) -> str:
    """The arithmetic of a cell as one line of plain text, in full when it is short."""
    operation, terms, result = derivation.operation, derivation.terms, number(derivation.result, 4)
    first = terms[0]
    is_alone = operation == "sum" and len(terms) == len(first.factors) == 1
    if is_alone or operation in ("copy", "given"):
        return f"{place(first.factors[0])} = {result}"
    if operation in ("product", "softcap"):
        product = " × ".join(number(factor.value, 4) for factor in first.factors)
        return f"{product} = {result}"
    if operation == "mask":
        score = number(first.value, 4)
        return f"allowed: {score} stays {result}" if derivation.allowed else f"not allowed: {score} becomes −∞"
    if operation == "softmax":
        total = sum(term.value for term in terms)
        return f"{number(terms[derivation.position].value, 4)} / {number(total, 4)} = {result}"
    shown = [" × ".join(number(factor.value, 2) for factor in term.factors) for term in terms[:4]]
    more = f" + … ({len(terms) - 4} more)" if len(terms) > 4 else ""
    return " + ".join(f"({term})" if "−" in term else term for term in shown) + more + f" = {result}"
