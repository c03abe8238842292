"""What the MQL5 book does with the arrays around the scores: the value step number by number, the
two tables of sizes, and the projections as convolutions.
"""

from __future__ import annotations

import streamlit as st

from attention_lab.heads.window_convolution import projections_as_convolutions, sizes_beside_one
from attention_lab.rounding import tolerance
from attention_viz import story
from attention_viz.labels import counted, number

from ..board import show_board
from ..facts import fact
from ..page_context import PageContext


def value_of_a_pair(now: PageContext) -> None:
    """The value of one token in all heads times the coefficients for one query."""
    trace, focus = now.trace, now.focus
    st.markdown(
        now.turned(
            "The values need no product of matrices either. The value of one token is cut into"
            f" {counted(trace.sizes['H'], 'row')}, one for each head, and each row is multiplied by"
            " the coefficient of its head (⊙). Such rows of all keys, added up, are what the query"
            " gets: one row for each head."
        )
    )
    feature = focus.within(trace, "head_outputs").feature
    board = story.value_pair(now.stage, focus.cell("query", "key"), feature)
    show_board(board, "ways value")


def two_tables_of_sizes(now: PageContext) -> None:
    """The arrays of one head beside those of all heads fused."""
    n_heads, turn = now.trace.sizes["H"], -1 if now.notation.convention == "column" else 1
    rows = fact("sizes_beside_one", sizes_beside_one(now.trace))
    lines = [f"| | one head | numbers | {counted(n_heads, 'head')}, fused | numbers |"]
    lines.append("|---|--:|--:|--:|--:|")
    for row in rows:
        shapes = [shape[::turn] for shape in (row.one, row.fused)]
        cells = [f"{a} × {b} | {a * b:,}" for a, b in shapes]
        lines.append(f"| **{now.symbol(row.name)}** | {' | '.join(cells)} |")
    st.markdown("\n".join(lines))
    st.caption(
        now.turned(
            "Tokens are rows. Weights and results of all heads stand side by side: every head adds"
            " columns, and the inputs stay one array for all."
        )
    )


def as_convolutions(now: PageContext) -> None:
    """Each projection as a convolution whose window is one token, checked against the layer's."""
    st.markdown(
        now.turned(
            "A projection does the same to every token, so it is a convolution whose window is one"
            " token: each filter is a column of the weights. More heads are more filters in the"
            " same layer, not more layers."
        )
    )
    lines = [
        "| | window | step | filters, one head | filters, all heads | differs by |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    found = fact("as_convolutions", projections_as_convolutions(now.trace, now.focus.head))
    for one in found:
        gap = max(one.gaps)
        differs = "equal" if gap <= tolerance(now.trace, one.field) else number(gap)
        lines.append(
            f"| **{now.symbol(one.field)}** | {one.window} | {one.window} | {one.filters_of_one} |"
            f" {one.filters_of_all} | {differs} |"
        )
    st.markdown("\n".join(lines))
    st.caption(
        f"The buffer holds {counted(now.trace.sizes['T'], 'token')} one after the other,"
        f" {found[0].window} numbers each; window and step are one token wide. Computed by a loop"
        f" over the windows, for head {now.focus.head} and for all heads. “Differs by”:"
        " the largest difference from what this layer makes."
    )
