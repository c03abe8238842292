"""One row of a head as bars: how much each key gets, in one or two ways."""

from __future__ import annotations

from attention_core import Trace
from attention_core.decompositions import unmasked_shares

from .labels import percent
from .parts import AXIS, below, layout, margins
from .theme import Figure
from .tiles import MOST_TICKS, row_labels


def scale_bars(trace: Trace, head: int, query: int) -> Figure:
    """The probabilities of one query with its raw scores and with its scaled scores, key by key; no mask."""
    keys = row_labels(trace, "key_heads")
    names = ("raw scores", "@muted"), (f"scores × {trace.scale:.3g}", "@primary")
    data = [
        {
            "type": "bar", "name": name, "x": list(range(len(keys))), "y": shares[query].astype("f4"),
            "text": [f"{key}<br><b>{percent(float(p))}</b>" for key, p in zip(keys, shares[query], strict=True)],
            "marker": {"color": color}, "hovertemplate": "%{text}<extra>" + name + "</extra>", "textposition": "none",
        }
        for shares, (name, color) in zip(unmasked_shares(trace, head), names, strict=True)
    ]  # fmt: skip
    angle, room = below(keys)
    named = len(keys) <= MOST_TICKS
    ticks = {"tickvals": list(range(len(keys))), "ticktext": keys, "tickangle": angle, "showticklabels": named}
    shown = layout(
        250,
        f"Bars: what the softmax makes of the row of {row_labels(trace, 'scores')[query]} in head {head}, "
        "with raw and with scaled scores.",
        xaxis=AXIS | ticks,
        yaxis=AXIS | {"tickformat": ".0%", "rangemode": "tozero", "showgrid": True, "gridcolor": "@line"},
        margin=margins(["100%"], l=8, r=8, t=8, b=room if named else 8),
        barmode="group",
        legend={"orientation": "h", "y": 1.15},
        showlegend=True,
    )
    return {"data": data, "layout": shown}
