"""A token's weighted average, laid open: the weights, the value vectors, each value times its weight, and the sum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from attention_core import Trace
from attention_core.checks import Array
from attention_core.decompositions import weighted_values
from attention_core.heads import head_of

from .labels import number, percent, short
from .parts import AXIS, Part, Spot, box, clicks, layout, margins, rectangle, word
from .sheets import bars, column_axis, digits_for, row_height, sheet, window
from .theme import Figure
from .tiles import largest, row_labels

WEIGHTS, VALUES, SENT = ("x", "y"), ("x2", "y"), ("x3", "y")


@dataclass(frozen=True, eq=False)
class _Parts:
    """What is drawn. Shapes: shares and hidden (S,), values and sent (S, columns), total (columns,)."""

    shares: Array
    hidden: Array
    values: Array
    sent: Array
    total: Array
    columns: slice


def mixing(trace: Trace, head: int, query: int, key: int, feature: int) -> Figure:
    """One row of A times V as the weighted sum it is: weights, value vectors, weighted vectors and their sum.

    At most 64 columns are drawn, the block that holds the chosen feature. Clicked points carry (head, key, feature).
    """
    parts = _parts(trace, head, query, feature)
    n_keys, n_columns = parts.values.shape
    keys = row_labels(trace, "value_heads")
    size = 10 if n_keys > 24 else 11
    limits = largest(parts.values), largest(parts.sent)
    digits = digits_for(n_columns, few=8, many=12) if n_keys <= 24 else None
    data = [
        bars(parts.shares, _shares(parts), "@primary", WEIGHTS, size),
        sheet(parts.values, limits[0], axes=VALUES, digits=digits),
        sheet(parts.sent, limits[1], axes=SENT, digits=digits),
        sheet(parts.total[np.newaxis], limits[0], y=n_keys + 1, axes=SENT, digits=digits),
        *_clicks(parts, keys, head),
    ]
    lit = feature - parts.columns.start
    figure = layout(
        100 + (n_keys + 2) * row_height(n_keys + 2),
        _describe(trace, head, query, feature),
        **_axes(parts, keys, size),
        shapes=_frames(n_keys, key, lit),
        annotations=_titles(short(trace.labels("T")[query]), head, limits, n_keys),
        margin=margins(keys, size, l=8, r=8, t=48, b=28),
    )
    return {"data": data, "layout": figure}


def _parts(trace: Trace, head: int, query: int, feature: int) -> _Parts:
    columns = window(trace.sizes["V"], feature)
    return _Parts(
        shares=trace.probabilities[0, head, query],
        hidden=np.isneginf(trace.masked_scores[0, head, query]),
        values=trace.value_heads[0, head_of(trace, "value_heads", head)][:, columns],
        sent=weighted_values(trace, head, query)[:, columns],
        total=trace.head_outputs[0, head, query, columns],
        columns=columns,
    )


def _shares(parts: _Parts) -> list[str]:
    """The percentage of each weight; a masked key says so."""
    return ["masked" if hidden else percent(float(a)) for a, hidden in zip(parts.shares, parts.hidden, strict=True)]


def _clicks(parts: _Parts, keys: list[str], head: int) -> list[Part]:
    """Places to click on both matrices: the values and the weighted values."""
    values: list[Spot] = []
    sent: list[Spot] = []
    for j, c in np.ndindex(*parts.values.shape):
        v, feature = float(parts.values[j, c]), parts.columns.start + c
        value, product = number(v), number(float(parts.sent[j, c]), 4)
        place = (head, j, feature)
        values.append((c, j, place, f"value of {keys[j]}, feature {feature}<br><b>{value}</b>"))
        arithmetic = f"{keys[j]}: {number(float(parts.shares[j]))} × {value}<br><b>{product}</b>"
        sent.append((c, j, place, arithmetic))
    return clicks(values, axes=VALUES) + clicks(sent, axes=SENT)


def _frames(n_keys: int, key: int, lit: int) -> list[Part]:
    """The chosen feature's column and, in it, the chosen key's cells and the sum."""
    return [
        box(lit, 0, 1, n_keys, "@value", 2, VALUES),
        box(lit, 0, 1, n_keys, "@primary", 2, SENT),
        rectangle(0, key - 0.5, 1, key + 0.5, "@focus", 2, ("x domain", "y")),
        box(lit, key, 1, 1, "@focus", 3, VALUES),
        box(lit, key, 1, 1, "@focus", 3, SENT),
        box(lit, n_keys + 1, 1, 1, "@primary", 3, SENT),
    ]


def _titles(query: str, head: int, limits: tuple[float, float], n_keys: int) -> list[Part]:
    """What each part is, above it; the signs of the product between them; what the last row is."""
    above: dict[str, Any] = {"yref": "paper", "yanchor": "bottom", "anchor": "left", "align": "left", "size": 12}
    strongest = [f"<br>strongest colour: ±{number(limit, 2)}" for limit in limits]
    level, on_paper = (n_keys - 1) / 2, {"xref": "paper", "yref": "y"}
    total = f"added up: head {head}’s output for {query} ="
    return [
        word(0, 1, f"<b>weights</b> of {query}<br>its row of A, head {head}", xref="x domain", **above),
        word(0, 1, f"<b>value vectors</b>, head {head}{strongest[0]}", xref="x2 domain", **above),
        word(0, 1, f"<b>weight × value vector</b>{strongest[1]}", xref="x3 domain", **above),
        word(0.195, level, "×", size=24, **on_paper),
        word(0.595, level, "=", size=24, **on_paper),
        word(0.61, n_keys + 1, total, anchor="right", size=12, **on_paper),
    ]


def _axes(parts: _Parts, keys: list[str], size: int) -> Part:
    n_keys, top = len(keys), float(parts.shares.max()) or 1.0
    features = column_axis(parts.columns) | {"anchor": "y"}
    rows = {"tickvals": list(range(n_keys)), "ticktext": keys, "tickfont": {"size": size}}
    return {
        "xaxis": AXIS | {"domain": [0, 0.17], "range": [0, 1.6 * top], "showticklabels": False},
        "xaxis2": features | {"domain": [0.22, 0.58]},
        "xaxis3": features | {"domain": [0.62, 1]},
        "yaxis": AXIS | {"range": [n_keys + 1.5, -0.5]} | rows,
    }


def _describe(trace: Trace, head: int, query: int, feature: int) -> str:
    result = number(float(trace.head_outputs[0, head, query, feature]))
    return (
        f"Head {head}, token {short(trace.labels('T')[query])}: the weights of {trace.sizes['S']} keys, their value "
        f"vectors, each vector times its weight, and the sum; in feature {feature} the sum is {result}."
    )
