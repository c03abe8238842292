"""Two other ways to compute shares: additive scores, and one softmax for all queries."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from attention_lab.heads.patterns import effective_tokens
from attention_lab.masks.score_variants import additive_scores, one_softmax
from attention_lab.rounding import tolerance
from attention_viz.labels import format_agreement, format_number, format_percent
from attention_viz.masks.invariances import shares_board

from ..board import show_board
from ..facts import fact
from ..page_context import PageContext
from ..panels import token_markdown


def show_additive_scores(now: PageContext) -> None:
    """Additive scores (Bahdanau) beside the scaled dot product."""
    trace, focus, wide = now.trace, now.focus, now.symbol("d_k")
    head, cell = focus.head, focus.cell("query", "key")
    other = fact("additive", additive_scores(trace, head))
    st.markdown(
        r"**Additive scores** are $v^\top \tanh(q_i + k_j)$ (Bahdanau et al. 2015). Queries"
        f" and keys are those of the layer. A model would learn v; here it is 1. In head {head},"
        f" :blue[{token_markdown(trace, 'T', focus.query)}] then reads"
        f" **{format_percent(float(other.shares[cell[1:]]))}** from"
        f" :red[{token_markdown(trace, 'S', focus.key)}] instead of"
        f" {format_percent(float(trace.probabilities[0][cell]))}."
    )
    board = shares_board(trace, other.shares, "additive scores", cell, now.notation)
    show_board(board, "additive", fits=True)
    reads = [
        float(effective_tokens(shares[focus.query]))
        for shares in (trace.probabilities[0, head], other.shares)
    ]
    largest = fact("largest_scores", (other.largest_dot, other.largest))
    rows = (
        ("largest score, either sign", *(format_number(one, 2) for one in largest)),
        ("bound of any score", "none", f"{wide} = {format_number(other.bound, 0)}"),
        ("effective tokens of the query", *(format_number(one, 2) for one in reads)),
        ("multiplications for all pairs", *[f"{other.n_tanh:,}"] * 2),
        ("tanh for all pairs", "0", f"{other.n_tanh:,}"),
        ("one matrix product is enough", "yes", "no: a tanh for each pair and feature"),
    )
    st.markdown(_table(("scaled dot product", "additive"), rows))
    st.caption(
        "tanh keeps every term between −1 and 1, so additive scores are bounded without a scale."
        " Dot products grow with both vectors. Vaswani et al. (2017) chose the dot product because"
        " one matrix product computes all scores."
    )


def show_one_softmax(now: PageContext) -> None:
    """One softmax over all scores of a head, instead of one for each query."""
    trace, focus = now.trace, now.focus
    head, cell = focus.head, focus.cell("query", "key")
    other = fact("one_softmax", one_softmax(trace, head))
    most, least = int(other.of_query.argmax()), int(other.of_query.argmin())
    st.markdown(
        "In the layer the shares of **each query** sum to 1. With one softmax over all scores of"
        f" the head, **all shares together** sum to {format_number(float(other.shares.sum()), 3)}."
        f" The largest part goes to :blue[{token_markdown(trace, 'T', most)}]:"
        f" {format_percent(float(other.of_query[most]))}, the smallest to"
        f" :blue[{token_markdown(trace, 'T', least)}]:"
        f" {format_percent(float(other.of_query[least]))}."
    )
    board = shares_board(trace, other.shares, "one softmax", cell, now.notation)
    show_board(board, "one softmax", fits=True)
    asks = token_markdown(trace, "T", focus.query)
    of_query = fact("of_query", float(other.of_query[focus.query]))
    st.markdown(
        f"- :blue[{asks}] gets {format_percent(of_query)}, and reads"
        f" **{format_percent(float(other.shares[cell[1:]]))}** from"
        f" :red[{token_markdown(trace, 'S', focus.key)}] instead of"
        f" {format_percent(float(trace.probabilities[0][cell]))}.\n- For one query the proportions"
        " stay: its shares are those of the layer times its part; both"
        f" {format_agreement(other.gap, tolerance(trace, 'probabilities'))}.\n- The result of the"
        f" head shrinks as well: for {asks} it is {format_number(of_query)} times that of the"
        " layer."
    )
    st.caption(
        "A constant added to all scores of one query changes nothing if each query has its own"
        " softmax (see *constants*). With one softmax it takes shares from other queries, or gives"
        " shares to them."
    )


def _table(heads: tuple[str, str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| | {' | '.join(heads)} |", "|---|--:|--:|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])
