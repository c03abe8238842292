"""The habits of all heads as bars, and one of them along the sequence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attention_core import Trace
from attention_core.checks import Array
from attention_lab.heads.head_portraits import Measure
from attention_lab.heads.patterns import Pattern

from ..curves import LEGEND_ABOVE, PLAIN_AXIS
from ..labels import format_number, label_width, numbered_labels
from ..parts import Part, layout, named_axis
from ..theme import Figure

ROW_PX, TITLE_PX = 20, 24  # a bar of a head, the name above a measure
BAR_HEIGHT = 0.7  # the part of its row that a bar takes
# Of a column, which is 1 wide: the longest bar, and where the numbers end.
MAX_BAR_WIDTH, NUMBER_END = 0.56, 0.88
ROWS: Part = {
    "fixedrange": True,
    "showgrid": False,
    "zeroline": False,
    "tickfont": {"size": 12},
    "ticklabelstandoff": 4,
}
TICKS: Part = {
    "type": "scatter",
    "mode": "markers",
    "marker": {"symbol": "line-ns", "size": 13, "line": {"color": "@focus", "width": 2}},
    "hovertemplate": "no preference: <b>%{text}</b><extra>%{customdata}</extra>",
}


def measures_figure(measures: Sequence[Measure], pattern: Pattern, lit: tuple[str, int]) -> Figure:
    """A bar for every measure of every head, and a tick for a head without preferences.

    measures: shares, 0 to 1. lit: the name of the measure and the head in focus. A clicked bar
    sends [name, head] as customdata. All bars share one pair of axes: one pair for each measure
    would take the browser several times as long.
    """
    values_MH = np.stack([measure.value(pattern)[0] for measure in measures])
    even_MH = np.stack([measure.value(pattern.uniform)[0] for measure in measures])
    n_heads = values_MH.shape[1]
    longest_M1 = np.nan_to_num([values_MH, even_MH]).max(axis=(0, 2))[:, np.newaxis]
    scale_M1 = MAX_BAR_WIDTH / np.where(longest_M1, longest_M1, 1)
    left_MH = np.arange(len(measures))[:, np.newaxis] + np.zeros(n_heads)
    rows_MH = TITLE_PX + ROW_PX * (np.arange(n_heads) + 0.5) + 0 * left_MH
    height = TITLE_PX + n_heads * ROW_PX
    heads = [f"head {head}" for head in range(n_heads)]
    heads[lit[1]] = f"<b>{heads[lit[1]]}</b>"
    names = [measure.name for measure in measures]
    written = [_format_share(share) for share in values_MH.ravel()]
    bars = {"x": _sent(np.nan_to_num(values_MH * scale_M1)), "y": _sent(rows_MH), "text": written}
    ends = {"x": _sent(left_MH + NUMBER_END), "y": _sent(rows_MH), "text": written}
    ticks = {
        "x": _sent(left_MH + even_MH * scale_M1),
        "y": _sent(rows_MH),
        "text": [format_number(float(share), 3) for share in even_MH.ravel()],
        "customdata": [name for name in names for _ in range(n_heads)],
    }
    titles = {
        "x": list(range(len(names))),
        "y": [TITLE_PX / 2] * len(names),
        "text": [f"<b>{name}</b>" if name == lit[0] else name for name in names],
    }
    data = [
        _bars(names, n_heads, lit[1]) | {"base": _sent(left_MH).tolist()} | bars,
        _words("middle left", 12) | ends,
        TICKS | ticks,
        _words("middle right", 11) | titles,
    ]
    axes: Part = {
        "xaxis": {"range": [0, len(measures)], "visible": False, "fixedrange": True},
        "yaxis": ROWS | {"range": [height, 0], "tickvals": rows_MH[0].tolist(), "ticktext": heads},
        "margin": {"l": round(label_width([f"head {n_heads - 1}"])) + 10, "r": 4, "t": 4, "b": 4},
    }
    description = f"A bar with its number for each measure of each head. Heads: {n_heads}."
    return {"data": data, "layout": layout(height + 8, description, **axes)}


def _bars(names: list[str], n_heads: int, lit: int) -> Part:
    """How the bars look, and what a click on one sends."""
    return {
        "type": "bar",
        "orientation": "h",
        "width": BAR_HEIGHT * ROW_PX,
        "customdata": [[name, head] for name in names for head in range(n_heads)],
        "marker": {
            "color": "@primary",
            "opacity": [0.9 if head == lit else 0.45 for head in range(n_heads)] * len(names),
        },
        "textposition": "none",
        "hovertemplate": "head %{customdata[1]}: <b>%{text}</b><extra>%{customdata[0]}</extra>",
    }


def _words(position: str, size: int) -> Part:
    """How words and numbers between the bars look."""
    return {
        "type": "scatter",
        "mode": "text",
        "textposition": position,
        "textfont": {"size": size},
        "hoverinfo": "skip",
    }


def profile_figure(trace: Trace, measure: Measure, pattern: Pattern, head: int) -> Figure:
    """One measure for each query: the head in focus as bars, the other heads as dots, a head
    without preferences as a line.
    """
    values_HT = measure.profile(pattern)[0]
    labels = list(numbered_labels(trace.labels("T")))
    others = [other for other in range(len(values_HT)) if other != head]
    data = [_focused_head(labels, head, values_HT[head])]
    if others:
        data.append(_other_heads(labels, others, values_HT[others]))
    data.append(_baseline(labels, measure.profile(pattern.uniform)[0, head]))
    description = (
        f"The {measure.name} for each query: head {head} as bars, other heads: {len(others)}."
    )
    names, foot = named_axis(labels)
    parts = {
        "showlegend": True,
        "bargap": 0.25,
        "margin": {"l": 52, "r": 8, "t": 36, "b": foot + 20},
        "legend": LEGEND_ABOVE,
        "xaxis": names | {"title": {"text": "query", "font": {"size": 12}, "standoff": 6}},
        "yaxis": PLAIN_AXIS | {"rangemode": "tozero"},
    }
    return {"data": data, "layout": layout(260 + foot, description, **parts)}


def _focused_head(labels: list[str], head: int, values_X: Array) -> Part:
    """The head in focus as bars."""
    return {
        "type": "bar",
        "x": labels,
        "y": values_X.astype("f4"),
        "name": f"head {head}",
        "marker": {"color": f"@head {head % 16}"},
        "hovertemplate": "%{x}<br><b>%{y:.4g}</b><extra>%{fullData.name}</extra>",
    }


def _other_heads(labels: list[str], heads: list[int], values_HX: Array) -> Part:
    """The other heads as dots."""
    return {
        "type": "scatter",
        "mode": "markers",
        "x": labels * len(heads),
        "name": "other heads",
        "y": values_HX.ravel().astype("f4"),
        "marker": {"color": "@muted", "size": 4, "opacity": 0.5},
        "text": [f"head {other}" for other in heads for _ in labels],
        "hovertemplate": "%{x}<br><b>%{y:.4g}</b><extra>%{text}</extra>",
    }


def _baseline(labels: list[str], baseline_X: Array) -> Part:
    """A head without preferences as a line, or as a mark if there is only one place."""
    return {
        "type": "scatter",
        "mode": "lines" if len(labels) > 1 else "markers",
        "name": "no preference",
        "x": labels,
        "y": baseline_X.astype("f4"),
        "line": {"color": "@focus", "width": 2, "dash": "dash", "shape": "hvh"},
        "marker": {"symbol": "line-ew", "size": 22, "line": {"color": "@focus", "width": 2}},
        "hovertemplate": "%{x}<br><b>%{y:.4g}</b><extra>no preference</extra>",
    }


def describe_value(measure: Measure, pattern: Pattern, head: int) -> str:
    """The number of a head, and that of a head without preferences."""
    if not measure.is_known(pattern, head):
        return "no value, because no query has such a key"
    own, even = (
        format_number(float(measure.value(one)[0, head]), 3) for one in (pattern, pattern.uniform)
    )
    return f"{own}; without preferences {even}"


def _sent(numbers: Array) -> Array:
    """The numbers of all measures as one array of float32, for the browser."""
    sent: Array = numbers.ravel().astype("f4")
    return sent


def _format_share(share: float) -> str:
    """The number of a bar in few characters; a dash if there is none."""
    if np.isnan(share):
        return "—"
    if 0 < share < 0.01:
        return "< 0.01"
    return format_number(float(share), 2)
