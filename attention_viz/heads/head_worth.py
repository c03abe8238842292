"""What heads add to the output, as stacked bars, shares and matrices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from attention_core import Trace
from attention_core.checks import Array
from attention_lab.heads.basis_change import BeforeAfter
from attention_lab.heads.contributions import head_contributions
from attention_lab.heads.head_worth import (
    has_shares,
    norm_shares,
    ranking,
    signed_shares,
    token_changes,
)
from attention_lab.notation.notation import OURS, Notation, Symbol

from ..curves import LEGEND
from ..labels import counted, number, numbered
from ..matrices import Matrix, Side, board
from ..parts import Part, layout, names_below
from ..payload import JSON
from ..sheet import Sheet
from ..theme import Figure
from ..tiles import Tile, largest, tiled

MOST_COLUMNS, MOST_FEATURES = 64, 16


def stacked(trace: Trace, feature: int) -> Figure:
    """One feature of every token's output as a sum of what each head adds, and the output
    itself as a tick.
    """
    tokens = list(numbered(trace.labels("T")))
    data: list[Part] = [
        {
            "type": "bar",
            "x": tokens,
            "y": part_T.astype("f4"),
            "name": name,
            "marker": {"color": colour},
            "hovertemplate": "%{x}<br><b>%{y:.4g}</b><extra>%{fullData.name}</extra>",
        }
        for name, part_T, colour in _summands(trace, feature)
    ]
    data.append(
        {
            "type": "scatter",
            "mode": "markers",
            "x": tokens,
            "y": trace.output[0, :, feature].astype("f4"),
            "name": "output",
            "hovertemplate": "%{x}<br><b>%{y:.4g}</b><extra>output</extra>",
            "marker": {
                "symbol": "line-ew",
                "size": min(22, 700 // len(tokens)),
                "line": {"color": "@text", "width": 3},
            },
        }
    )
    says = (
        f"Feature {feature} of the output of {counted(len(tokens), 'token')} as stacked bars, a"
        " part for each head."
    )
    return {"data": data, "layout": _charted(says, 316, tokens, barmode="relative")}


def _summands(trace: Trace, feature: int) -> Iterator[tuple[str, Array, str]]:
    """What one feature of the output is the sum of, for every token: name, numbers and colour."""
    for head, added_TO in enumerate(head_contributions(trace)[0]):
        yield f"head {head}", added_TO[:, feature], f"@head {head % 16}"
    if trace.projections.b_o is not None:
        added_T = np.full(trace.sizes["T"], trace.projections.b_o[feature])
        yield "bias b_O", added_T, "@muted"
    if trace.residual:
        yield "input (residual)", trace.inputs[0, :, feature], "@line"


def shares(trace: Trace) -> Figure:
    """The signed share and the norm share of each head, the largest signed share first."""
    signed_H, norm_H = signed_shares(trace)[0], norm_shares(trace)[0]
    order = list(ranking(signed_H))
    heads = [f"head {head}" for head in order]
    data: list[Part] = [
        {
            "type": "bar",
            "x": heads,
            "y": shares_H[order].astype("f4"),
            "name": name,
            "marker": {"color": colour, "opacity": opacity},
            "hovertemplate": "%{x}: <b>%{y:.4f}</b><extra>" + name + "</extra>",
        }
        for name, shares_H, colour, opacity in (
            ("signed share", signed_H, "@output", 1.0),
            ("norm share", norm_H, "@muted", 0.6),
        )
    ]
    found = (
        f"{heads[0]} has the largest signed share"
        if has_shares(trace)
        else "all add 0 together, so there are none"
    )
    says = f"Two shares of the output for each of {counted(len(heads), 'head')}; {found}."
    return {"data": data, "layout": _charted(says, 260, heads, barmode="group")}


def changes(trace: Trace, cell: tuple[int, int], notation: Notation = OURS) -> JSON:
    """How far the output of each token moves when one head is switched off: heads as rows,
    tokens as columns.
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
    says = (
        "How far each token's output moves without one head; at most"
        f" {number(float(moved_HT.max()))}."
    )
    return board([matrix], ("changes", *cell), says, notation)


def ablation(trace: Trace, without_TO: Array, cell: tuple[int, int]) -> Figure:
    """The output, the output with some heads switched off, and their difference; of a wide
    output 64 columns.
    """
    output_TO = trace.output[0]
    first = cell[1] // MOST_COLUMNS * MOST_COLUMNS
    shown = slice(first, first + MOST_COLUMNS)
    tiles = [
        Tile(matrix_TO[:, shown], title)
        for title, matrix_TO in (
            ("all heads", output_TO),
            ("with heads off", without_TO),
            ("what is missing", output_TO - without_TO),
        )
    ]
    columns = tuple(str(column) for column in range(output_TO.shape[1])[shown])
    says = (
        f"The output of {counted(len(output_TO), 'token')} with all heads, with some switched off,"
        " and the difference."
    )
    sheet = Sheet(numbered(trace.labels("T")), columns, "feature", largest(output_TO), start=first)
    return tiled(sheet, tiles, says, across=3, cell=(cell[0], cell[1] - first))


def in_two_bases(both: BeforeAfter) -> Figure:
    """A matrix before and after a change of basis; of a large one the first rows and columns."""
    before, after = (matrix[:MOST_FEATURES, :MOST_FEATURES] for matrix in (both.before, both.after))
    rows, columns = (tuple(map(str, range(count))) for count in before.shape)
    sheet = Sheet(rows, columns, "feature", max(largest(before), largest(after)), width=520)
    says = f"{Symbol(both.symbol).plain} of the head before and after a change of basis."
    return tiled(sheet, [Tile(before, "before"), Tile(after, "after")], says, across=2)


def _charted(says: str, height: int, labels: Sequence[str], **more: object) -> Part:
    """A layout for bars of this height in px with names below."""
    names, foot = names_below(labels)
    return layout(
        height + foot,
        says,
        showlegend=True,
        legend=LEGEND,
        bargap=0.25,
        xaxis=names,
        margin={"l": 52, "r": 8, "t": 52, "b": foot},
        yaxis={
            "fixedrange": True,
            "gridcolor": "@line",
            "zeroline": False,
            "tickfont": {"size": 11},
        },
        **more,
    )


def heads_named(heads: Sequence[int]) -> str:
    """Heads as words.

    >>> heads_named([2]), heads_named([0, 2, 3])
    ('head 2', 'heads 0, 2 and 3')
    """
    names = [str(head) for head in heads]
    return (
        f"head {names[0]}" if len(names) == 1 else f"heads {', '.join(names[:-1])} and {names[-1]}"
    )


def left_without_heads(trace: Trace) -> str:
    """What an output is made of when all heads are switched off, in words."""
    parts = ["the bias"] * (trace.projections.b_o is not None) + [
        "the input (residual)"
    ] * trace.residual
    return " and ".join(parts) or "nothing"
