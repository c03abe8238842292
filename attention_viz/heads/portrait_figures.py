"""What heads do, as bars: all measures of all heads, and one measure along the sequence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attention_core import Trace
from attention_core.checks import Array
from attention_core.heads.patterns import Pattern
from attention_core.heads.portraits import Measure

from ..labels import counted, longest, number
from ..parts import Part, layout, word
from ..theme import Figure
from ..tiles import numbered

ACROSS = 6  # measures side by side
ROW, TITLE, GAP = 20, 24, 14  # px: a head's bar, the name above a measure, the room between two lines of measures
ROOM = 1.4  # how far an axis goes on behind its longest bar, for the numbers
WORDS = {"T": "query", "S": "key", "R": "singular value, the largest first"}


def strip(measures: Sequence[Measure], pattern: Pattern, lit: tuple[str, int]) -> Figure:
    """A bar for every measure of every head, and a tick where a head without preferences would be.

    lit: the name of the measure and the head in focus. Clicked bars carry [name, head] as customdata.
    """
    n_heads, lines = pattern.probabilities.shape[1], -(-len(measures) // ACROSS)
    tall = n_heads * ROW
    whole = lines * (tall + TITLE) + (lines - 1) * GAP
    names = [f"head {head}" for head in range(n_heads)]
    data: list[Part] = []
    around: Part = {
        "annotations": [],
        "shapes": [],
        "margin": {"l": round(longest(names)) + 10, "r": 4, "t": 4, "b": 4},
    }
    for place, measure in enumerate(measures):
        line, column = divmod(place, ACROSS)
        top = 1 - (TITLE + line * (tall + TITLE + GAP)) / whole
        axis = str(place + 1) if place else ""
        values_H, usual = measure.value(pattern)[0], measure.baseline(pattern)
        usual_H = None if usual is None else usual[0]
        around[f"xaxis{axis}"] = _scale(values_H, usual_H) | {
            "domain": [column / ACROSS, (column + 0.88) / ACROSS], "anchor": f"y{axis}"
        }  # fmt: skip
        around[f"yaxis{axis}"] = {
            "domain": [max(0.0, top - tall / whole), top], "anchor": f"x{axis}", "range": [n_heads - 0.5, -0.5],
            "tickvals": list(range(n_heads)), "fixedrange": True, "showgrid": False, "zeroline": False,
            "ticktext": [f"<b>{name}</b>" if head == lit[1] else name for head, name in enumerate(names)],
            "tickfont": {"size": 12}, "showticklabels": column == 0,
        }  # fmt: skip
        axes = {"xaxis": f"x{axis}", "yaxis": f"y{axis}"}
        data += _bars(measure, values_H, usual_H, lit[1], axes, around[f"xaxis{axis}"]["range"][1])
        title = f"<b>{measure.name}</b>" if measure.name == lit[0] else measure.name
        around["annotations"].append(
            word(0, 1, title, anchor="left", size=12, yanchor="bottom", xref=f"x{axis} domain", yref=f"y{axis} domain")
        )
    says = f"{counted(len(measures), 'measure')} of {counted(n_heads, 'head')} as bars, each with its number."
    return {"data": data, "layout": layout(whole + 8, says, bargap=0.3, **around)}


def profile(trace: Trace, measure: Measure, pattern: Pattern, head: int) -> Figure:
    """One measure along the sequence: the head in focus as bars, the other heads as dots, no preference as a line."""
    values_HX = measure.profile(pattern)[0]
    labels = _places(trace, measure, values_HX.shape[1])
    data: list[Part] = [{
        "type": "bar", "x": labels, "y": values_HX[head].astype("f4"), "name": f"head {head}",
        "marker": {"color": f"@head {head % 16}"},
        "hovertemplate": "%{x}<br><b>%{y:.4g}</b><extra>%{fullData.name}</extra>",
    }]  # fmt: skip
    others = [other for other in range(len(values_HX)) if other != head]
    if others:
        data.append({
            "type": "scatter", "mode": "markers", "x": labels * len(others), "name": "other heads",
            "y": values_HX[others].ravel().astype("f4"), "marker": {"color": "@muted", "size": 4, "opacity": 0.5},
            "text": [f"head {other}" for other in others for _ in labels],
            "hovertemplate": "%{x}<br><b>%{y:.4g}</b><extra>%{text}</extra>",
        })  # fmt: skip
    if not measure.of_scores:
        usual_X = measure.profile(pattern.uniform())[0, head]
        data.append({
            "type": "scatter", "mode": "lines", "x": labels, "y": usual_X.astype("f4"), "name": "no preference",
            "line": {"color": "@focus", "width": 2, "dash": "dash", "shape": "hvh"},
            "hovertemplate": "%{x}<br><b>%{y:.4g}</b><extra>no preference</extra>",
        })  # fmt: skip
    says = f"The {measure.name} of head {head} for each {WORDS[measure.axis].split(',')[0]}, beside the other heads."
    return {"data": data, "layout": layout(
        320, says, showlegend=True, bargap=0.25, margin={"l": 52, "r": 8, "t": 36, "b": 84},
        legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        xaxis={"type": "category", "fixedrange": True, "showgrid": False, "tickfont": {"size": 11},
               "title": {"text": WORDS[measure.axis], "font": {"size": 12}}},
        yaxis={"fixedrange": True, "gridcolor": "@line", "zeroline": False, "tickfont": {"size": 11}},
    )}  # fmt: skip


def _places(trace: Trace, measure: Measure, count: int) -> list[str]:
    return (
        [f"σ{place + 1}" for place in range(count)]
        if measure.axis == "R"
        else list(numbered(trace.labels(measure.axis)))
    )


def _scale(values_H: Array, usual_H: Array | None) -> Part:
    """An axis from 0, or about 0 where a number is negative, with room for the numbers at its end."""
    numbers = values_H if usual_H is None else np.concatenate([values_H, usual_H])
    known = numbers[np.isfinite(numbers)]
    least, most = float(known.min(initial=0.0)), float(known.max(initial=0.0))
    span = max(most, -least) or 1.0
    return {"range": [-span if least < 0 else 0.0, ROOM * span], "visible": False, "fixedrange": True}


def _bars(measure: Measure, values_H: Array, usual_H: Array | None, lit: int, axes: Part, end: float) -> list[Part]:
    """The bars of a measure, the head in focus stronger, their numbers in a column at the end, and the ticks."""
    heads = list(range(len(values_H)))
    data: list[Part] = [axes | {
        "type": "bar", "orientation": "h", "x": np.nan_to_num(values_H).astype("f4"), "y": heads, "name": measure.name,
        "customdata": [[measure.name, head] for head in heads], "showlegend": False,
        "marker": {"color": "@primary", "opacity": [0.9 if head == lit else 0.45 for head in heads]},
        "text": [_said(value) for value in values_H], "textposition": "none",
        "hovertemplate": "head %{y}: <b>%{text}</b><extra>%{fullData.name}</extra>",
    }, axes | {
        "type": "scatter", "mode": "text", "x": [end] * len(heads), "y": heads, "textposition": "middle left",
        "text": [_said(value) for value in values_H], "textfont": {"size": 12}, "hoverinfo": "skip",
        "showlegend": False,
    }]  # fmt: skip
    if usual_H is not None:
        data.append(axes | {
            "type": "scatter", "mode": "markers", "x": usual_H.astype("f4"), "y": heads, "showlegend": False,
            "marker": {"symbol": "line-ns", "size": 13, "line": {"color": "@focus", "width": 2}},
            "hovertemplate": "no preference: <b>%{x:.3g}</b><extra>" + measure.name + "</extra>",
        })  # fmt: skip
    return data


def _said(value: float) -> str:
    """A bar's number in few signs; a dash where there is none."""
    if np.isnan(value):
        return "—"
    return "< 0.01" if 0 < abs(value) < 0.01 else number(float(value), 2)
