"""Pictures of a head's diagonal: its attention weights with the cells that break the pair bound,
and the margins of its tokens.
"""

from functools import partial

import numpy as np

from attention_core import Trace
from attention_core.checks import Array
from attention_core.rules import RUNNING, Rule, read
from attention_lab.diagonal.measures import (
    diagonal,
    diagonal_margins,
    off_diagonal,
    pair_violations,
)
from attention_lab.words.numbers import format_number

from ..curves import LEGEND_ABOVE, PLAIN_AXIS, chart_axis
from ..labels import shorten
from ..matrices import Matrix, Side, matrix_board, softmax_rule
from ..parts import Part, annotation, dashed_line, figure_margins, layout
from ..payload import JSON
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
    matrices = [Matrix("scores", scores, queries, keys, None, "S", kind="logit")]
    return _outlined(matrices, shares, cell)


def plane_board(trace: Trace, cell: tuple[int, int]) -> JSON:
    """Tokens of two features, their Gram matrix, and the probabilities: its softmax after a
    division by √C.
    """
    rows, columns = (Side(word, trace.labels("T")) for word in ("query", "key"))
    tokens_TD, gram_TT, scores_TT = trace.inputs[0], trace.scores[0, 0], trace.masked_scores[0, 0]
    n_features = trace.sizes["D"]
    products = Rule("sum", (read("x", 0, RUNNING), read("x", 1, RUNNING)), n_features)
    divided = f"X Xᵀ / √{n_features}"
    sides = (rows, columns)
    matrices = [
        Matrix("x", tokens_TD, rows, Side("feature"), (0, 0), "X tokens"),
        Matrix("gram", gram_TT, *sides, (1, 0), "X Xᵀ Gram matrix", kind="logit", rule=products),
        Matrix("scores", scores_TT, *sides, None, divided, kind="logit"),
    ]
    return _outlined(matrices, trace.probabilities[0, 0], cell, (1, 1))


def _outlined(
    matrices: list[Matrix], shares: Array, cell: tuple[int, int], place: tuple[int, int] = (0, 0)
) -> JSON:
    """A board of matrices, the last of which are the scores, and of the softmax of these."""
    sides, rule = (matrices[-1].rows, matrices[-1].columns), softmax_rule("scores", len(shares))
    broken = pair_violations(shares)
    drawn = partial(Matrix, kind="probability", rule=rule, changed=broken)
    made = drawn("probabilities", shares, *sides, place, "A probabilities")
    description = (
        f"Probabilities. Tokens: {len(shares)}. Cells above both diagonal cells: {broken.sum()}."
    )
    return matrix_board([*matrices, made], ("probabilities", *cell), description)


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
        annotation(0, int(i), " sees only itself", "@muted", "left", 11)
        for i in np.flatnonzero(~finite)
    ]
    n_below = int((margin_T < 0).sum())
    description = f"Bars: diagonal margins. Tokens: {len(labels)}. Margins below 0: {n_below}."
    around = _beside(labels, row, margin_T[finite], description) | {"annotations": alone}
    return {"data": data, "layout": around}


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
    numbers = zip(labels, diagonal(scores), off_diagonal(scores), margin_T, strict=True)
    return [
        f"{label}<br>for itself {format_number(float(own))}<br>best other:"
        f" {labels[int(others.argmax())]} {format_number(float(others.max()))}<br><b>margin"
        f" {format_number(float(margin))}</b>"
        for label, own, others, margin in numbers
    ]


def _beside(labels: list[str], row: int, margin_T: Array, description: str) -> Part:
    """The layout: tokens from top to bottom as in the matrix, and an axis that holds zero."""
    labelled = len(labels) <= MAX_LABELLED_BARS
    pixels = 24 if labelled else 9  # of a bar with its distance
    low, high = float(margin_T.min(initial=0.0)), float(margin_T.max(initial=0.0))
    room, end = 0.05 * (high - low) or 1.0, len(labels) - 0.5
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
        "shapes": [dashed_line(0, -0.5, 0, end, "@text", 1, "solid")],
        "yaxis": PLAIN_AXIS
        | {"range": [end, -0.5], "showgrid": False, "showticklabels": labelled}
        | {"tickvals": list(range(len(labels))), "ticktext": words},
    }
    return layout(height, description, **parts)
