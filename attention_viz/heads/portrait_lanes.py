"""The measures of all heads as lanes of one picture: where bars, ticks, numbers and names lie."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array
from attention_lab.heads.head_portraits import Measure
from attention_lab.heads.patterns import Pattern

from ..labels import number
from ..parts import Part

ACROSS = 6  # measures side by side
ROW, TITLE = 20, 24  # px: a head's bar, the name above a measure
GAP = 14  # px between two lines of measures
WIDE = 0.88  # the part of its column that a measure takes
BAR = 0.7  # the part of its line that a bar takes
LONGEST = 0.56  # the part of its column that the longest bar takes; the rest is for the numbers


@dataclass(frozen=True, eq=False)
class Lane:
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


def lane_of(place: int, measure: Measure, pattern: Pattern, line_height: float) -> Lane:
    """Where a measure lies: in lines of so many, from the left."""
    line, column = divmod(place, ACROSS)
    values_H, usual = measure.value(pattern)[0], measure.baseline(pattern)
    rows_H = line * line_height + TITLE + ROW * (np.arange(len(values_H)) + 0.5)
    return Lane(measure, column, rows_H, values_H, None if usual is None else usual[0])


def bars(lanes: Sequence[Lane], lit: int) -> Part:
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


def written(lanes: Sequence[Lane]) -> Part:
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


def ticks(lanes: Sequence[Lane]) -> list[Part]:
    """A tick where a head without preferences would be, for each measure that has such a number."""
    known = [(lane, lane.usual) for lane in lanes if lane.usual is not None]
    if not known:
        return []
    return [
        {
            "type": "scatter",
            "mode": "markers",
            "x": _joined(lane.at(usual_H) for lane, usual_H in known),
            "y": _joined(lane.rows for lane, _ in known),
            "marker": {"symbol": "line-ns", "size": 13, "line": {"color": "@focus", "width": 2}},
            "text": [number(float(usual), 3) for _, usual_H in known for usual in usual_H],
            "customdata": [lane.measure.name for lane, usual_H in known for _ in usual_H],
            "hovertemplate": "no preference: <b>%{text}</b><extra>%{customdata}</extra>",
        }
    ]


def titles(lanes: Sequence[Lane], line_height: float, lit: str) -> Part:
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


def _texts(lanes: Sequence[Lane]) -> list[str]:
    return [_said(value) for lane in lanes for value in lane.values]


def _said(value: float) -> str:
    """A bar's number in few signs; a dash where there is none."""
    if np.isnan(value):
        return "—"
    return "< 0.01" if 0 < abs(value) < 0.01 else number(float(value), 2)
