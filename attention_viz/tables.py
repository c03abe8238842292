"""The numbers of a picture as tables: a matrix, and the terms of one cell."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from attention_core import Trace
from attention_core.checks import Array
from attention_core.derivation import Derivation
from attention_core.trace import head_of
from attention_lab.export.trace_files import field_labels

from .arithmetic import factor_code
from .labels import without_noise

DECIMALS = 4


def matrix_table(trace: Trace, field: str, head: int | None = None) -> pd.DataFrame:
    """One matrix of a field with its labels and all digits.

    Rows are numbered, so that repeated tokens stay apart.
    """
    matrix = getattr(trace, field)[0]
    if head is not None:
        matrix = matrix[head_of(trace, field, head)]
    rows, columns = field_labels(trace, field)
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
