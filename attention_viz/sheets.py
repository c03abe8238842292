"""Matrices laid out by hand in one picture: what the pictures of mixing, merge and output are put together from."""

from __future__ import annotations

import numpy as np

from attention_core.checks import Array

from .parts import AXIS, PLANE, Part

MOST_COLUMNS = 64
PALE = 0.35


def window(length: int, chosen: int, most: int = MOST_COLUMNS) -> slice:
    """The block of at most so many neighbours that holds the chosen one.

    >>> window(512, 70), window(5, 3)
    (slice(64, 128, None), slice(0, 5, None))
    """
    first = chosen // most * most
    return slice(first, min(first + most, length))


def sheet(
    matrix: Array,
    limit: float,
    *,
    x: int = 0,
    y: int = 0,
    axes: tuple[str, str] = PLANE,
    digits: int | None = None,
) -> Part:
    """A matrix of features as a heatmap whose top left cell lies at x, y; with digits, the numbers are written."""
    gap = 1 if digits is not None else 0.5
    drawn = {
        "type": "heatmap", "z": matrix.astype("f4"), "x0": x, "dx": 1, "y0": y, "dy": 1, "zmin": -limit, "zmax": limit,
        "colorscale": "@feature", "showscale": False, "xgap": gap, "ygap": gap, "xaxis": axes[0], "yaxis": axes[1],
        "hovertemplate": "%{z:.4g}<extra></extra>",
    }  # fmt: skip
    if digits is not None:
        drawn |= {"texttemplate": f"%{{z:.{digits}f}}", "textfont": {"size": 11}}
    return drawn


def spotlight(
    matrix: Array, lit: Array | bool, limit: float, *, x: int = 0, y: int = 0, axes: tuple[str, str] = PLANE,
    digits: int | None = None,
) -> list[Part]:  # fmt: skip
    """A sheet in up to two traces: pale where it is only the surroundings, in full colour where `lit` is true.

    Shapes: lit as matrix, or broadcastable to it.
    """
    shines = np.broadcast_to(lit, matrix.shape)
    parts = []
    if not shines.all():
        pale = sheet(np.where(shines, np.nan, matrix), limit, x=x, y=y, axes=axes, digits=digits) | {"opacity": PALE}
        # Plotly would choose the numbers' colour for the full colour of the cell.
        parts.append(pale | {"textfont": {"size": 11, "color": "@text"}})
    if shines.any():
        parts.append(sheet(np.where(shines, matrix, np.nan), limit, x=x, y=y, axes=axes, digits=digits))
    return parts


def bars(numbers: Array, texts: list[str], color: str, axes: tuple[str, str], size: int = 11) -> Part:
    """Numbers as bars to the right of their rows, each with its text."""
    return {
        "type": "bar", "orientation": "h", "x": numbers.astype("f4"), "y": np.arange(len(numbers), dtype="i2"),
        "text": texts, "textposition": "outside", "cliponaxis": False, "constraintext": "none",
        "textfont": {"size": size, "color": "@text"}, "marker": {"color": color}, "hoverinfo": "skip",
        "xaxis": axes[0], "yaxis": axes[1], "unselected": {"marker": {"opacity": 1}, "textfont": {"color": "@text"}},
    }  # fmt: skip


def column_axis(columns: slice) -> Part:
    """The axis below a block of columns: their true numbers, at most some thirty of them."""
    n_columns = columns.stop - columns.start
    places = list(range(0, n_columns, max(1, n_columns // 16)))
    names = [str(columns.start + place) for place in places]
    return AXIS | {"range": [-0.5, n_columns - 0.5], "tickvals": places, "ticktext": names, "tickangle": 0}


def row_height(n_rows: int) -> int:
    """Pixels for one row: the more rows, the flatter, down to what can still be told apart.

    >>> row_height(5), row_height(12), row_height(64)
    (28, 28, 12)
    """
    return int(np.clip(720 // max(n_rows, 1), 12, 28))


def digits_for(n_columns: int, few: int, many: int) -> int | None:
    """How many digits fit into a cell: 2 for few columns, 1 up to many, else no number is written."""
    return 2 if n_columns <= few else 1 if n_columns <= many else None
