"""What heads do, as bars: all measures of all heads, and one measure along the sequence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from attention_core import Trace
from attention_core.checks import Array
from attention_lab.heads.patterns import Pattern
from attention_lab.heads.portraits import Measure

from ..curves import LEGEND
from ..labels import counted, longest, number
from ..parts import Part, layout, names_below
from ..theme import Figure
from ..tiles import numbered

ACROSS = 6  # measures side by side
ROW, TITLE, GAP = (
    20,
    24,
    14,
)  # px: a head's bar, the name above a measure, the room between two lines of measures
WIDE, BAR = (
    0.88,
    0.7,
)  # the part of its column that a measure takes, and of its line that a bar takes
LONGEST = 0.56  # the part of its column that the longest bar takes; the rest is for the numbers
WORDS = {"T": "query", "S": "key", "R": "singular value, the largest first"}


@dataclass(frozen=True, eq=False)
class _Lane:
    """The place of a measure in the picture, its numbers, and where they lie there.

    left: in columns, so that a column is one wide. rows: of the heads' bars, px from the top.
    Shapes: all (H,).
    """

    measure: Measure
    left: int
    rows: Array
    values: Array
    usual: Array | None

    def at(self, numbers_H: Array) -> Array:
        """Where numbers lie: from 0, or about 0 where one is negative; the longest bar ends
        before the written ones.
        """
        known = self.values if self.usual is None else np.concatenate([self.values, self.usual])
        known = known[np.isfinite(known)]
        least, most = float(known.min(initial=0.0)), float(known.max(initial=0.0))
        span = max(most, -least) or 1.0
        start = -span if least < 0 else 0.0
        places_H: Array = self.left + LONGEST * (numbers_H - start) / (span - start)
        return places_H


def strip(measures: Sequence[Measure], pattern: Pattern, lit: tuple[str, int]) -> Figure:
    """A bar for every measure of every head, and a tick where a head without preferences would be.

    lit: the name of the measure and the head in focus. Clicked bars carry [name, head] as
    customdata. All bars share one plane: a pair of axes for each measure would take the browser
    several times as long.
    """
    n_heads = pattern.probabilities.shape[1]
    line_height = TITLE + n_heads * ROW + GAP
    lanes = [_lane(place, measure, pattern, line_height) for place, measure in enumerate(measures)]
    whole = -(-len(measures) // ACROSS) * line_height - GAP
    names = [f"<b>head {head}</b>" if head == lit[1] else f"head {head}" for head in range(n_heads)]
    rows = [float(row) for lane in lanes[::ACROSS] for row in lane.rows]
    around: Part = {
        "xaxis": {"range": [0, ACROSS], "visible": False, "fixedrange": True},
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
        "margin": {"l": round(longest([f"head {n_heads - 1}"])) + 10, "r": 4, "t": 4, "b": 4},
    }
    says = (
        f"{counted(len(measures), 'measure')} of {counted(n_heads, 'head')} as bars, each with its"
        " number."
    )
    data = [
        _bars(lanes, lit[1]),
        _written(lanes),
        *_ticks(lanes),
        _titles(lanes, line_height, lit[0]),
    ]
    return {"data": data, "layout": layout(whole + 8, says, **around)}


def profile(trace: Trace, measure: Measure, pattern: Pattern, head: int) -> Figure:
    """One measure along the sequence: the head in focus as bars, the other heads as dots, no
    preference as a line.
    """
    values_HX = measure.profile(pattern)[0]
    labels = _places(trace, measure, values_HX.shape[1])
    data: list[Part] = [
        {
            "type": "bar",
            "x": labels,
            "y": values_HX[head].astype("f4"),
            "name": f"head {head}",
            "marker": {"color": f"@head {head % 16}"},
            "hovertemplate": "%{x}<br><b>%{y:.4g}</b><extra>%{fullData.name}</extra>",
        }
    ]
    others = [other for other in range(len(values_HX)) if other != head]
    if others:
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "x": labels * len(others),
                "name": "other heads",
                "y": values_HX[others].ravel().astype("f4"),
                "marker": {"color": "@muted", "size": 4, "opacity": 0.5},
                "text": [f"head {other}" for other in others for _ in labels],
                "hovertemplate": "%{x}<br><b>%{y:.4g}</b><extra>%{text}</extra>",
            }
        )
    if not measure.of_scores:
        usual_X = measure.profile(pattern.uniform)[0, head]
        data.append(
            {
                "type": "scatter",
                "mode": "lines" if len(labels) > 1 else "markers",
                "name": "no preference",
                "x": labels,
                "y": usual_X.astype("f4"),
                "line": {"color": "@focus", "width": 2, "dash": "dash", "shape": "hvh"},
                "marker": {
                    "symbol": "line-ew",
                    "size": 22,
                    "line": {"color": "@focus", "width": 2},
                },
                "hovertemplate": "%{x}<br><b>%{y:.4g}</b><extra>no preference</extra>",
            }
        )
    beside = ", beside the other heads" if others else ""
    says = (
        f"The {measure.name} of head {head} for each {WORDS[measure.axis].split(',')[0]}{beside}."
    )
    names, foot = names_below(labels)
    return {
        "data": data,
        "layout": layout(
            260 + foot,
            says,
            showlegend=True,
            bargap=0.25,
            margin={"l": 52, "r": 8, "t": 36, "b": foot + 20},
            legend=LEGEND,
            xaxis=names
            | {"title": {"text": WORDS[measure.axis], "font": {"size": 12}, "standoff": 6}},
            yaxis={
                "fixedrange": True,
                "gridcolor": "@line",
                "zeroline": False,
                "tickfont": {"size": 11},
                "rangemode": "tozero",
            },
        ),
    }


def value_says(measure: Measure, pattern: Pattern, head: int, most: str) -> str:
    """The number of a head in words, beside that of a head without preferences; a rank beside
    the most there can be.
    """
    value, usual = float(measure.value(pattern)[0, head]), measure.baseline(pattern)
    if not measure.is_known(pattern, head):
        return "none, for no query has such a key"
    if usual is None:
        return f"{value:.0f} of at most {most}"
    return f"{number(value, 3)}; without preferences {number(float(usual[0, head]), 3)}"


def _places(trace: Trace, measure: Measure, count: int) -> list[str]:
    return (
        [f"σ{place + 1}" for place in range(count)]
        if measure.axis == "R"
        else list(numbered(trace.labels(measure.axis)))
    )


def _lane(place: int, measure: Measure, pattern: Pattern, line_height: float) -> _Lane:
    line, column = divmod(place, ACROSS)
    values_H, usual = measure.value(pattern)[0], measure.baseline(pattern)
    rows_H = line * line_height + TITLE + ROW * (np.arange(len(values_H)) + 0.5)
    return _Lane(measure, column, rows_H, values_H, None if usual is None else usual[0])


def _bars(lanes: Sequence[_Lane], lit: int) -> Part:
    """The bars of all measures, the head in focus stronger."""
    zeros = [lane.at(np.zeros(len(lane.values))) for lane in lanes]
    heads = [head for lane in lanes for head in range(len(lane.values))]
    return {
        "type": "bar",
        "orientation": "h",
        "y": _joined(lane.rows for lane in lanes),
        "base": _joined(zeros).tolist(),
        "x": _joined(
            np.nan_to_num(lane.at(lane.values) - zero)
            for lane, zero in zip(lanes, zeros, strict=True)
        ),
        "width": BAR * ROW,
        "customdata": [
            [lane.measure.name, head] for lane in lanes for head in range(len(lane.values))
        ],
        "marker": {
            "color": "@primary",
            "opacity": [0.9 if head == lit else 0.45 for head in heads],
        },
        "text": _texts(lanes),
        "textposition": "none",
        "hovertemplate": "head %{customdata[1]}: <b>%{text}</b><extra>%{customdata[0]}</extra>",
    }


def _written(lanes: Sequence[_Lane]) -> Part:
    """The numbers of the bars, in a column at the end of each measure."""
    return {
        "type": "scatter",
        "mode": "text",
        "y": _joined(lane.rows for lane in lanes),
        "text": _texts(lanes),
        "x": _joined(np.full(len(lane.values), lane.left + WIDE) for lane in lanes),
        "textposition": "middle left",
        "textfont": {"size": 12},
        "hoverinfo": "skip",
    }


def _ticks(lanes: Sequence[_Lane]) -> list[Part]:
    """A tick where a head without preferences would be, for each measure that has such a number."""
    known = [(lane, lane.usual) for lane in lanes if lane.usual is not None]
    return (
        [
            {
                "type": "scatter",
                "mode": "markers",
                "x": _joined(lane.at(usual_H) for lane, usual_H in known),
                "y": _joined(lane.rows for lane, _ in known),
                "marker": {
                    "symbol": "line-ns",
                    "size": 13,
                    "line": {"color": "@focus", "width": 2},
                },
                "text": [number(float(usual), 3) for _, usual_H in known for usual in usual_H],
                "customdata": [lane.measure.name for lane, usual_H in known for _ in usual_H],
                "hovertemplate": "no preference: <b>%{text}</b><extra>%{customdata}</extra>",
            }
        ]
        if known
        else []
    )


def _titles(lanes: Sequence[_Lane], line_height: float, lit: str) -> Part:
    """The names of the measures, that of the one in focus bold."""
    names = [lane.measure.name for lane in lanes]
    return {
        "type": "scatter",
        "mode": "text",
        "x": [lane.left for lane in lanes],
        "textposition": "middle right",
        "y": [place // ACROSS * line_height + TITLE / 2 for place in range(len(lanes))],
        "text": [f"<b>{name}</b>" if name == lit else name for name in names],
        "textfont": {"size": 11},
        "hoverinfo": "skip",
    }


def _joined(parts: Iterable[Array]) -> Array:
    """The numbers of all measures in a row, as the browser gets them."""
    joined: Array = np.concatenate(list(parts)).astype("f4")
    return joined


def _texts(lanes: Sequence[_Lane]) -> list[str]:
    return [_said(value) for lane in lanes for value in lane.values]


def _said(value: float) -> str:
    """A bar's number in few signs; a dash where there is none."""
    if np.isnan(value):
        return "—"
    return "< 0.01" if 0 < abs(value) < 0.01 else number(float(value), 2)
