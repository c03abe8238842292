"""Scores divided by a number: what a temperature does, and why the layer has the one of 1/√d_k."""

from __future__ import annotations

import streamlit as st

from attention_core.formulas import softmax
from attention_lab.heads.patterns import effective_tokens
from attention_lab.masks.temperature import at_temperature, score_spreads, sharpness
from attention_viz.labels import number, percent
from attention_viz.masks import invariances as boards
from attention_viz.masks import temperature as figures

from ..board import show_board
from ..facts import fact
from ..page_context import PageContext
from ..panels import token
from ..show import show_figure
from ..url_state import KEPT, bound

TEMPERATURES = ("0.05", "0.1", "0.2", "0.5", "1", "2", "5", "10", "20")


def temperature(now: PageContext) -> None:
    """Every score divided by the same number: sharper or flatter, never in another order."""
    chosen = float(
        bound(st.select_slider, "Temperature", TEMPERATURES, "0.5", key="inv_temperature", **KEPT)
        or 1
    )
    trace, focus, wide = now.trace, now.focus, now.symbol("d_k")
    other = at_temperature(trace, chosen)
    fact("temperature_of_the_row", chosen)
    rows = [one.probabilities[0, focus.head, focus.query] for one in (trace, other)]
    tokens, share = (
        fact("effective_tokens", [float(effective_tokens(row)) for row in rows]),
        [float(row[focus.key]) for row in rows],
    )
    st.markdown(
        rf"$\operatorname{{softmax}}(s / {chosen:g})$: in head {focus.head}, "
        f":blue[{token(trace, 'T', focus.query)}] reads {percent(share[1])} from"
        f" :red[{token(trace, 'S', focus.key)}] "
        f"instead of {percent(share[0])}. Its {now.turned('row')} is spread over"
        f" **{number(tokens[1], 2)}** effective "
        f"tokens instead of {number(tokens[0], 2)}."
    )
    show_board(
        boards.temperatures(trace, other, chosen, now.focus.cell("query", "key"), now.notation),
        "temperature",
    )
    scores = trace.masked_scores[0, focus.head, focus.query]
    show_figure(
        figures.temperature_curves(scores, trace.labels("S"), focus.key, chosen), "temperatures"
    )
    st.caption(
        f"The {now.turned('row')} of {token(trace, 'T', focus.query)} over the temperature. Towards"
        " 0 the largest score takes all, or equal largest ones share it; towards infinity all"
        " visible keys get the same. The curves never cross: at every temperature the order of the"
        f" shares is that of the scores. 1/√{wide} is a temperature of √{wide} for the raw scores."
        f" Effective tokens: e to the entropy of the {now.turned('row')}, from 1 to the number of"
        " keys."
    )


def why_scale(now: PageContext) -> None:
    """Why 1/√d_k: the variance of a dot product grows with its length, and a saturated softmax
    passes nothing on.
    """
    _growing_variance(now)
    _saturation(now)


def _growing_variance(now: PageContext) -> None:
    """Scores of unit queries and keys by their width, and those of the head in focus."""
    trace, focus, spreads = now.trace, now.focus, score_spreads()
    variance = fact("score_variance", float(trace.scores[0, focus.head].var()))
    unlike = (
        "its queries and keys are neither independent nor of variance 1"
        if variance
        else "all of them are equal"
    )
    st.markdown(
        "**1 · A dot product of d_k independent products of mean 0 and variance 1 has variance"
        f" d_k.** Measured on random queries and keys, the variance at d_k = {spreads[-1].d_k} is"
        f" {number(spreads[-1].variance, 1)}. Here d_k = {trace.sizes['K']}, and the scores of head"
        f" {focus.head} have variance {number(variance, 2)}, because {unlike}."
    )
    left, right = st.columns(2)
    with left:
        show_figure(figures.variances(spreads), "variances")
        st.caption(
            "Each point: 64 draws of 32 queries and 32 keys; the bars are two standard errors. Both"
            " axes logarithmic."
        )
    with right:
        show_figure(figures.saturation(spreads), "saturation")
        st.caption(
            "The same draws: raw scores get sharper with the width, scaled ones do not. Jacobian"
            " trace: 1 − Σ a²."
        )


def _saturation(now: PageContext) -> None:
    """How much of a change of the scores a softmax passes on: the Jacobian, raw and scaled."""
    trace, focus = now.trace, now.focus
    scores = trace.scores[0, focus.head]
    raw, scaled = sharpness(scores), sharpness(scores * trace.scale)
    st.markdown(
        "**2 · A saturated softmax passes hardly any change on.** A share moves with a score by "
        r"$\partial a_j / \partial s_k = a_j (\delta_{jk} - a_k)$, at most 1/4; where one share is"
        r" nearly 1 all of "
        "these are nearly 0, and so is every gradient that passes through. On average over the "
        f"{now.turned('rows')} of head {focus.head}, without a mask, the trace of this matrix is "
        f"{number(raw.jacobian_trace)} with raw scores and {number(scaled.jacobian_trace)} with the"
        " layer’s scale."
    )
    row = scores[focus.query]
    pair = (softmax(row), softmax(row * trace.scale))
    show_board(
        boards.jacobians(trace, pair, now.focus.cell("query", "key"), now.notation), "jacobian"
    )
    show_figure(figures.slopes(), "slopes")
    st.caption("Two tokens: how fast their shares move, a(1 − a), over the gap of their scores.")
