"""One token's output as a sum: what each head adds, the bias and the residual connection where there are any."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_core import Trace
from attention_core.decompositions import OutputParts, output_parts

from .labels import number, short
from .parts import AXIS, Part, Spot, box, clicks, layout, margins, word
from .sheets import bars, column_axis, digits_for, row_height, sheet, window
from .theme import Figure
from .tiles import largest

ROWS, BARS = ("x", "y"), ("x2", "y")


def contributions(trace: Trace, head: int, query: int, column: int) -> Figure:
    """A row for each head, for bias and residual, and their sum; beside them the chosen column as bars with numbers.

    At most 64 columns are drawn, the block that holds the chosen one. Clicked points carry (head, query, column).
    """
    parts = output_parts(trace, query)
    columns = window(trace.sizes["O"], column)
    names, added = _rows(parts)
    matrix = np.vstack([added, np.full((1, added.shape[1]), np.nan), parts.output])
    drawn, lit, n_rows = matrix[:, columns], column - columns.start, len(names)
    step = row_height(n_rows + 2)
    ticks = {"tickvals": [*range(n_rows), n_rows + 1], "ticktext": [*names, "output"]}
    numbers = matrix[:, column]
    texts = ["" if np.isnan(value) else number(float(value)) for value in numbers]  # the gap row stays empty
    data = [
        sheet(drawn, largest(drawn), axes=ROWS, digits=digits_for(drawn.shape[1], few=12, many=20)),
        bars(numbers, texts, "@output", BARS),
        *_clicks(parts, columns, query),
    ]
    figure = layout(
        100 + step * (n_rows + 2),
        _describe(trace, query, column),
        shapes=_frames(drawn.shape[1], n_rows, head, lit),
        annotations=_words(short(trace.labels("T")[query]), column, n_rows),
        xaxis=column_axis(columns) | {"domain": [0, 0.7]},
        xaxis2=AXIS | {"domain": [0.74, 1], "range": _span(numbers), "showticklabels": False},
        yaxis=AXIS | {"range": [n_rows + 1.5, -0.5]} | ticks,
        margin=margins(ticks["ticktext"], l=8, r=8, t=48, b=28),
    )
    return {"data": data, "layout": figure}


def _rows(parts: OutputParts) -> tuple[list[str], np.ndarray]:
    """The names of the parts and their numbers, heads first."""
    names, rows = [f"head {h}" for h in range(len(parts.heads))], list(parts.heads)
    if parts.bias is not None:
        names, rows = [*names, "b_O"], [*rows, parts.bias]
    if parts.residual is not None:
        names, rows = [*names, "input (residual)"], [*rows, parts.residual]
    return names, np.stack(rows)


def _span(numbers: np.ndarray) -> list[float]:
    """A range that leaves room for the numbers beside the bars."""
    low, high = min(0.0, float(np.nanmin(numbers))), max(0.0, float(np.nanmax(numbers)))
    room = 0.35 * ((high - low) or 1.0)
    return [low - room, high + room]


def _clicks(parts: OutputParts, columns: slice, query: int) -> list[Part]:
    spots: list[Spot] = [
        (c, h, (h, query, columns.start + c), f"head {h} adds<br><b>{number(float(value))}</b>")
        for (h, c), value in np.ndenumerate(parts.heads[:, columns])
    ]
    return clicks(spots, axes=ROWS)


def _frames(n_columns: int, n_rows: int, head: int, lit: int) -> list[Part]:
    return [
        box(0, head, n_columns, 1, "@primary", 2, ROWS),
        box(lit, 0, 1, n_rows, "@focus", 2, ROWS),
        box(0, n_rows + 1, n_columns, 1, "@output", 2, ROWS),
        box(lit, n_rows + 1, 1, 1, "@focus", 3, ROWS),
        box(0.5, 0, 0, n_rows + 2, "@muted", 1, BARS),
    ]


def _words(token: str, column: int, n_rows: int) -> list[Part]:
    above: dict[str, Any] = {"yref": "paper", "anchor": "left", "yanchor": "bottom", "size": 12}
    return [
        word(0, 1, f"<b>what is added for {token}</b>, output columns", xref="x domain", **above),
        word(0, 1, f"<b>column {column}</b>", xref="x2 domain", **above),
        word(0, n_rows, "added up", anchor="left", size=12, xref="x domain", yref="y"),
    ]


def _describe(trace: Trace, query: int, column: int) -> str:
    return (
        f"The output of token {short(trace.labels('T')[query])} as a sum of {trace.sizes['H']} contributions, one per "
        f"head; in column {column} they add up to {number(float(trace.output[0, query, column]))}."
    )
