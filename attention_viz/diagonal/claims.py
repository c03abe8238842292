"""A chart of the verdicts on the claims of each text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from attention_lab.diagonal.claims.catalogue import ALWAYS, CONDITION, FALSE, TEXTS, Claim

from ..curves import LEGEND_ABOVE, chart_axis
from ..parts import figure_margins, layout
from ..theme import Figure

VERDICTS = {
    ALWAYS: ("always true", "@value"),
    CONDITION: ("under a condition", "@head 1"),
    FALSE: ("false", "@key"),
}
TEXT_LABELS = {
    "gml": "GeometricMachineLearning.jl",
    "mql5": "MQL5 book",
    "doshi": "Doshi, part 3",
    "slides": "Slides",
    "note": "Lecture note",
    "vaswani": "Vaswani et al.",
    "alammar": "Alammar",
    "dong": "Dong et al.",
    "popular": "Often said",
}


def verdict_bars(claims: Iterable[Claim]) -> Figure:
    """A bar for each text, in three parts. A click on a part reports "text status"."""
    counts = Counter((claim.text, claim.status) for claim in claims)
    texts = [text for text in TEXTS if any(counts[text, status] for status in VERDICTS)]
    data = [
        {
            "type": "bar",
            "orientation": "h",
            "name": name,
            "y": [TEXT_LABELS[text] for text in texts],
            "x": [counts[text, status] for text in texts],
            "marker": {"color": color},
            "text": [str(counts[text, status] or "") for text in texts],
            "textposition": "inside",
            "textangle": 0,
            "insidetextfont": {"color": "@background"},
            "customdata": [f"{text} {status}" for text in texts],
            "hovertemplate": "%{y}: %{x} " + name + "<extra></extra>",
        }
        for status, (name, color) in VERDICTS.items()
    ]
    sides = figure_margins([TEXT_LABELS[text] for text in texts], 12, l=8, r=8, t=30, b=10)
    description = (
        f"Bars: claims by text and verdict. Claims: {sum(counts.values())}. False:"
        f" {sum(counts[t, FALSE] for t in texts)}."
    )
    around = {
        "barmode": "stack",
        "bargap": 0.25,
        "showlegend": True,
        "margin": sides,
        "legend": LEGEND_ABOVE | {"traceorder": "normal"},
        "xaxis": chart_axis("", showticklabels=False, showgrid=False),
        "yaxis": {"autorange": "reversed", "fixedrange": True, "tickfont": {"size": 12}},
    }
    return {"data": data, "layout": layout(48 + 26 * max(1, len(texts)), description, **around)}
