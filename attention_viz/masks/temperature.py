"""The sharpness of a softmax: at two temperatures as a board, and curves by the temperature and by
the width of a head.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attention_core import Trace
from attention_core.checks import Array
from attention_lab.masks.temperature import ScoreSpread, shares_at
from attention_lab.notation.notation import OURS, Notation

from ..curves import LEGEND_ABOVE, PLAIN_AXIS
from ..labels import format_percent, shorten
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
    usual: Trace,
    other: Trace,
    temperature: float,
    cell: tuple[int, int, int],
    notation: Notation = OURS,
) -> JSON:
    """The probabilities of a head at temperature 1 and at another."""
    head, query, key = cell
    sides = field_sides(usual, "probabilities")
    matrices = [
        Matrix(
            name,
            trace.probabilities[0, head],
            *sides,
            (place, 0),
            f"probabilities at temperature {number:g}",
            kind="probability",
            says=f"The share at temperature {number:g} is",
        )
        for place, (name, trace, number) in enumerate(
            (("usual", usual, 1), ("other", other, temperature))
        )
    ]
    description = (
        f"The probabilities of head {head} at temperature 1 and at temperature {temperature:g}."
    )
    return matrix_board(matrices, ("other", query, key), description, notation)


def temperature_figure(
    scores: Array, tokens: Sequence[str], key: int, temperature: float
) -> Figure:
    """The shares of one query by the temperature, a curve for each key; the chosen key and the
    strongest are named.

    Shapes: scores (S,), masked.
    """
    temperature_P = np.geomspace(MIN_TEMPERATURE, MAX_TEMPERATURE, 61)
    shares_PS = shares_at(scores, temperature_P)
    strongest = int(shares_PS[0].argmax())
    # The chosen key comes last: its curve lies on top.
    order = sorted(range(len(tokens)), key=lambda place: place == key)
    curves = [
        _key_curve(temperature_P, shares_PS[:, place], tokens[place], place == key)
        for place in order
    ]
    names = [
        annotation(
            np.log10(MIN_TEMPERATURE),
            float(shares_PS[0, place]),
            f" {shorten(tokens[place])}",
            colour,
            "left",
            yshift=9,
        )
        for place, colour in {strongest: "@text", key: "@key"}.items()
    ]
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
    measured: Part = {
        "type": "scatter",
        "mode": "markers",
        "name": "measured",
        "x": widths,
        "y": [spread.variance for spread in spreads],
        "error_y": {
            "type": "data",
            "array": [2 * spread.standard_error for spread in spreads],
            "color": "@primary",
        },
        "marker": {"color": "@primary", "size": 9},
        "hovertemplate": "d_k = %{x}: %{y:.4g}<extra></extra>",
    }
    theory = _curve(widths, widths, "theory: d_k", "@muted") | {
        "line": {"color": "@muted", "width": 2, "dash": "dash"}
    }
    around = {
        "showlegend": True,
        "legend": LEGEND_ABOVE,
        "xaxis": PLAIN_AXIS | {"type": "log", "title": {"text": "width d_k"}, "tickvals": widths},
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
    lines = (
        ("largest share, raw", "raw", "largest_share", "@focus", "solid"),
        ("largest share, scaled", "scaled", "largest_share", "@primary", "solid"),
        ("Jacobian trace, raw", "raw", "jacobian_trace", "@focus", "dot"),
        ("Jacobian trace, scaled", "scaled", "jacobian_trace", "@primary", "dot"),
    )
    curves = [
        _curve(
            widths, [getattr(getattr(spread, scores), measure) for spread in spreads], name, colour
        )
        | {
            "mode": "lines+markers",
            "line": {"color": colour, "width": 2.5, "dash": dash},
            "marker": {"color": colour},
        }
        for name, scores, measure, colour, dash in lines
    ]
    around = {
        "showlegend": True,
        "legend": LEGEND_ABOVE,
        "xaxis": PLAIN_AXIS | {"type": "log", "title": {"text": "width d_k"}, "tickvals": widths},
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


def _key_curve(temperature_P: Array, shares_P: Array, token: str, is_chosen: bool) -> Part:
    """The shares of one key by the temperature, the chosen one wide and in colour."""
    curve = _curve(temperature_P, shares_P, shorten(token), "@key")
    line = {"color": "@key", "width": 3.5} if is_chosen else {"color": "@hatch", "width": 1.2}
    return curve | {"line": line}


def _curve(x: Sequence[float] | Array, y: Sequence[float] | Array, name: str, colour: str) -> Part:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": np.asarray(x, "f4"),
        "y": np.asarray(y, "f4"),
        "line": {"color": colour, "width": 2},
        "hovertemplate": "%{x:.3g}: %{y:.4g}<extra>" + name + "</extra>",
    }
