"""Pictures of a training run: the loss beside that of one answer per head, what each head looks at,
the score with a head silenced, several models side by side, and one unseen sequence as a board.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from attention_core import Trace
from attention_core.checks import Array
from attention_lab.labs.evaluation import Score
from attention_lab.labs.tasks import N_GENDERS, N_LETTERS
from attention_lab.words.numbers import format_number

from ..curves import CHART_MARGINS, WITH_LEGEND, bar_series, chart_axis, line_series
from ..matrices import Side, head_matrices, matrix_board
from ..parts import Part, annotation, dashed_line, layout
from ..payload import JSON
from ..theme import Figure

CURVE_DASHES = ("solid", "longdash", "dashdot", "dash", "longdashdot")
Curve = Sequence[tuple[int, float]]
GENDER_SIGNS, NUMBER_SIGNS = ("♀", "♂", "○"), ("1", "+")


def loss_figure(
    runs: Mapping[str, Sequence[tuple[int, float]]],
    last_step: int,
    *,
    floor: float | None = None,
    marked: int | None = None,
) -> Figure:
    """The training loss of each run against the step.

    runs: (step, loss) of every checkpoint, by name. floor: the loss of one answer per head, a
    dashed line. marked: the step of the checkpoint shown.
    """
    data = [
        _loss_curve(name, losses, f"@head {place}" if len(runs) > 1 else "@primary")
        for place, (name, losses) in enumerate(runs.items())
    ]
    most = max((loss for losses in runs.values() for _, loss in losses), default=1.0)
    many = len(runs) > 1
    parts: Part = WITH_LEGEND | {
        "showlegend": many,
        "margin": CHART_MARGINS if many else CHART_MARGINS | {"t": 12},
        "shapes": [],
        "annotations": [],
        "xaxis": chart_axis("step", range=[-0.01 * last_step, 1.01 * last_step]),
        "yaxis": chart_axis("loss", range=[-0.02 * most, 1.1 * most]),
    }
    if floor is not None:
        parts["shapes"].append(dashed_line(0, floor, last_step, floor, "@focus", 2, "dash"))
        label = f"one answer per head, mean: {format_number(floor)}"
        # At the left, where no curve is yet so low; below the line if there is room.
        side = "top" if floor > 0.15 * most else "bottom"
        parts["annotations"].append(annotation(0, floor, label, "@focus", "left", 12, yanchor=side))
    if marked is not None:
        parts["shapes"].append(dashed_line(marked, 0, marked, 1.08 * most, "@muted", 1, "dot"))
    return {"data": data, "layout": layout(300, _losses_say(runs), **parts)}


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
    groups = {f"head {head}": row for head, row in enumerate(masses_HT)}
    return _bars(places, groups, "distance from the query", says)


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
    data = []
    for place, (name, row) in enumerate(groups.items()):
        hover = "%{x}: <b>%{y:.3f}</b><extra>" + name + "</extra>"
        data.append(bar_series(places, row, name, f"@head {place}", hovertemplate=hover))
    most = max(1.0, *(float(np.max(row)) for row in groups.values()))
    parts = WITH_LEGEND | {
        "barmode": "group",
        "bargap": 0.25,
        "xaxis": chart_axis(below, type="category", showgrid=False),
        "yaxis": chart_axis(beside, range=[0, 1.05 * most]),
    }
    return {"data": data, "layout": layout(300, says, **parts)}


def comparison_figure(
    curves: Mapping[str, Curve], levels: Mapping[str, float], marks: Mapping[str, float], what: str
) -> Figure:
    """The loss of each model against the step, on a logarithmic axis.

    levels: losses of models that need no steps. marks: losses above 0 for comparison, the first
    dotted, the others dashed. what: the name of the loss.
    """
    last = max((points[-1][0] for points in curves.values()), default=1)
    data: list[Part] = []
    for name, value in levels.items():
        data.append(_level(name, value, last, "@text", "solid"))
    for place, (name, points) in enumerate(curves.items()):
        steps, losses = zip(*points, strict=True)
        color, dash = f"@head {place}", CURVE_DASHES[place % len(CURVE_DASHES)]
        data.append(line_series(steps, losses, name, color, dash))
    for place, (name, value) in enumerate(marks.items()):
        color, dash = ("@focus", "dash") if place else ("@muted", "dot")
        data.append(_level(name, value, last, color, dash))
    shown = np.concatenate([part["y"] for part in data])
    low, high = float(np.log10(shown.min())), float(np.log10(shown.max()))
    room = 0.05 * (high - low) + 0.02
    parts: Part = WITH_LEGEND | {
        "margin": CHART_MARGINS | {"l": 64},
        "xaxis": chart_axis("step", range=[-0.01 * last, 1.01 * last]),
        "yaxis": chart_axis(
            what,
            type="log",
            range=[low - room, high + room],
            exponentformat="power",
            **({"dtick": 1} if high - low > 1 else {}),
        ),
    }
    ends = {name: points[-1][1] for name, points in curves.items()} | dict(levels)
    said = ", ".join(f"{name} {format_number(value)}" for name, value in ends.items())
    says = f"Line chart: the {what} of each model against the step. At the end: {said}."
    return {"data": data, "layout": layout(380, says, **parts)}


def _level(name: str, value: float, last: int, color: str, dash: str) -> Part:
    return line_series((0, last), (value, value), name, color, dash)


def token_labels(task: str, inputs_TD: Array) -> tuple[str, ...]:
    """The label of each token of a task: its position, and its letter or its gender and number.

    >>> import numpy as np
    >>> token_labels("agreement", np.array([[0.0, 1, 0, 0, 1, 5.2]]))
    ('0 ♂+',)
    """
    if task == "letters":
        kinds = [chr(ord("a") + int(place)) for place in inputs_TD[:, :N_LETTERS].argmax(axis=1)]
    elif task in ("agreement", "conjunction"):
        genders = inputs_TD[:, :N_GENDERS].argmax(axis=1)
        numbers = inputs_TD[:, N_GENDERS : N_GENDERS + 2].argmax(axis=1)
        pairs = zip(genders, numbers, strict=True)
        kinds = [GENDER_SIGNS[gender] + NUMBER_SIGNS[count] for gender, count in pairs]
    else:
        return tuple(str(place) for place in range(len(inputs_TD)))
    return tuple(f"{place} {kind}" for place, kind in enumerate(kinds))


def sequence_board(trace: Trace, labels: tuple[str, ...]) -> JSON:
    """The probabilities of every head for one sequence; each cell has its row of scores.

    The key that head 0 reads most for the first token is pinned.
    """
    n_heads = trace.sizes["H"]
    sides = Side("query position", labels), Side("key position", labels)
    across = n_heads if n_heads < 4 else tiles_per_row(n_heads)
    drawn = []
    for head in range(n_heads):
        names = f"scores {head}", f"probabilities {head}"
        titles = f"scores, head {head}", f"head {head}"
        places = None, (head % across, head // across)
        drawn += head_matrices(trace, (0, head), sides, names, places, titles)
    most = int(trace.probabilities[0, 0, 0].argmax())
    says = f"The attention of each head on a sequence that no training step saw. Heads: {n_heads}."
    return matrix_board(drawn, ("probabilities 0", 0, most), says)


def tiles_per_row(n_tiles: int) -> int:
    """The number of tiles in a row: at most 4, and without a gap at the end if possible.

    >>> [tiles_per_row(n) for n in (1, 2, 4, 6, 8, 16)]
    [1, 2, 2, 3, 4, 4]
    """
    root = math.ceil(math.sqrt(n_tiles))
    return next((n for n in range(root, 5) if n_tiles % n == 0), min(4, root))
