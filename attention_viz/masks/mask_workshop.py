"""The boards of the mask workshop: scores above shares, a painted mask, empty rows, [pad]."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from attention_core import Trace
from attention_core.checks import Array
from attention_lab.masks.mask_workshop import MaskedBatch
from attention_lab.notation.notation import OURS, Notation
from attention_lab.words.numbers import format_percent

from ..curves import PLAIN_AXIS, WITH_LEGEND, bar_series
from ..labels import shorten
from ..matrices import Matrix, Side, difference_matrix, head_matrices, mask_rule, matrix_board
from ..parts import label_layout, layout
from ..payload import JSON, largest_magnitude
from ..theme import Figure

MAX_TOKENS_FULL_SIZE = 24  # of longer sequences only the chosen one is drawn in full size


class Column(NamedTuple):
    """One head in one column of a board. key: ends the names of its matrices. at: sequence and
    head. titles: of the scores and of the shares.
    """

    key: str | int
    trace: Trace
    at: tuple[int, int]
    sides: tuple[Side, Side]
    titles: tuple[str, str]


def columns_board(
    columns: Sequence[Column],
    chosen: str | int,
    cell: tuple[int, ...],
    description: str,
    notation: Notation,
) -> JSON:
    """In each column the masked scores of a head above their shares, all scores in the same
    colours. The scaled scores and the bias, of which a cell is made, are not shown. chosen: the key
    of the column of the pinned cell.
    """
    limit = max(largest_magnitude(one.trace.masked_scores[one.at]) for one in columns)
    matrices: list[Matrix] = []
    for place, (key, trace, at, sides, titles) in enumerate(columns):
        small = max(trace.scores.shape[2:]) > MAX_TOKENS_FULL_SIZE and key != chosen
        scaled, scores = f"scaled {key}", trace.scaled_scores[at]
        matrices.append(Matrix(scaled, scores, *sides, None, "scaled scores", kind="logit"))
        bias = ""
        if trace.bias is not None:
            bias, added = f"bias {key}", np.broadcast_to(trace.bias, trace.scores.shape)[at]
            matrices.append(Matrix(bias, added, *sides, None, "bias", kind="logit"))
        names, places = (f"scores {key}", f"shares {key}"), ((place, 0), (place, 1))
        look = {"limit": limit, "rule": mask_rule(scaled, bias)}
        matrices += head_matrices(trace, at, sides, names, places, titles, small, **look)
    row, column = cell
    return matrix_board(matrices, (f"scores {chosen}", row, column), description, notation)


MAX_WORKSHOP_FEATURES = 16
BAR_COLOURS = ("@primary", "@focus", "@value", "@output")
Cell = tuple[int, int, int]  # sequence, query, key


def sequences_board(masked: MaskedBatch, head: int, cell: Cell, notation: Notation = OURS) -> JSON:
    """Masked scores and probabilities of one head, one column for each sequence of the batch."""
    columns = []
    for n, sentence in enumerate(masked.sentences):
        titles = f"sequence {n}: scores", f"sequence {n}: shares"
        columns.append(Column(n, masked.trace, (n, head), _sides(sentence.tokens), titles))
    description = (
        f"Masked scores and probabilities of head {head} for every sequence of the batch; hidden"
        " cells are hatched."
    )
    return columns_board(columns, cell[0], cell[1:], description, notation)


def painting_board(
    painted_TT: Array, masked: MaskedBatch, head: int, cell: Cell, notation: Notation = OURS
) -> JSON:
    """The painted mask, all masks together for one sequence, and its probabilities."""
    n, query, key = cell
    sides = _sides(masked.sentences[n].tokens)
    allowed = masked.allowed[n]
    added = partial(Matrix, kind="logit", says="Added to this score:")
    painted, together = (np.where(shown, 0.0, -np.inf) for shown in (painted_TT, allowed))
    matrices = [
        added("painted", painted, *sides, (0, 0), "your mask"),
        added("together", together, *sides, (1, 0), "all masks together"),
    ]
    if len(allowed) <= MAX_TOKENS_FULL_SIZE:
        shares, look = masked.trace.probabilities[n, head], "probability"
        matrices.append(
            Matrix("shares", shares, *sides, (2, 0), "shares", kind=look, hidden=~allowed)
        )
    description = "A mask to paint: a click hides a cell or shows it again."
    return matrix_board(matrices, ("painted", query, key), description, notation)


def empty_row_board(
    masked: MaskedBatch, without: Trace, head: int, cell: Cell, notation: Notation = OURS
) -> JSON:
    """One sequence with every key hidden from one query: masked scores, probabilities, and the
    output of the head.
    """
    n, query, key = cell
    sides = _sides(masked.sentences[n].tokens)
    names, titles, places = ("scores", "shares"), ("masked scores", "shares"), ((0, 0), (1, 0))
    outputs = without.head_outputs[n, head, :, :MAX_WORKSHOP_FEATURES]
    matrices = [
        *head_matrices(without, (n, head), sides, names, places, titles),
        Matrix("head output", outputs, sides[0], Side("value feature"), (2, 0), "head output"),
    ]
    description = f"Head {head} with every key hidden from one query."
    return matrix_board(matrices, ("shares", query, key), description, notation)


def padding_board(
    masked: MaskedBatch, changed: Trace, cell: Cell, notation: Notation = OURS
) -> JSON:
    """The output of one sequence, the output with other [pad] vectors, and the difference."""
    n, query, _ = cell
    rows, features = Side("query position", masked.sentences[n].tokens), Side("output feature")
    outputs = [trace.output[n, :, :MAX_WORKSHOP_FEATURES] for trace in (masked.trace, changed)]
    limit = largest_magnitude(np.stack(outputs))
    before, after = (
        Matrix(name, output, rows, features, (place, 0), name, limit=limit, role="output")
        for place, name, output in zip(
            (0, 1), ("output", "with other [pad] vectors"), outputs, strict=True
        )
    )
    gap = difference_matrix(after, before, (2, 0))
    description = "The output of a sequence, with its [pad] vectors and with others."
    return matrix_board([before, after, gap], (gap.name, query, 0), description, notation)


def _sides(tokens: tuple[str, ...]) -> tuple[Side, Side]:
    return Side("query position", tokens), Side("key position", tokens)


def query_shares_figure(
    tokens: Sequence[str], rows: Mapping[str, Array], hidden: Array, description: str
) -> Figure:
    """The shares that a query gives to each key: a group of bars for each key. Names of hidden keys
    stand in brackets.

    rows: the shares of each bar in a group, by name. Shapes: S each. description: the
    sentence that describes the picture.
    """
    labels = [shorten(token) for token in tokens]
    for place in np.flatnonzero(hidden):
        labels[place] = f"({labels[place]})"
    data = []
    for (name, row), colour in zip(rows.items(), BAR_COLOURS, strict=False):
        words = [f"{one}: {format_percent(float(a))}" for one, a in zip(labels, row, strict=True)]
        about = {"customdata": words, "hovertemplate": "%{customdata}<extra>" + name + "</extra>"}
        data.append(bar_series(range(len(labels)), row, name, colour, **about))
    angle, room = label_layout(labels)
    around = WITH_LEGEND | {
        "barmode": "group",
        "bargap": 0.25,
        "margin": {"l": 48, "r": 8, "t": 34, "b": room + 4},
        "xaxis": {
            "tickvals": list(range(len(labels))),
            "ticktext": labels,
            "tickangle": angle,
            "fixedrange": True,
            "tickfont": {"size": 12},
            "showgrid": False,
        },
        "yaxis": PLAIN_AXIS | {"tickformat": ".0%", "rangemode": "tozero"},
    }
    return {"data": data, "layout": layout(280, description, **around)}
