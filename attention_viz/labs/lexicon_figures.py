"""What a word has of its own and what it receives from the heads, feature by feature."""

from __future__ import annotations

import numpy as np

from attention_core import Trace
from attention_lab.labs.lexicon import FEATURES

from ..curves import LEGEND, axis
from ..labels import number, short
from ..parts import layout
from ..theme import Figure

NAMED = len(FEATURES) - 2  # without the two of the position


def received_figure(trace: Trace, position: int) -> Figure:
    """A word's own features beside what all heads together bring it."""
    own, brought = trace.inputs[0, position, :NAMED], trace.output[0, position, :NAMED]
    names = list(FEATURES[:NAMED])
    data = [
        {
            "type": "bar",
            "name": title,
            "x": names,
            "y": np.asarray(numbers, "f4"),
            "marker": {"color": color},
            "hovertemplate": "%{x}: <b>%{y:.3f}</b><extra>" + title + "</extra>",
        }
        for title, numbers, color in (
            ("has itself", own, "@muted"),
            ("receives from the heads", brought, "@output"),
        )
    ]
    most = int(np.argmax(brought))
    says = (
        f"Bars: “{short(trace.labels('T')[position])}” receives {names[most]} most,"
        f" {number(float(brought[most]))}."
    )
    parts = {
        "barmode": "group",
        "bargap": 0.25,
        "showlegend": True,
        "legend": LEGEND,
        "margin": {"l": 44, "r": 8, "t": 44, "b": 60},
        "xaxis": axis("", type="category", showgrid=False, tickangle=-45),
        "yaxis": axis("", rangemode="tozero"),
    }
    return {"data": data, "layout": layout(320, says, **parts)}
