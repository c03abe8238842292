"""Attention as lines from queries to keys."""

from collections.abc import Sequence

import numpy as np

from attention_core import Trace
from attention_core.checks import Array
from attention_lab.heads.keys_read import strongest_lines
from attention_lab.words.numbers import format_percent

from ..curves import LEGEND_ABOVE, marks
from ..labels import label_width, shorten
from ..parts import Part, layout
from ..theme import Figure

LINE_WIDTHS = 6  # each stands for a sixth of the largest weight
LINE_POINTS = np.linspace(0, 1, 21)
# Where along a line its weight can be read: away from the end that all lines share.
WEIGHT_POSITIONS = {"query": 0.72, "key": 0.28, "all": 0.5}


def attention_lines(trace: Trace, heads: Sequence[int], which: str, query: int, key: int) -> Figure:
    """Lines from queries (left) to keys (right), wider for larger weights.

    which: "query" draws the lines from one query, "key" those to one key, "all" all of them; at
    most the strongest 200.
    """
    weights_NTS = trace.probabilities[0, list(heads)]
    ends_L3 = strongest_lines(weights_NTS, which, query, key).drawn
    # Plotly draws an axis only for a trace that uses it, so a trace without points holds the labels
    # on the right.
    data: list[Part] = [
        {"type": "scatter", "x": [None], "y": [None], "yaxis": "y2", "showlegend": False}
    ]
    most = max((float(weights_NTS[n, t, s]) for n, t, s in ends_L3), default=1.0)
    for n, head in enumerate(heads):
        bulge = (n - (len(heads) - 1) / 2) / len(heads) * 0.9
        mine = [(int(t), int(s), float(weights_NTS[n, t, s])) for m, t, s in ends_L3 if m == n]
        data += _lines(head, mine, bulge, most)
        if mine:
            data.append(_weight_dots(trace, head, mine, bulge, WEIGHT_POSITIONS[which]))
    description = (
        "Lines from queries on the left to keys on the right, wider for a larger weight. Lines:"
        f" {len(ends_L3)}, heads: {len(heads)}."
    )
    return {"data": data, "layout": _layout(trace, description, query, key)}


def _path(query: int, key: int, bulge: float, at: Array) -> Array:
    """The height of a line along its length: level at both ends; lines of different heads are apart
    in between.
    """
    height: Array = query + (key - query) * at**2 * (3 - 2 * at) + bulge * np.sin(np.pi * at)
    return height


def _lines(
    head: int, ends: Sequence[tuple[int, int, float]], bulge: float, most: float
) -> list[Part]:
    """The lines of one head, a trace for each width, and its entry in the legend."""
    colour = f"@head {head % 16}"
    lines = {"type": "scatter", "mode": "lines", "legendgroup": str(head), "name": f"head {head}"}
    entry = {"x": [None], "y": [None], "line": {"color": colour, "width": 4}}
    data: list[Part] = [lines | entry]
    levels: dict[int, list[Array]] = {}
    for t, s, weight in ends:
        level = min(int(weight / most * LINE_WIDTHS), LINE_WIDTHS - 1)
        path = np.append(_path(t, s, bulge, LINE_POINTS), np.nan)
        levels.setdefault(level, []).append(path)
    for level, paths in sorted(levels.items()):
        drawn = {
            "hoverinfo": "skip",
            "showlegend": False,
            "opacity": 0.3 + 0.7 * level / (LINE_WIDTHS - 1),
            "x": np.tile(np.append(LINE_POINTS, np.nan), len(paths)).astype("f4"),
            "y": np.concatenate(paths).astype("f4"),
            "line": {"color": colour, "width": 0.7 + 1.3 * level},
        }
        data.append(lines | drawn)
    return data


def _weight_dots(
    trace: Trace, head: int, ends: Sequence[tuple[int, int, float]], bulge: float, spot: float
) -> Part:
    """A dot on each line that shows its weight."""
    queries, keys = trace.labels("T"), trace.labels("S")
    at = np.array(spot)
    texts = [
        f"head {head}<br>{t} {shorten(queries[t])} → {s} {shorten(keys[s])}"
        f"<br><b>{format_percent(weight)}</b>"
        for t, s, weight in ends
    ]
    return marks(
        np.full(len(ends), spot, "f4"),
        np.array([_path(t, s, bulge, at) for t, s, _ in ends], "f4"),
        {"color": f"@head {head % 16}", "size": [4 + 5 * weight for *_, weight in ends]},
        text=texts,
        hovertemplate="%{text}<extra></extra>",
        showlegend=False,
        legendgroup=str(head),
    )


def _layout(trace: Trace, description: str, query: int, key: int) -> Part:
    """The tokens on both sides, those in focus in bold, and the legend on top."""
    sides, margin = {}, {"t": 44, "b": 6}
    n_rows = max(trace.sizes["T"], trace.sizes["S"])
    for axis, letter, colour, lit, side in (
        ("yaxis", "T", "@query", query, "l"),
        ("yaxis2", "S", "@key", key, "r"),
    ):
        words = [f"{i} {shorten(token)}" for i, token in enumerate(trace.labels(letter))]
        margin[side] = round(label_width(words, 12)) + 14
        sides[axis] = {
            "range": [n_rows - 0.5, -0.5],
            "tickvals": list(range(len(words))),
            "fixedrange": True,
            "showgrid": False,
            "zeroline": False,
            "ticktext": [*words[:lit], f"<b>{words[lit]}</b>", *words[lit + 1 :]],
            "tickfont": {"size": 12, "color": colour},
        }
    sides["yaxis2"] |= {"overlaying": "y", "side": "right"}
    sides["xaxis"] = {"range": [-0.01, 1.01], "visible": False, "fixedrange": True}
    height = 50 + max(8, n_rows) * (24 if n_rows <= 24 else 15)
    legend = {"showlegend": True, "legend": LEGEND_ABOVE | {"y": 1.0}}
    return layout(height, description, margin=margin, **legend, **sides)
