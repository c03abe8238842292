"""Points of the plane as a table to type into."""

from __future__ import annotations

import pandas as pd

from attention_core.checks import Array


def points_table(x_T2: Array) -> pd.DataFrame:
    """One row for each point."""
    return pd.DataFrame(x_T2, columns=["x", "y"])


def points_typed(table: pd.DataFrame) -> Array:
    """The points of the rows that are complete; a row that is only begun is passed over.
    Shapes: (T, 2).
    """
    points_T2: Array = table.dropna().to_numpy(dtype=float)
    return points_T2
