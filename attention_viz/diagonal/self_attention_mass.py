"""Pictures of a head's diagonal: its attention weights with the cells that break the pair bound,
and the margins of its tokens.
"""

from __future__ import annotations

import numpy as np

from attention_core import Trace
from attention_core.checks import Array
from attention_core.rules import RUNNING, Rule, read
from attention_lab.diagonal.measures import diagonal, diagonal_margins, pair_violations

from ..curves import LEGEND_ABOVE, chart_axis
from ..labels import format_number, shorten
from ..matrices import Matrix, Side, matrix_board, softmax_rule
from ..parts import Part, dashed_line, figure_margins, layout
from ..payload import JSON, pack_bits
from ..theme import Figure

MAX_LABELLED_BARS = 40  # more bars have no room for the words of their tokens


def token_names(trace: Trace) -> list[str]:
    """The tokens with their indices; a token without a word is its index alone."""
    words = (shorten(word) for word in trace.labels("T"))
    return [" ".join(dict.fromkeys((str(i), word))) for i, word in enumerate(words)]


def diagonal_board(trace: Trace, cell: tuple[int, int]) -> JSON:
    """The probabilities, with cells a_ij > max(a_ii, a_jj) outlined. Each cell explains itself by
    the scores of its row.
    """
    queries, keys = (Side(word, trace.labels("T")) for word in ("query position", "key position"))
    shares, scores = trace.probabilities[0, 0], trace.masked_scores[0, 0]
    matrices = [
        Matrix("scores", scores, queries, keys, None, "S", kind="logit"),
        _probabilities(shares, (queries, keys), (0, 0)),
    ]
    return _outlined(matrices, shares, cell)


def plane_board(trace: Trace, cell: tuple[int, int]) -> JSON:
    """Tokens of two features, their Gram matrix, and the probabilities: its softmax after a
    division by √C.
    """
    rows, columns = (Side(word, trace.labels("T")) for word in ("query", "key"))
    tokens_TD, gram_TT, scores_TT = trace.inputs[0], trace.scores[0, 0], trace.masked_scores[0, 0]
    shares, n_features = trace.probabilities[0, 0], trace.sizes["D"]
    products = Rule("sum", (read("x", 0, RUNNING), read("x", 1, RUNNING)), n_features)
    divided = f"X Xᵀ / √{n_features}"
    sides = (rows, columns)
    matrices = [
        Matrix("x", tokens_TD, rows, Side("feature"), (0, 0), "X tokens"),
        Matrix("gram", gram_TT, *sides, (1, 0), "X Xᵀ Gram matrix", kind="logit", rule=products),
        Matrix("scores", scores_TT, *sides, None, divided, kind="logit"),
        _probabilities(shares, sides, (1, 1)),
    ]
    return _outlined(matrices, shares, cell)


def _probabilities(shares: Array, sides: tuple[Side, Side], place: tuple[int, int]) -> Matrix:
    """What the softmax makes of the board's scores."""
    rule = softmax_rule("scores", len(shares))
    title = "A probabilities"
    return Matrix("probabilities", shares, *sides, place, title, kind="probability", rule=rule)


def _outlined(matrices: list[Matrix], shares: Array, cell: tuple[int, int]) -> JSON:
    broken = pair_violations(shares)
    found = int(broken.sum())
    description = f"Probabilities. Tokens: {len(shares)}. Cells above both diagonal cells: {found}."
    scene = matrix_board(matrices, ("probabilities", *cell), description)
    if found:
        scene["arrays"]["probabilities"]["changed"] = pack_bits(broken)
    return scene


def margin_bars(trace: Trace, row: int) -> Figure:
    """Each token's score for itself minus its highest score for another. The label of one token is
    bold.
    """
    scores = trace.masked_scores[0, 0]
    margin_T = diagonal_margins(scores)
    labels = token_names(trace)
    hover = _hovers(labels, scores, margin_T)
    finite = np.isfinite(margin_T)
    data = [
        _bars(finite & (margin_T >= 0), margin_T, hover, "most at itself", "@primary"),
        _bars(finite & (margin_T < 0), margin_T, hover, "more at another", "@focus"),
    ]
    alone = [
        {
            "x": 0,
            "y": int(i),
            "text": " sees only itself",
            "showarrow": False,
            "xanchor": "left",
            "font": {"size": 11, "color": "@muted"},
        }
        for i in np.flatnonzero(~finite)
    ]
    n_below = int((margin_T < 0).sum())
    description = f"Bars: diagonal margins. Tokens: {len(labels)}. Margins below 0: {n_below}."
    return {
        "data": data,
        "layout": _beside(labels, row, margin_T[finite], description) | {"annotations": alone},
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
    """The text of each bar: the token's score for itself, and its best score for another token."""
    own_T = diagonal(scores)
    others_TT = np.where(np.eye(len(scores), dtype=bool), -np.inf, scores)
    return [
        f"{label}<br>for itself {format_number(float(own))}<br>best other:"
        f" {labels[int(others.argmax())]} {format_number(float(others.max()))}<br><b>margin"
        f" {format_number(float(margin))}</b>"
        for label, own, others, margin in zip(labels, own_T, others_TT, margin_T, strict=True)
    ]


def _beside(labels: list[str], row: int, margin_T: Array, description: str) -> Part:
    """The layout: tokens from top to bottom as in the matrix, and an axis that holds zero."""
    labelled = len(labels) <= MAX_LABELLED_BARS
    pixels = {True: 24, False: 9}[labelled]  # of a bar with its distance
    low, high = float(margin_T.min(initial=0.0)), float(margin_T.max(initial=0.0))
    room = 0.05 * (high - low) or 1.0
    sides = figure_margins(labels[: len(labels) * labelled], 12, l=30, r=12, t=34, b=48)
    words = [*labels[:row], f"<b>{labels[row]}</b>", *labels[row + 1 :]]
    height = sides["t"] + sides["b"] + max(4, len(labels)) * pixels
    parts = {
        "barmode": "overlay",
        "bargap": 0.25,
        "showlegend": True,
        "margin": sides,
        "legend": LEGEND_ABOVE | {"y": 1.0},
        "xaxis": chart_axis(
            "margin: own score − best other score", range=[low - room, high + room]
        ),
        "shapes": [dashed_line(0, -0.5, 0, len(labels) - 0.5, "@text", 1, "solid")],
        "yaxis": {
            "range": [len(labels) - 0.5, -0.5],
            "fixedrange": True,
            "showgrid": False,
            "zeroline": False,
            "tickfont": {"size": 12},
            "showticklabels": labelled,
            "tickvals": list(range(len(labels))),
            "ticktext": words,
        },
    }
    return layout(height, description, **parts)
