"""The last step as on paper: the merged matrix times W_O, row times column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from attention_core import SettingsError, Trace
from attention_core.checks import Array

from .labels import number, short
from .parts import AXIS, Part, Spot, box, clicks, layout, margins, word
from .sheets import MOST_COLUMNS, column_axis, digits_for, spotlight, window
from .theme import Figure
from .tiles import largest, row_labels

MERGED, WEIGHTS, OUTPUT = ("x", "y"), ("x2", "y2"), ("x2", "y")


@dataclass(frozen=True)
class Section:
    """What of the product is drawn: a block of columns of merged (rows of W_O) and a block of output columns."""

    inner: slice
    outer: slice
    n_tokens: int
    d_v: int

    @property
    def n_inner(self) -> int:
        """How many columns of merged are drawn."""
        return int(self.inner.stop - self.inner.start)

    @property
    def n_outer(self) -> int:
        """How many columns of the output are drawn."""
        return int(self.outer.stop - self.outer.start)

    @property
    def heads(self) -> range:
        """The heads of which something is drawn."""
        return range(self.inner.start // self.d_v, -(-self.inner.stop // self.d_v))

    def block(self, head: int) -> tuple[int, int]:
        """Where a head's drawn columns of merged begin, counted from the first drawn one, and how many they are."""
        start = max(head * self.d_v, self.inner.start)
        return start - self.inner.start, min((head + 1) * self.d_v, self.inner.stop) - start


