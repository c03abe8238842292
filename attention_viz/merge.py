"""How the heads are joined: the matrices of all heads, and below them the merged matrix, with and without the swap."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attention_core import Trace
from attention_core.checks import Array
from attention_core.decompositions import merge_without_swap, moved_cells, place_merged

from .heatmap import limit_of
from .labels import number, short
from .parts import AXIS, MOST_CLICKABLE, Part, Spot, box, broken_line, clicks, layout, margins, word
from .sheets import digits_for, spotlight, window
from .theme import Figure
from .tiles import row_labels

MOST_MARKS = 1500


@dataclass(frozen=True, eq=False)
class _Plan:
    """Where things lie, counted in cells: n features of each head are drawn, tiles are `gap` apart."""

    trace: Trace
    features: slice
    swap: bool

    @cached_property
    def n_heads(self) -> int:
        return self.trace.sizes["H"]

    @cached_property
    def n_tokens(self) -> int:
        return self.trace.sizes["T"]

    @cached_property
    def n(self) -> int:
        return int(self.features.stop - self.features.start)

    @cached_property
    def gap(self) -> int:
        return max(1, round(0.2 * self.n_heads * self.n / max(1, self.n_heads - 1)))

    @property
    def width(self) -> int:
        return self.n_heads * self.n + (self.n_heads - 1) * self.gap

    @property
    def left(self) -> int:
        """Where the merged matrix begins: centred below the tiles."""
        return (self.width - self.n_heads * self.n) // 2

    @property
    def top(self) -> int:
        """The first row of the merged matrix."""
        return self.n_tokens + max(2, round(0.3 * self.n_tokens))

    @property
    def n_rows(self) -> int:
        return self.top + self.n_tokens

    def source(self, head: int) -> int:
        """The first column of a head's tile."""
        return head * (self.n + self.gap)

    def lands(self, head: int, token: int) -> tuple[int, int]:
        """The row and the block of columns of the merged matrix where a head's vector of a token lands."""
        row, column = place_merged(self.trace, head, token, 0, self.swap)
        return row, column // self.trace.sizes["V"]


