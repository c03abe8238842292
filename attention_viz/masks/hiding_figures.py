"""Bars of one row of probabilities, once for each way to compute it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attention_core.checks import Array

from ..curves import LEGEND
from ..labels import percent, short
from ..parts import Part, below, layout
from ..theme import Figure

COLOURS = ("@primary", "@focus", "@value", "@output")
GRID = {"gridcolor": "@line", "zeroline": False, "fixedrange": True, "tickfont": {"size": 12}}


def row_bars(tokens: Sequence[str], rows: Mapping[str, Array], hidden: Array, what: str) -> Figure:
    """The shares that a query gives to each key: a group of bars for each key, a bar for each way.
    Names of hidden keys stand in brackets.

    rows: by the name of the way. Shapes: S each. what: the sentence that describes the picture.
    """
    labels = [
        f"({short(token)})" if gone else short(token)
        for token, gone in zip(tokens, hidden, strict=True)
    ]
    data = [_bars(name, labels, row, COLOURS[i % 4]) for i, (name, row) in enumerate(rows.items())]
    angle, room = below(labels)
    around = {
        "barmode": "group",
        "bargap": 0.25,
        "showlegend": True,
        "legend": LEGEND,
        "margin": {"l": 48, "r": 8, "t": 34, "b": room + 4},
        "xaxis": {
            "tickvals": list(range(len(labels))),
            "ticktext": labels,
            "tickangle": angle,
            "fixedrange": True,
            "tickfont": {"size": 12},
            "showgrid": False,
        },
        "yaxis": GRID | {"tickformat": ".0%", "rangemode": "tozero"},
    }
    return {"data": data, "layout": layout(280, what, **around)}


def _bars(name: str, labels: Sequence[str], row: Array, colour: str) -> Part:
    """The shares of one way to compute them, a bar for each key."""
    return {
        "type": "bar",
        "name": name,
        "x": list(range(len(labels))),
        "y": row.astype("f4"),
        "marker": {"color": colour},
        "customdata": [
            f"{label}: {percent(float(share))}" for label, share in zip(labels, row, strict=True)
        ],
        "hovertemplate": "%{customdata}<extra>" + name + "</extra>",
    }
