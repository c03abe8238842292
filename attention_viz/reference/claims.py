"""Claims in the list of *What learners ask*: each with its verdict and a check that runs on the
spot; a chart of the verdicts.
"""

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from attention_lab.diagonal.claims.catalogue import (
    ALWAYS,
    CONDITION,
    FALSE,
    TEXTS,
    Claim,
    Evidence,
    find_claim,
)
from attention_lab.words.numbers import with_minus_signs

from ..blocks import Table
from ..curves import LEGEND_ABOVE, chart_axis
from ..markdown import escape_markdown
from ..parts import figure_margins, layout
from ..theme import Figure

BADGES = {
    ALWAYS: ":green[**always**]",
    CONDITION: ":orange[**under a condition**]",
    FALSE: ":red[**false**]",
}
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
    names = [TEXT_LABELS[text] for text in texts]
    data = [
        {
            "type": "bar",
            "orientation": "h",
            "name": name,
            "y": names,
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
    sides = figure_margins(names, 12, l=8, r=8, t=30, b=10)
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


def claim_table(claims: Iterable[Claim]) -> Table:
    """Each claim with its verdict, the correct statement, and the result of its check."""
    rows = []
    for one in claims:
        result = evidence(one.id)
        says, outcome = with_minus_signs(result.sentence), "holds" if result.claimed else "fails"
        statement = escape_markdown(one.statement)
        quoted = f"**{statement}** *ours*" if one.is_ours else f"**“{statement}”**"
        said = f"{quoted} {BADGES[one.status]}"
        checked = f"{escape_markdown(says)} As worded it **{outcome}** in this check."
        rows.append([said, escape_markdown(one.correction), checked])
    return Table(["what is said", "what is true", "checked here"], rows, words=True)


@lru_cache(maxsize=256)
def evidence(identifier: str) -> Evidence:
    """The result of the check of a claim. It is always the same, so it is computed once."""
    return find_claim(identifier).check()
