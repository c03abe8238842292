"""What heads add to the output: stacked bars, shares and matrices."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from attention_core import Trace
from attention_core.checks import Array
from attention_lab.heads.head_worth import (
    has_shares,
    norm_shares,
    ranking,
    signed_shares,
    token_changes,
)
from attention_lab.heads.weight_blocks import head_contributions
from attention_lab.notation.notation import OURS, Notation
from attention_lab.words.numbers import format_number

from ..curves import PLAIN_AXIS, WITH_LEGEND, bar_series, chart_axis, marks
from ..labels import numbered_labels
from ..matrices import Matrix, Side, difference_matrix, matrix_board
from ..parts import Part, layout, named_axis
from ..payload import JSON, largest_magnitude
from ..theme import Figure

MAX_ABLATION_COLUMNS = 64


def stacked_output(trace: Trace, feature: int) -> Figure:
    """One feature of the output of every token as a sum of the heads' parts, and the output itself
    as a tick.
    """
    tokens = list(numbered_labels(trace.labels("T")))
    hover = "%{x}<br><b>%{y:.4g}</b><extra>%{fullData.name}</extra>"
    data = [
        bar_series(tokens, part_T, name, colour, hovertemplate=hover)
        for name, part_T, colour in _summands(trace, feature)
    ]
    tick = {"symbol": "line-ew", "size": min(22, 700 // len(tokens))}
    tick |= {"line": {"color": "@text", "width": 3}}
    output_T = trace.output[0, :, feature].astype("f4")
    hover = "%{x}<br><b>%{y:.4g}</b><extra>output</extra>"
    data.append(marks(tokens, output_T, tick, name="output", hovertemplate=hover))
    description = (
        f"Feature {feature} of the output as stacked bars, a part for each head. Tokens:"
        f" {len(tokens)}."
    )
    of = chart_axis(f"feature {feature} of the output")
    return {"data": data, "layout": _bar_layout(description, 316, tokens, of, barmode="relative")}


def _summands(trace: Trace, feature: int) -> Iterator[tuple[str, Array, str]]:
    """The summands of one feature of the output: name, a number for every token, and colour."""
    for head, added_TO in enumerate(head_contributions(trace)[0]):
        yield f"head {head}", added_TO[:, feature], f"@head {head % 16}"
    if trace.projections.b_o is not None:
        added_T = np.full(trace.sizes["T"], trace.projections.b_o[feature])
        yield "bias b_O", added_T, "@muted"
    if trace.residual:
        yield "input (residual)", trace.inputs[0, :, feature], "@line"


def head_shares(trace: Trace) -> Figure:
    """The signed share and the norm share of each head, the largest signed share first."""
    signed_H, norm_H = signed_shares(trace)[0], norm_shares(trace)[0]
    order = list(ranking(signed_H))
    heads = [f"head {head}" for head in order]
    data = []
    for name, shares_H, colour, opacity in (
        ("signed share", signed_H, "@output", 1.0),
        ("norm share", norm_H, "@muted", 0.6),
    ):
        look, hover = {"color": colour, "opacity": opacity}, "%{x}: <b>%{y:.4f}</b><extra>"
        about = {"marker": look, "hovertemplate": f"{hover}{name}</extra>"}
        data.append(bar_series(heads, shares_H[order], name, colour, **about))
    says = "here their sum is 0, so there are no shares"
    if has_shares(trace):
        says = f"the largest signed share: {heads[0]}"
    description = f"Two shares of the output for each head; {says}."
    return {"data": data, "layout": _bar_layout(description, 260, heads, barmode="group")}


def token_changes_board(trace: Trace, cell: tuple[int, int], notation: Notation = OURS) -> JSON:
    """How far the output of each token moves when one head is off: heads as rows, tokens as
    columns.
    """
    moved_HT = token_changes(trace)[0]
    matrix = Matrix(
        "changes",
        moved_HT,
        Side("head", letter="H"),
        Side("token", trace.labels("T"), "T"),
        (0, 0),
        "how far the output moves",
        kind="logit",
        says="Without this head the output of this token moves by",
    )
    description = (
        "How far the output of each token moves without one head. Largest number:"
        f" {format_number(float(moved_HT.max()))}."
    )
    return matrix_board([matrix], ("changes", *cell), description, notation)


def ablation_board(
    trace: Trace, without_TO: Array, cell: tuple[int, int], notation: Notation = OURS
) -> JSON:
    """The output, the output with some heads off, and what is missing; at most 64 columns, from
    `first_column` on. cell: a token and a feature.
    """
    first = first_column(cell[1])
    shown = slice(first, first + MAX_ABLATION_COLUMNS)
    output_TO = trace.output[0]
    limit = largest_magnitude(output_TO)
    rows = Side("query position", trace.labels("T"))
    columns = Side("feature", tuple(map(str, range(output_TO.shape[1])))[shown])
    drawn = partial(Matrix, rows=rows, columns=columns, limit=limit)
    sides = (
        ("all", output_TO[:, shown], "all heads", "all heads"),
        ("rest", without_TO[:, shown], "with heads off", "heads off"),
    )
    whole, rest = (
        drawn(name, numbers, place=(n, 0), title=title, says=f"With {heads} the output is")
        for n, (name, numbers, title, heads) in enumerate(sides)
    )
    gap = difference_matrix(whole, rest, (2, 0), "what is missing")
    missing = replace(gap, kind="feature", limit=limit)
    description = (
        "The output with all heads, the output with some heads off, and the difference. Tokens:"
        f" {len(output_TO)}."
    )
    pinned = missing.name, cell[0], cell[1] - first
    return matrix_board([whole, rest, missing], pinned, description, notation)


def first_column(feature: int) -> int:
    """The first column of the block that is drawn around a feature.

    >>> first_column(63), first_column(64)
    (0, 64)
    """
    return feature // MAX_ABLATION_COLUMNS * MAX_ABLATION_COLUMNS


def _bar_layout(
    description: str, height: int, labels: Sequence[str], of: Part = PLAIN_AXIS, **more: object
) -> Part:
    """A layout for bars with names below. height: in px, without the names; of: the axis of what
    they count.
    """
    names, foot = named_axis(labels)
    return layout(
        height + foot,
        description,
        **WITH_LEGEND | {"margin": {"l": 52, "r": 8, "t": 52, "b": foot}},
        bargap=0.25,
        xaxis=names,
        yaxis=of,
        **more,
    )
