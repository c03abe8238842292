"""Pictures of a training run: the loss beside that of one answer per head, what each head looks at,
and the score with a head silenced.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from attention_core.checks import Array
from attention_lab.labs.evaluation import Score

from ..curves import CHART_MARGINS, LEGEND_ABOVE, chart_axis, line_series
from ..labels import format_number
from ..parts import Part, annotation, dashed_line, layout
from ..theme import Figure


def loss_figure(
    runs: Mapping[str, Sequence[tuple[int, float]]],
    last_step: int,
    *,
    floor: float | None = None,
    marked: int | None = None,
    height: int = 300,
) -> Figure:
    """The training loss of each run against the step.

    runs: (step, loss) of every checkpoint, by name. floor: the loss of one answer per head, a
    dashed line. marked: the step of the checkpoint shown.
    """
    colors = [f"@head {place}" for place in range(len(runs))]
    if len(runs) == 1:
        colors = ["@primary"]
    data = [
        _loss_curve(name, losses, color)
        for (name, losses), color in zip(runs.items(), colors, strict=True)
    ]
    most = max((loss for losses in runs.values() for _, loss in losses), default=1.0)
    parts: Part = {
        "showlegend": len(runs) > 1,
        "legend": LEGEND_ABOVE,
        "margin": CHART_MARGINS if len(runs) > 1 else CHART_MARGINS | {"t": 12},
        "shapes": [],
        "annotations": [],
        "xaxis": chart_axis("step", range=[-0.01 * last_step, 1.01 * last_step]),
        "yaxis": chart_axis("loss", range=[-0.02 * most, 1.1 * most]),
    }
    if floor is not None:
        parts["shapes"].append(dashed_line(0, floor, last_step, floor, "@focus", 2, "dash"))
        label = f"one answer per head, mean: {format_number(floor)}"
        parts["annotations"].append(
            annotation(last_step, floor, label, "@focus", "right", 12, yanchor="bottom")
        )
    if marked is not None:
        parts["shapes"].append(dashed_line(marked, 0, marked, 1.08 * most, "@muted", 1, "dot"))
    return {"data": data, "layout": layout(height, _losses_say(runs), **parts)}


def _loss_curve(name: str, losses: Sequence[tuple[int, float]], color: str) -> Part:
    """The losses of one run; a single loss is a dot."""
    mode = "lines" if len(losses) > 1 else "markers"
    steps, values = [step for step, _ in losses], [loss for _, loss in losses]
    return line_series(steps, values, name, color, mode=mode, marker={"color": color, "size": 9})


def _losses_say(runs: Mapping[str, Sequence[tuple[int, float]]]) -> str:
    """The last loss of each run, in words."""
    ends = " and ".join(
        f"{name} {format_number(losses[-1][1])}" if len(runs) > 1 else format_number(losses[-1][1])
        for name, losses in runs.items()
        if losses
    )
    return f"Line chart: the training loss against the step. Last loss: {ends or 'none yet'}."


def offset_figure(offsets: Array, masses_HT: Array) -> Figure:
    """How much of each head's attention lies at each distance around the ring, as bars."""
    places = [f"{int(offset):+d}".replace("-", "−") if offset else "0" for offset in offsets]
    best = "; ".join(
        f"head {head} {places[int(row.argmax())]} ({format_number(float(row.max()), 2)})"
        for head, row in enumerate(masses_HT)
    )
    says = (
        f"Bars: the attention of each head by distance around the ring. Heads: {len(masses_HT)}."
        f" Largest share: {best}."
    )
    return _bars(
        places,
        {f"head {head}": row for head, row in enumerate(masses_HT)},
        "distance from the query",
        says,
    )


def agreement_figure(masses: Mapping[str, Array]) -> Figure:
    """The share of each head's attention on words that agree with the query in gender, and in
    number.
    """
    n_heads = len(next(iter(masses.values())))
    groups = {
        f"head {head}": np.array([row[head] for row in masses.values()]) for head in range(n_heads)
    }
    says = (
        "Bars: the share of each head's attention on words that agree with the query. Heads:"
        f" {n_heads}."
    )
    return _bars([f"same {name}" for name in masses], groups, "", says)


def score_figure(parts: Sequence[str], scores: Mapping[str, Score]) -> Figure:
    """The score of each part of the task for several layers side by side, such as one with a
    silenced head.
    """
    groups = {name: np.array(score.parts) for name, score in scores.items()}
    what = "error (1: as bad as always saying the mean)"
    if next(iter(scores.values())).by_accuracy:
        what = "share of right choices"
    said = "; ".join(
        f"{name}: {', '.join(format_number(value, 2) for value in row)}"
        for name, row in groups.items()
    )
    figure = _bars(list(parts), groups, "", f"Bars: the {what} of each part. {said}.", what)
    for bars, color in zip(figure["data"], ("@muted", "@focus"), strict=False):
        bars["marker"] = {"color": color}
    return figure


def _bars(
    places: Sequence[str],
    groups: Mapping[str, Array],
    below: str,
    says: str,
    beside: str = "share of attention",
) -> Figure:
    data = [
        {
            "type": "bar",
            "name": name,
            "x": list(places),
            "y": np.asarray(row, "f4"),
            "marker": {"color": f"@head {place}"},
            "hovertemplate": "%{x}: <b>%{y:.3f}</b><extra>" + name + "</extra>",
        }
        for place, (name, row) in enumerate(groups.items())
    ]
    most = max(1.0, *(float(np.max(row)) for row in groups.values()))
    parts = {
        "barmode": "group",
        "bargap": 0.25,
        "showlegend": True,
        "legend": LEGEND_ABOVE,
        "margin": CHART_MARGINS,
        "xaxis": chart_axis(below, type="category", showgrid=False),
        "yaxis": chart_axis(beside, range=[0, 1.05 * most]),
    }
    return {"data": data, "layout": layout(300, says, **parts)}
