"""Tables of numbers for the app."""

import numpy as np
import pandas as pd

from attention_core import Trace
from attention_core.checks import Array
from attention_lab.words.numbers import decimals_for, without_noise

from .blocks import Numbers


def readable(table: pd.DataFrame) -> pd.DataFrame:
    """A table for the screen: four decimals, or more if all of its numbers are small.

    >>> readable(pd.DataFrame({"a": [1.0, 6e-17]}))["a"].tolist()
    [1.0, 0.0]
    >>> readable(pd.DataFrame({"a": [1.2345678e-6, 6e-17]}))["a"].tolist()
    [1.2346e-06, 0.0]
    """
    numbers = table.select_dtypes("number").to_numpy(float)
    largest = np.abs(numbers).max(where=np.isfinite(numbers), initial=0.0)
    return table.round(decimals_for(largest))


def numbers_frame(block: Numbers) -> pd.DataFrame:
    """The table of a block, for the screen."""
    return readable(pd.DataFrame(list(block.rows), columns=list(block.head)))


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
