"""The positions of bars, ticks, numbers and names in the picture of all measures and heads. Each
measure has a lane.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array
from attention_lab.heads.head_portraits import Measure
from attention_lab.heads.patterns import Pattern

from ..labels import format_number
from ..parts import Part

MEASURES_PER_LINE = 6
ROW_PX, TITLE_PX = 20, 24  # a bar of a head, the name above a measure
GAP_PX = 14  # between two lines of measures
LANE_WIDTH = 0.88  # the part of its column that a measure takes
BAR_HEIGHT = 0.7  # the part of its row that a bar takes
MAX_BAR_WIDTH = 0.56  # the part of its column that the longest bar takes; numbers take the rest


@dataclass(frozen=True, eq=False)
class Lane:
    """A measure in the picture: its numbers and their positions.

    left: in columns; a column is 1 wide. rows: the bars of the heads, in px from the top. baseline:
    the values of heads without preferences. Shapes: all (H,).
    """

    measure: Measure
    left: int
    rows: Array
    values: Array
    baseline: Array | None

    def at(self, numbers_H: Array) -> Array:
        """The horizontal positions of numbers: from 0, or around 0 if one is negative. The longest
        bar ends before the written numbers.
        """
        arrays = [array for array in (self.values, self.baseline) if array is not None]
        known = np.concatenate(arrays)
        known = known[np.isfinite(known)]
        least, most = float(known.min(initial=0.0)), float(known.max(initial=0.0))
        span, start = max(most, -least) or 1.0, 0.0
        if least < 0:
            start = -span
        places_H: Array = self.left + MAX_BAR_WIDTH * (numbers_H - start) / (span - start)
        return places_H


def lane_of(place: int, measure: Measure, pattern: Pattern, line_height: float) -> Lane:
    """The lane of a measure, numbered from the top left."""
    line, column = divmod(place, MEASURES_PER_LINE)
    values_H, baseline_BH = measure.value(pattern)[0], measure.baseline(pattern)
    baseline_H = baseline_BH if baseline_BH is None else baseline_BH[0]
    rows_H = line * line_height + TITLE_PX + ROW_PX * (np.arange(len(values_H)) + 0.5)
    return Lane(measure, column, rows_H, values_H, baseline_H)


def measure_bars(lanes: Sequence[Lane], lit: int) -> Part:
    """The bars of all measures, the head in focus stronger."""
    zeros = [lane.at(np.zeros(len(lane.values))) for lane in lanes]
    heads = [head for lane in lanes for head in range(len(lane.values))]
    return {
        "type": "bar",
        "orientation": "h",
        "y": _concatenated(lane.rows for lane in lanes),
        "base": _concatenated(zeros).tolist(),
        "x": _concatenated(
            np.nan_to_num(lane.at(lane.values) - zero)
            for lane, zero in zip(lanes, zeros, strict=True)
        ),
        "width": BAR_HEIGHT * ROW_PX,
        "customdata": [
            [lane.measure.name, head] for lane in lanes for head in range(len(lane.values))
        ],
        "marker": {
            "color": "@primary",
            "opacity": [0.9 if head == lit else 0.45 for head in heads],
        },
        "text": _formatted_values(lanes),
        "textposition": "none",
        "hovertemplate": "head %{customdata[1]}: <b>%{text}</b><extra>%{customdata[0]}</extra>",
    }


def bar_numbers(lanes: Sequence[Lane]) -> Part:
    """The numbers of the bars, in a column at the right of each measure."""
    return {
        "type": "scatter",
        "mode": "text",
        "y": _concatenated(lane.rows for lane in lanes),
        "text": _formatted_values(lanes),
        "x": _concatenated(np.full(len(lane.values), lane.left + LANE_WIDTH) for lane in lanes),
        "textposition": "middle left",
        "textfont": {"size": 12},
        "hoverinfo": "skip",
    }


def baseline_ticks(lanes: Sequence[Lane]) -> list[Part]:
    """A tick for a head without preferences, in each measure that has such a number."""
    known = [(lane, lane.baseline) for lane in lanes if lane.baseline is not None]
    if not known:
        return []
    return [
        {
            "type": "scatter",
            "mode": "markers",
            "x": _concatenated(lane.at(baseline_H) for lane, baseline_H in known),
            "y": _concatenated(lane.rows for lane, _ in known),
            "marker": {"symbol": "line-ns", "size": 13, "line": {"color": "@focus", "width": 2}},
            "text": [
                format_number(float(value), 3) for _, baseline_H in known for value in baseline_H
            ],
            "customdata": [lane.measure.name for lane, baseline_H in known for _ in baseline_H],
            "hovertemplate": "no preference: <b>%{text}</b><extra>%{customdata}</extra>",
        }
    ]


def measure_names(lanes: Sequence[Lane], line_height: float, lit: str) -> Part:
    """The names of the measures, the one in focus bold."""
    names = [lane.measure.name for lane in lanes]
    return {
        "type": "scatter",
        "mode": "text",
        "x": [lane.left for lane in lanes],
        "textposition": "middle right",
        "y": [
            place // MEASURES_PER_LINE * line_height + TITLE_PX / 2 for place in range(len(lanes))
        ],
        "text": [{lit: f"<b>{lit}</b>"}.get(name, name) for name in names],
        "textfont": {"size": 11},
        "hoverinfo": "skip",
    }


def _concatenated(parts: Iterable[Array]) -> Array:
    """The numbers of all measures as one array of float32, for the browser."""
    joined: Array = np.concatenate(list(parts)).astype("f4")
    return joined


def _formatted_values(lanes: Sequence[Lane]) -> list[str]:
    return [_format_value(value) for lane in lanes for value in lane.values]


def _format_value(value: float) -> str:
    """The number of a bar in few characters; a dash if there is none."""
    if np.isnan(value):
        return "—"
    if 0 < abs(value) < 0.01:
        return "< 0.01"
    return format_number(float(value), 2)
