"""Scores divided by a number: what a temperature does, and why the layer divides by √d_k."""

from __future__ import annotations

import streamlit as st

from attention_lab.heads.patterns import effective_tokens
from attention_lab.masks.temperature import at_temperature, score_spreads
from attention_viz.labels import format_number, format_percent
from attention_viz.masks import temperature as figures

from ..board import show_board
from ..page_context import PageContext
from ..panels import token_markdown
from ..show import show_figure
from ..url_state import PERSISTENCE, draw_bound

TEMPERATURE_CHOICES = ("0.05", "0.1", "0.2", "0.5", "1", "2", "5", "10", "20")


def show_temperature(now: PageContext) -> None:
    """Every score divided by the same number: shares get sharper or flatter; their order stays."""
    choices = TEMPERATURE_CHOICES
    chosen = draw_bound(
        st.select_slider, "Temperature", choices, "0.5", key="inv_temperature", **PERSISTENCE
    )
    temperature = float(chosen or 1)
    trace, focus, wide = now.trace, now.focus, now.symbol("d_k")
    other = at_temperature(trace, temperature)
    rows = [one.probabilities[0, focus.head, focus.query] for one in (trace, other)]
    tokens = [float(effective_tokens(row)) for row in rows]
    share = [float(row[focus.key]) for row in rows]
    st.markdown(
        rf"$\operatorname{{softmax}}(s / {temperature:g})$: in head {focus.head}, "
        f":blue[{token_markdown(trace, 'T', focus.query)}] reads {format_percent(share[1])} from"
        f" :red[{token_markdown(trace, 'S', focus.key)}] instead of {format_percent(share[0])}."
        f" Effective tokens: **{format_number(tokens[1], 2)}** instead of"
        f" {format_number(tokens[0], 2)}."
    )
    cell, scores = focus.cell("query", "key"), trace.masked_scores[0, focus.head, focus.query]
    board = figures.temperature_board(trace, other, temperature, cell, now.notation)
    show_board(board, "temperature", fits=True)
    figure = figures.temperature_figure(scores, trace.labels("S"), focus.key, temperature)
    show_figure(figure, "temperatures")
    st.caption(
        f"The shares of {token_markdown(trace, 'T', focus.query)} for each temperature. Towards 0"
        " the key with the largest score gets everything, or several keys with equal scores share"
        " it. Towards infinity all visible keys get the same share. The curves never cross: at"
        f" every temperature the shares have the order of the scores. Dividing by √{wide} is a"
        f" temperature of √{wide} for the raw scores. Effective tokens: e to the"
        " [entropy](glossary?glossary_words=entropy) of the shares, from 1 to the number of keys."
    )


def show_variance(now: PageContext) -> None:
    """The variance of random dot products by their length, what it does to the softmax, and the
    variance of the scores in focus.
    """
    trace, focus, spreads = now.trace, now.focus, score_spreads()
    variance = float(trace.scores[0, focus.head].var())
    because = "all of them are equal"
    if variance:
        because = "its queries and keys are neither independent nor of variance 1"
    st.markdown(
        "**A dot product of d_k independent products of mean 0 and variance 1 has variance"
        f" d_k.** Measured on random queries and keys, the variance at d_k = {spreads[-1].d_k} is"
        f" {format_number(spreads[-1].variance, 1)}. Here d_k = {trace.sizes['K']}, and the scores"
        f" of head {focus.head} have variance {format_number(variance, 2)}, because {because}."
    )
    left, right = st.columns(2)
    with left:
        show_figure(figures.variance_figure(spreads), "variances")
        st.caption(
            "Each point: 64 draws of 32 queries and 32 keys. The error bars are two standard"
            " errors. Both axes are logarithmic."
        )
    with right:
        show_figure(figures.saturation_figure(spreads), "saturation")
        st.caption(
            "The same draws: the softmax of raw scores gets sharper with the width, that of scaled"
            " scores does not. The Jacobian is the matrix of all derivatives of shares by scores;"
            " its trace is 1 − Σ a²."
        )