def board_of(trace: Trace, head: int, column: int) -> Section:
    """The part of the product to draw: at most 64 by 64 cells of W_O, whole heads if they fit, the chosen one in it."""
    d_v, width = trace.sizes["V"], trace.merged.shape[2]
    together = max(1, MOST_COLUMNS // d_v)
    first = head // together * together * d_v
    inner = slice(first, min(first + min(together * d_v, MOST_COLUMNS), width))
    return Section(inner, window(trace.sizes["O"], column), trace.sizes["T"], d_v)


def product_board(trace: Trace, head: int, query: int, column: int) -> Figure:
    """Merged times W_O: the row on the left, the column above, the result where they meet.

    Clicked points of W_O and of the output carry (head, query, column). Raises: SettingsError where there is no W_O.
    """
    w_o = trace.projections.w_o
    if w_o is None:
        raise SettingsError("there is no W_O to draw: these heads are joined, not mixed; choose other weights")
    section = board_of(trace, head, column)
    merged, output = trace.merged[0][:, section.inner], trace.output[0][:, section.outer]
    weights = w_o[section.inner, section.outer]
    digits = digits_for(section.n_inner + section.n_outer, few=12, many=36) if section.n_tokens <= 24 else None
    rows = np.arange(section.n_tokens)[:, np.newaxis] == query
    columns = np.arange(section.n_outer) == column - section.outer.start
    data = [
        part
        for matrix, lit, axes in ((merged, rows, MERGED), (weights, columns, WEIGHTS), (output, rows & columns, OUTPUT))
        for part in spotlight(matrix, lit, largest(matrix), axes=axes, digits=digits)
    ]
    step = int(np.clip(640 // (section.n_inner + section.n_tokens), 7, 24))
    tokens = row_labels(trace, "output") if step >= 10 else []
    figure = layout(
        100 + step * (section.n_inner + section.n_tokens),
        _describe(trace, query, column),
        **_axes(section, tokens),
        shapes=_frames(section, head, query, column),
        annotations=_words(trace, query, column),
        margin=margins(tokens, l=8, r=8, t=28, b=28),
    )
    return {"data": [*data, *_clicks(trace, section, weights, output, query)], "layout": figure}


def _clicks(trace: Trace, section: Section, weights: Array, output: Array, query: int) -> list[Part]:
    """Places to click on W_O (they choose a head and a column) and on the output (a token and a column)."""
    first_row, first = section.inner.start, section.outer.start
    tokens = row_labels(trace, "output")
    of_weights: list[Spot] = [
        (c, r, ((first_row + r) // section.d_v, query, first + c),
         f"W_O[{first_row + r}, {first + c}], head {(first_row + r) // section.d_v}<br><b>{number(float(weight))}</b>")
        for (r, c), weight in np.ndenumerate(weights)
    ]  # fmt: skip
    of_output: list[Spot] = [
        (c, t, (-1, t, first + c),
         f"output of {tokens[t]}, column {first + c}<br><b>{number(float(y))}</b>")
        for (t, c), y in np.ndenumerate(output)
    ]  # fmt: skip
    return clicks(of_weights, axes=WEIGHTS) + clicks(of_output, axes=OUTPUT)


def _axes(section: Section, tokens: list[str]) -> Part:
    """Merged left, output right, W_O above the output; heads are named along the inner axis."""
    middles = [start + (length - 1) / 2 for start, length in map(section.block, section.heads)]
    wide = len(section.heads) > 8
    names = [str(head) if wide else f"head {head}" for head in section.heads]
    share = float(np.clip(section.n_inner / (section.n_inner + section.n_outer), 0.25, 0.7))
    high = section.n_inner / (section.n_inner + section.n_tokens)
    rows = {"tickvals": list(range(section.n_tokens)), "ticktext": tokens} if tokens else {"showticklabels": False}
    inner = {"tickvals": middles, "ticktext": names, "tickangle": 0, "tickfont": {"size": 10 if wide else 11}}
    return {
        "xaxis": AXIS | inner | {"domain": [0, share - 0.04], "range": [-0.5, section.n_inner - 0.5]},
        "xaxis2": column_axis(section.outer) | {"domain": [share + 0.04, 1], "anchor": "y"},
        "yaxis": AXIS | rows | {"domain": [0, 0.97 - high * 0.97], "range": [section.n_tokens - 0.5, -0.5]},
        "yaxis2": AXIS | inner
        | {"domain": [1.03 - high * 0.97, 1], "range": [section.n_inner - 0.5, -0.5], "anchor": "x2"},
    }  # fmt: skip


def _frames(section: Section, head: int, query: int, column: int) -> list[Part]:
    """Thin lines around each head's block, the chosen one thick; the chosen row, column and cell."""
    shapes = []
    for h in sorted(section.heads, key=lambda h: h == head):
        start, length = section.block(h)
        color, line = ("@primary", 2) if h == head else ("@line", 1)
        shapes.append(box(start, 0, length, section.n_tokens, color, line, MERGED))
        shapes.append(box(0, start, section.n_outer, length, color, line, WEIGHTS))
    lit = column - section.outer.start
    return [
        *shapes,
        box(0, query, section.n_inner, 1, "@focus", 3, MERGED),
        box(lit, 0, 1, section.n_inner, "@focus", 3, WEIGHTS),
        box(0, 0, section.n_outer, section.n_tokens, "@output", 1, OUTPUT),
        box(lit, query, 1, 1, "@focus", 3, OUTPUT),
    ]


def _words(trace: Trace, query: int, column: int) -> list[Part]:
    """The names of the three matrices, and in the free corner what is multiplied with what."""
    above: dict[str, Any] = {"anchor": "left", "yanchor": "bottom", "size": 12}
    more = [("b_O", trace.projections.b_o is not None), ("its input (residual)", trace.residual)]
    added = "".join(f"<br>+ {name}" for name, holds in more if holds)
    token = short(trace.labels("T")[query])
    told = f"<b>output[{query}, {column}]</b><br>= the row of {token} in merged<br>× column {column} of W_O{added}"
    return [
        word(0, 1, "<b>merged</b>", xref="x domain", yref="y domain", **above),
        word(0, 1, "<b>W_O</b>", xref="x2 domain", yref="y2 domain", **above),
        word(0, 1, "<b>output</b>", "@output", xref="x2 domain", yref="y domain", **above),
        word(0, 0.5, told, anchor="left", size=14, align="left", xref="x domain", yref="y2 domain"),
    ]


def _describe(trace: Trace, query: int, column: int) -> str:
    return (
        f"The merged matrix times W_O: the row of token {short(trace.labels('T')[query])} times column {column} of W_O "
        f"gives {number(float(trace.output[0, query, column]))} in the output."
    )