def merging(trace: Trace, head: int, query: int, feature: int, swap: bool = True) -> Figure:
    """The heads above, the merged matrix below, and the way of the chosen number; swap=False: the classic mistake.

    The mistake is marked as wrong, with a mark in the corner of each cell that holds another number than it should. Of
    wide heads only some features are drawn, the chosen one among them. Clicked points carry (head, query, feature).
    """
    sizes = trace.sizes
    plan = _Plan(trace, window(sizes["V"], feature, max(1, 64 // sizes["H"])), swap)
    heads, result = trace.head_outputs[0], (trace.merged if swap else merge_without_swap(trace.head_outputs))[0]
    limit = limit_of(trace, "head_outputs")
    digits = digits_for(plan.n_heads * plan.n, few=6, many=16) if plan.n_tokens <= 16 else None
    drawn = drawn_columns(result, plan.n_heads, plan.features)
    data = spotlight(*_sources(plan, heads, head), limit, digits=digits)
    data += spotlight(drawn, _holds(plan, head), limit, x=plan.left, y=plan.top, digits=digits)
    data += _clicks(plan)
    if not swap:
        data += _corners(drawn_columns(moved_cells(trace), plan.n_heads, plan.features), plan)
    step = int(np.clip(700 // plan.n_rows, 5, 24))
    tokens = [short(token, 10) for token in trace.labels("T")] if step >= 10 else []
    figure = layout(
        60 + plan.n_rows * step,
        _describe(trace, head, query, feature, swap),
        **_axes(plan, tokens),
        shapes=[*_borders(plan, head), *_way(plan, head, query, feature - plan.features.start)],
        annotations=_titles(plan, head),
        margin=margins(tokens, l=8, r=8, t=24, b=28),
    )
    return {"data": data, "layout": figure}


def drawn_columns(merged: Array, n_heads: int, features: slice) -> Array:
    """Of each head's block of columns, those that are drawn.

    >>> drawn_columns(np.arange(6).reshape(1, 6), 2, slice(1, 2)).tolist()
    [[1, 4]]
    """
    blocks: Array = merged.reshape(len(merged), n_heads, -1)[:, :, features]
    return blocks.reshape(len(merged), -1)


def _sources(plan: _Plan, heads: Array, head: int) -> tuple[Array, Array]:
    """The drawn part of every head's matrix side by side, nothing between them; and which cells are the head's."""
    row = np.full((plan.n_tokens, plan.width), np.nan)
    for h in range(plan.n_heads):
        row[:, plan.source(h) : plan.source(h) + plan.n] = heads[h][:, plan.features]
    columns = np.arange(plan.width) - plan.source(head)
    return row, (columns >= 0) & (columns < plan.n)


def _holds(plan: _Plan, head: int) -> Array:
    """Which drawn cells of the merged matrix hold numbers of a head."""
    blocks = np.zeros((plan.n_tokens, plan.n_heads), bool)
    for token in range(plan.n_tokens):
        blocks[plan.lands(head, token)] = True
    holds: Array = blocks.repeat(plan.n, axis=1)
    return holds


def _clicks(plan: _Plan) -> list[Part]:
    """Each number can be clicked where it comes from and where it lands."""
    if 2 * plan.n_heads * plan.n_tokens * plan.n > MOST_CLICKABLE:
        return []
    trace, d_v = plan.trace, plan.trace.sizes["V"]
    tokens = row_labels(trace, "head_outputs")
    spots: list[Spot] = []
    for h, t in np.ndindex(plan.n_heads, plan.n_tokens):
        row, block = plan.lands(h, t)
        for c, v in enumerate(range(plan.features.start, plan.features.stop)):
            text = f"head {h}, {tokens[t]}, feature {v}<br><b>{number(float(trace.head_outputs[0, h, t, v]))}</b>"
            landed = f"merged[{row}, {block * d_v + v}], row of {tokens[row]}<br>from {text}"
            spots.append((plan.source(h) + c, t, (h, t, v), text))
            spots.append((plan.left + block * plan.n + c, plan.top + row, (h, t, v), landed))
    return clicks(spots)


def _corners(moved: Array, plan: _Plan) -> list[Part]:
    """A mark in the corner of each cell that holds another number than the right matrix."""
    rows, columns = np.nonzero(moved)
    if moved.size > MOST_MARKS:
        return []
    return [{
        "type": "scatter", "mode": "markers", "hoverinfo": "skip", "showlegend": False,
        "x": (plan.left + columns + 0.36).astype("f4"), "y": (plan.top + rows - 0.34).astype("f4"),
        "marker": {"symbol": "triangle-ne", "size": 7, "color": "@text"}, "unselected": {"marker": {"opacity": 1}},
    }]  # fmt: skip


def _borders(plan: _Plan, head: int) -> list[Part]:
    """Each head's tile, and the region of the merged matrix that holds its numbers; the chosen head last and thick."""
    shapes = []
    for h in sorted(range(plan.n_heads), key=lambda h: h == head):
        color, line = ("@primary", 3) if h == head else ("@muted", 1)
        shapes.append(box(plan.source(h), 0, plan.n, plan.n_tokens, color, line))
        if plan.swap:
            shapes.append(box(plan.left + h * plan.n, plan.top, plan.n, plan.n_tokens, color, line))
        else:
            path = _region(plan, h)
            shapes.append({"type": "path", "path": path, "line": {"color": color, "width": line}, "layer": "above"})
    return shapes


def _region(plan: _Plan, head: int) -> str:
    """The outline of the cells that one head fills when nothing is swapped: whole rows, in reading order."""
    (r0, c0), (r1, c1) = plan.lands(head, 0), plan.lands(head + 1, 0)
    if r0 == r1:
        corners = [(c0, r0), (c1, r0), (c1, r0 + 1), (c0, r0 + 1)]
    else:
        end = plan.n_heads
        corners = [
            (c0, r0),
            (end, r0),
            (end, r1),
            (c1, r1),
            (c1, r1 + (c1 > 0)),
            (0, r1 + (c1 > 0)),
            (0, r0 + (c0 > 0)),
        ]
        corners += [(c0, r0 + 1)] if c0 else []
    points = [f"{plan.left + c * plan.n - 0.5},{plan.top + r - 0.5}" for c, r in corners]
    return f"M{' L'.join(points)} Z"


def _way(plan: _Plan, head: int, query: int, place: int) -> list[Part]:
    """The chosen number where it comes from and where it lands, and a line between."""
    row, block = plan.lands(head, query)
    x0, x1, y1 = plan.source(head) + place, plan.left + block * plan.n + place, plan.top + row
    line = broken_line(x0, query + 0.5, x1, y1 - 0.5, "@focus", 2, "dot")
    return [line, box(x0, query, 1, 1, "@focus", 3), box(x1, y1, 1, 1, "@focus", 3)]


def _titles(plan: _Plan, head: int) -> list[Part]:
    names = [f"{h}" if plan.n_heads > 8 else f"head {h}" for h in range(plan.n_heads)]
    titles = [
        word(
            plan.source(h) - 0.5,
            -0.5,
            f"<b>{name}</b>" if h == head else name,
            anchor="left",
            size=12,
            yanchor="bottom",
        )
        for h, name in enumerate(names)
    ]
    text = "<b>✓ merged</b>: swap, then reshape" if plan.swap else "<b>✗ wrong</b>: reshape alone"
    return [*titles, word(plan.left - 0.5, plan.top - 0.5, text, anchor="left", yanchor="bottom")]


def _axes(plan: _Plan, tokens: list[str]) -> Part:
    """Tokens beside both parts where a row is high enough; column numbers of the merged matrix below it."""
    places = [*range(plan.n_tokens), *range(plan.top, plan.n_rows)]
    rows = {"tickvals": places, "ticktext": tokens * 2} if tokens else {"showticklabels": False}
    every = 1 if plan.n_heads * plan.n <= 20 else plan.n * -(-plan.n_heads // 8)
    drawn = range(0, plan.n_heads * plan.n, every)
    names = [str(i // plan.n * plan.trace.sizes["V"] + plan.features.start + i % plan.n) for i in drawn]
    columns = {"tickvals": [plan.left + i for i in drawn], "ticktext": names, "tickangle": 0, "tickfont": {"size": 10}}
    return {
        "xaxis": AXIS | columns | {"range": [-0.6, plan.width - 0.4]},
        "yaxis": AXIS | rows | {"range": [plan.n_rows - 0.5, -0.5]},
    }


def _describe(trace: Trace, head: int, query: int, feature: int, swap: bool) -> str:
    row, column = place_merged(trace, head, query, feature, swap)
    way = "the heads laid side by side, token by token" if swap else "wrong: the heads reshaped without the swap"
    return (
        f"{trace.sizes['H']} head outputs and the merged matrix, {way}; the number of head {head}, token "
        f"{short(trace.labels('T')[query])}, feature {feature} lands in row {row}, column {column}."
    )
