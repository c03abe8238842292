"""The sharpness of a softmax: at two temperatures as a board, and curves by the temperature and by
the width of a head.
"""

from collections.abc import Sequence

import numpy as np

from attention_core import Trace
from attention_core.checks import Array
from attention_lab.focus import Focus
from attention_lab.masks.temperature import ScoreSpread, at_temperature
from attention_lab.notation.notation import OURS, Notation
from attention_lab.words.numbers import format_percent

from ..curves import PLAIN_AXIS, WITH_LEGEND, line_series, marks
from ..labels import shorten
from ..matrices import Matrix, field_sides, matrix_board
from ..parts import Part, annotation, dashed_line, layout
from ..payload import JSON
from ..theme import Figure

MIN_TEMPERATURE, MAX_TEMPERATURE = 0.05, 20.0
TEMPERATURE_AXIS = PLAIN_AXIS | {
    "type": "log",
    "title": {"text": "temperature"},
    "tickvals": [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20],
}


def temperature_board(
    trace: Trace,
    shares_TS: Array,
    temperature: float,
    cell: tuple[int, int, int],
    notation: Notation = OURS,
) -> JSON:
    """The probabilities of a head as they are and at another temperature. Shapes: (T, S)."""
    head, query, key = cell
    sides = field_sides(trace, "probabilities")
    matrices: list[Matrix] = []
    both = (("usual", trace.probabilities[0, head], 1), ("other", shares_TS, temperature))
    for name, shares, number in both:
        at = (len(matrices), 0)
        title, says = (
            f"probabilities at temperature {number:g}",
            f"The share at temperature {number:g} is",
        )
        matrices.append(Matrix(name, shares, *sides, at, title, kind="probability", says=says))
    description = (
        f"The probabilities of head {head} at temperature 1 and at temperature {temperature:g}."
    )
    return matrix_board(matrices, ("other", query, key), description, notation)


def temperature_figure(trace: Trace, focus: Focus, temperature: float) -> Figure:
    """The shares of the query in focus by the temperature, a curve for each key; the chosen key and
    the strongest are named.
    """
    tokens, key = trace.labels("S"), focus.key
    temperature_P = np.geomspace(MIN_TEMPERATURE, MAX_TEMPERATURE, 61)
    shares_PS = at_temperature(trace, temperature_P, focus.head)[:, focus.query]
    strongest = int(shares_PS[0].argmax())
    curves = []
    for place in sorted(range(len(tokens)), key=lambda place: place == key):  # the chosen on top
        line = (
            {"color": "@key", "width": 3.5} if place == key else {"color": "@hatch", "width": 1.2}
        )
        curves.append(_curve(temperature_P, shares_PS[:, place], shorten(tokens[place]), line))
    left, names = np.log10(MIN_TEMPERATURE), []
    for place, colour in {strongest: "@text", key: "@key"}.items():
        height, name = float(shares_PS[0, place]), f" {shorten(tokens[place])}"
        names.append(annotation(left, height, name, colour, "left", yshift=9))
    around = {
        "xaxis": TEMPERATURE_AXIS,
        "yaxis": PLAIN_AXIS | {"tickformat": ".0%", "range": [-0.02, 1.05]},
        "shapes": [dashed_line(temperature, -0.02, temperature, 1.05, "@focus", 2, "dash")],
        "annotations": names,
        "margin": {"l": 48, "r": 12, "t": 12, "b": 44},
    }
    description = (
        f"The share of each key for temperatures from {MIN_TEMPERATURE} to {MAX_TEMPERATURE}. Keys:"
        f" {len(tokens)}, marked temperature: {temperature:g}."
    )
    return {"data": curves, "layout": layout(320, description, **around)}


def variance_figure(spreads: Sequence[ScoreSpread]) -> Figure:
    """The variance of dot products by the width d_k: measured, with errors, and by theory."""
    widths = [spread.d_k for spread in spreads]
    errors = [2 * spread.standard_error for spread in spreads]
    measured = marks(
        widths,
        [spread.variance for spread in spreads],
        {"color": "@primary", "size": 9},
        name="measured",
        error_y={"type": "data", "array": errors, "color": "@primary"},
        hovertemplate="d_k = %{x}: %{y:.4g}<extra></extra>",
    )
    line = {"color": "@muted", "width": 2, "dash": "dash"}
    theory = _curve(widths, widths, "theory: d_k", line)
    around = WITH_LEGEND | {
        "xaxis": _width_axis(widths),
        "yaxis": PLAIN_AXIS | {"type": "log", "tickvals": widths},
        "margin": {"l": 52, "r": 12, "t": 34, "b": 44},
    }
    description = (
        f"The variance of the dot product of a random query and key for widths {widths[0]} to"
        f" {widths[-1]}: it is d_k."
    )
    return {"data": [theory, measured], "layout": layout(300, description, **around)}


def saturation_figure(spreads: Sequence[ScoreSpread]) -> Figure:
    """The largest share and the trace of the softmax Jacobian by the width, for raw and scaled
    scores.
    """
    widths = [spread.d_k for spread in spreads]
    curves = []
    for name, measure, dash in (
        ("largest share", "largest_share", "solid"),
        ("Jacobian trace", "jacobian_trace", "dot"),
    ):
        for scores, colour in (("raw", "@focus"), ("scaled", "@primary")):
            heights = [getattr(getattr(spread, scores), measure) for spread in spreads]
            line, dots = {"color": colour, "width": 2.5, "dash": dash}, {"color": colour}
            curve = _curve(widths, heights, f"{name}, {scores}", line)
            curves.append(curve | {"mode": "lines+markers", "marker": dots})
    around = WITH_LEGEND | {
        "xaxis": _width_axis(widths),
        "yaxis": PLAIN_AXIS | {"range": [0, 1.05]},
        "margin": {"l": 40, "r": 12, "t": 60, "b": 44},
    }
    last = spreads[-1]
    description = (
        f"At d_k = {widths[-1]} the largest share is on average"
        f" {format_percent(last.raw.largest_share)} with raw scores and"
        f" {format_percent(last.scaled.largest_share)} with scaled ones."
    )
    return {"data": curves, "layout": layout(300, description, **around)}


def _width_axis(widths: Sequence[int]) -> Part:
    return PLAIN_AXIS | {"type": "log", "title": {"text": "width d_k"}, "tickvals": widths}


def _curve(x: Sequence[float] | Array, y: Sequence[float] | Array, name: str, line: Part) -> Part:
    hover = "%{x:.3g}: %{y:.4g}<extra>" + name + "</extra>"
    return line_series(x, y, name, line["color"], line=line, hovertemplate=hover)
