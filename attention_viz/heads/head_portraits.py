"""All measures of all heads as bars, and one measure along the sequence."""

from __future__ import annotations

from collections.abc import Sequence

from attention_core import Trace
from attention_core.checks import Array
from attention_lab.heads.head_portraits import Measure
from attention_lab.heads.patterns import Pattern

from ..curves import LEGEND_ABOVE, PLAIN_AXIS
from ..labels import format_number, label_width, numbered_labels
from ..parts import Part, layout, named_axis
from ..theme import Figure
from .portrait_lanes import (
    GAP_PX,
    MEASURES_PER_LINE,
    ROW_PX,
    TITLE_PX,
    bar_numbers,
    baseline_ticks,
    lane_of,
    measure_bars,
    measure_names,
)

PROFILE_TITLES = {"T": "query", "S": "key", "R": "singular value, the largest first"}


def measures_figure(measures: Sequence[Measure], pattern: Pattern, lit: tuple[str, int]) -> Figure:
    """A bar for every measure of every head, and a tick for a head without preferences.

    lit: the name of the measure and the head in focus. A clicked bar sends [name, head] as
    customdata. All bars share one pair of axes: one pair for each measure would take the browser
    several times as long.
    """
    n_heads = pattern.probabilities.shape[1]
    line_height = TITLE_PX + n_heads * ROW_PX + GAP_PX
    lanes = [lane_of(place, one, pattern, line_height) for place, one in enumerate(measures)]
    whole = -(-len(measures) // MEASURES_PER_LINE) * line_height - GAP_PX
    names = [f"head {head}" for head in range(n_heads)]
    names[lit[1]] = f"<b>{names[lit[1]]}</b>"
    rows = [float(row) for lane in lanes[::MEASURES_PER_LINE] for row in lane.rows]
    around: Part = {
        "xaxis": {"range": [0, MEASURES_PER_LINE], "visible": False, "fixedrange": True},
        "yaxis": {
            "range": [whole, 0],
            "tickvals": rows,
            "ticktext": names * (len(rows) // n_heads),
            "fixedrange": True,
            "showgrid": False,
            "zeroline": False,
            "tickfont": {"size": 12},
            "ticklabelstandoff": 4,
        },
        "margin": {"l": round(label_width([f"head {n_heads - 1}"])) + 10, "r": 4, "t": 4, "b": 4},
    }
    description = f"A bar with its number for each measure of each head. Heads: {n_heads}."
    data = [measure_bars(lanes, lit[1]), bar_numbers(lanes), *baseline_ticks(lanes)]
    data.append(measure_names(lanes, line_height, lit[0]))
    return {"data": data, "layout": layout(whole + 8, description, **around)}


def profile_figure(trace: Trace, measure: Measure, pattern: Pattern, head: int) -> Figure:
    """One measure along the sequence: the head in focus as bars, the other heads as dots, a head
    without preferences as a line.
    """
    values_HX = measure.profile(pattern)[0]
    labels = _profile_labels(trace, measure, values_HX.shape[1])
    others = [other for other in range(len(values_HX)) if other != head]
    data = [_focused_head(labels, head, values_HX[head])]
    if others:
        data.append(_other_heads(labels, others, values_HX[others]))
    if not measure.of_scores:
        data.append(_baseline(labels, measure.profile(pattern.uniform)[0, head]))
    places = PROFILE_TITLES[measure.axis].split(",")[0]
    description = (
        f"The {measure.name} for each {places}: head {head} as bars, other heads: {len(others)}."
    )
    names, foot = named_axis(labels)
    parts = {
        "showlegend": True,
        "bargap": 0.25,
        "margin": {"l": 52, "r": 8, "t": 36, "b": foot + 20},
        "legend": LEGEND_ABOVE,
        "xaxis": names
        | {"title": {"text": PROFILE_TITLES[measure.axis], "font": {"size": 12}, "standoff": 6}},
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


def describe_value(measure: Measure, pattern: Pattern, head: int, most: str) -> str:
    """The number of a head, and that of a head without preferences; for a rank the largest
    possible one.
    """
    value, baseline = float(measure.value(pattern)[0, head]), measure.baseline(pattern)
    if not measure.is_known(pattern, head):
        return "no value, because no query has such a key"
    if baseline is None:
        return f"{value:.0f} of at most {most}"
    without = format_number(float(baseline[0, head]), 3)
    return f"{format_number(value, 3)}; without preferences {without}"


def _profile_labels(trace: Trace, measure: Measure, count: int) -> list[str]:
    """The names of the places along a measure: tokens, or numbers of singular values."""
    if measure.axis == "R":
        return [f"σ{place + 1}" for place in range(count)]
    return list(numbered_labels(trace.labels(measure.axis)))
