"""The diagonal laboratory's pictures: a head's probabilities with the cells that break the pair
bound, its margins.
"""

from __future__ import annotations

import numpy as np

from attention_core import Trace
from attention_core.checks import Array
from attention_core.rules import RUNNING, Rule, read
from attention_lab.diagonal.measures import diagonal, margins, pair_violations

from ..curves import LEGEND, axis
from ..labels import counted, number, short
from ..matrices import Matrix, Side, board, shares_of
from ..parts import Part, broken_line, layout
from ..parts import margins as around
from ..payload import JSON, bits
from ..theme import Figure

MAX_LABELLED_BARS = 40  # bars that have room for their token beside them


def named(trace: Trace) -> list[str]:
    """The tokens with their places; tokens that are only counted stay as they are."""
    return [
        word if word == str(i) else f"{i} {short(word)}" for i, word in enumerate(trace.labels("T"))
    ]


def diagonal_board(trace: Trace, cell: tuple[int, int]) -> JSON:
    """The probabilities, with a_ij > max(a_ii, a_jj) outlined; each explains itself by the
    scores of its row.
    """
    queries, keys = (Side(word, trace.labels("T")) for word in ("query position", "key position"))
    shares, scores = trace.probabilities[0, 0], trace.masked_scores[0, 0]
    drawn = [
        Matrix("scores", scores, queries, keys, None, "S", kind="logit"),
        _probabilities(shares, (queries, keys), (0, 0)),
    ]
    return _outlined(drawn, shares, cell)


def plane_board(trace: Trace, cell: tuple[int, int]) -> JSON:
    """Tokens of two features, their Gram matrix, and the probabilities, which are made from it
    divided by √C.
    """
    rows, columns = (Side(word, trace.labels("T")) for word in ("query", "key"))
    tokens_TD, gram_TT, scores_TT = trace.inputs[0], trace.scores[0, 0], trace.masked_scores[0, 0]
    shares, n_features = trace.probabilities[0, 0], trace.sizes["D"]
    products = Rule("sum", (read("x", 0, RUNNING), read("x", 1, RUNNING)), n_features)
    divided = f"X Xᵀ / √{n_features}"
    sides = (rows, columns)
    drawn = [
        Matrix("x", tokens_TD, rows, Side("feature"), (0, 0), "X tokens"),
        Matrix("gram", gram_TT, *sides, (1, 0), "X Xᵀ Gram matrix", kind="logit", rule=products),
        Matrix("scores", scores_TT, *sides, None, divided, kind="logit"),
        _probabilities(shares, sides, (1, 1)),
    ]
    return _outlined(drawn, shares, cell)


def _probabilities(shares: Array, sides: tuple[Side, Side], place: tuple[int, int]) -> Matrix:
    """What the softmax makes of the board's scores."""
    rule = shares_of("scores", len(shares))
    title = "A probabilities"
    return Matrix("probabilities", shares, *sides, place, title, kind="probability", rule=rule)


def _outlined(drawn: list[Matrix], shares: Array, cell: tuple[int, int]) -> JSON:
    broken = pair_violations(shares)
    found = int(broken.sum())
    says = (
        f"Probabilities of {counted(len(shares), 'token')}; {counted(found, 'cell')} above both"
        " diagonal cells."
    )
    given = board(drawn, ("probabilities", *cell), says)
    if found:
        given["arrays"]["probabilities"]["changed"] = bits(broken)
    return given


def margin_bars(trace: Trace, row: int) -> Figure:
    """Each token's score for itself less its best score for another; the bar of one token is
    named in bold.
    """
    scores = trace.masked_scores[0, 0]
    margin_T = margins(scores)
    labels = named(trace)
    hover = _hovers(labels, scores, margin_T)
    finite = np.isfinite(margin_T)
    data = [
        _bars(finite & (margin_T >= 0), margin_T, hover, "looks at itself most", "@primary"),
        _bars(finite & (margin_T < 0), margin_T, hover, "is out-voted", "@focus"),
    ]
    alone = [
        {
            "x": 0,
            "y": int(i),
            "text": " sees itself alone",
            "showarrow": False,
            "xanchor": "left",
            "font": {"size": 11, "color": "@muted"},
        }
        for i in np.flatnonzero(~finite)
    ]
    n_below = int((margin_T < 0).sum())
    below = f"{n_below} {'is' if n_below == 1 else 'are'} below 0"
    says = f"Bars: the diagonal margins of {counted(len(labels), 'token')}; {below}."
    return {
        "data": data,
        "layout": _beside(labels, row, margin_T[finite], says) | {"annotations": alone},
    }


def _bars(wanted: Array, margin_T: Array, hover: list[str], name: str, color: str) -> Part:
    places = np.flatnonzero(wanted)
    return {
        "type": "bar",
        "orientation": "h",
        "name": name,
        "y": places.astype("i2"),
        "x": margin_T[places].astype("f4"),
        "marker": {"color": color},
        "text": [hover[i] for i in places],
        "textposition": "none",
        "hovertemplate": "%{text}<extra></extra>",
    }


def _hovers(labels: list[str], scores: Array, margin_T: Array) -> list[str]:
    """What each bar says: the token's score for itself, and the other token with the best score."""
    own_T = diagonal(scores)
    others_TT = np.where(np.eye(len(scores), dtype=bool), -np.inf, scores)
    return [
        f"{label}<br>for itself {number(float(own))}<br>best other: {labels[int(others.argmax())]} "
        f"{number(float(others.max()))}<br><b>margin {number(float(margin))}</b>"
        for label, own, others, margin in zip(labels, own_T, others_TT, margin_T, strict=True)
    ]


def _beside(labels: list[str], row: int, margin_T: Array, says: str) -> Part:
    """The layout: tokens from top to bottom as in the matrix, zero in sight."""
    named = len(labels) <= MAX_LABELLED_BARS
    low, high = float(margin_T.min(initial=0.0)), float(margin_T.max(initial=0.0))
    room = 0.05 * (high - low) or 1.0
    sides = around(labels if named else [], 12, l=30, r=12, t=34, b=48)
    words = [f"<b>{label}</b>" if i == row else label for i, label in enumerate(labels)]
    height = sides["t"] + sides["b"] + max(4, len(labels)) * (24 if named else 9)
    parts = {
        "barmode": "overlay",
        "bargap": 0.25,
        "showlegend": True,
        "margin": sides,
        "legend": LEGEND | {"y": 1.0},
        "xaxis": axis("margin: own − best other score", range=[low - room, high + room]),
        "shapes": [broken_line(0, -0.5, 0, len(labels) - 0.5, "@text", 1, "solid")],
        "yaxis": {
            "range": [len(labels) - 0.5, -0.5],
            "fixedrange": True,
            "showgrid": False,
            "zeroline": False,
            "tickfont": {"size": 12},
            "showticklabels": named,
            "tickvals": list(range(len(labels))),
            "ticktext": words,
        },
    }
    return layout(height, says, **parts)
