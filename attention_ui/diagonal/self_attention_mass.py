"""What the diagonal laboratory says in words about a matrix of probabilities, a pair of tokens,
and a statement.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan

import streamlit as st

from attention_core import Trace
from attention_lab.diagonal.measures import (
    log_cross_ratios,
    margins,
    pair_excess,
    pair_violations,
    uniform_self_mass,
)
from attention_lab.diagonal.metrics import METRICS
from attention_viz.diagonal.self_attention_mass import named
from attention_viz.labels import counted, number

from ..facts import fact
from ..markdown import plain


def diagonal_verdict(trace: Trace, measured: Mapping[str, float | None]) -> str:
    """How many tokens look at themselves most, how much of the attention that is, and how often
    the bound fails.
    """
    n_tokens = trace.sizes["T"]
    margin_T = margins(trace.masked_scores[0, 0])
    mine = fact("tokens_that_prefer_themselves", int((margin_T >= 0).sum()))
    tied = fact("tokens_that_tie", int((margin_T == 0).sum()))
    violations = pair_violations(trace.probabilities[0, 0])
    broken = fact("cells_that_break_the_bound", int(violations.sum()))
    mass = fact("self_mass", measured["self_mass"] or 0.0)
    uniform = float(uniform_self_mass(trace.masked_scores[0, 0]))
    look = "looks at itself" if mine == 1 else "look at themselves"
    bound = f"**{counted(broken, 'cell')}** break{'s' if broken == 1 else ''} the pair bound"
    return (
        f"**{mine} of {counted(n_tokens, 'token')}** {look} most{_ties(tied, mine)}; the diagonal"
        f" holds **{100 * mass:.0f} %** of all attention (uniform: {100 * uniform:.0f} %)."
        " " + (f"{bound}, outlined below." if broken else "No cell breaks the pair bound here.")
    )


def _ties(tied: int, mine: int) -> str:
    """How many of the tokens that look at themselves most look as much at another."""
    if not tied:
        return ""
    return (
        ", but no more than at another"
        if tied == mine
        else f", {tied} of them no more than at another"
    )


def spare(excess: float) -> str:
    """How far below its bound something stays."""
    return f"with {number(-excess, 4)} to spare" if excess else "with nothing to spare"


def pair_says(trace: Trace, cell: tuple[int, int]) -> str:
    """The pinned pair: its four probabilities, whether the bound holds, and the log cross-ratio."""
    i, j = cell
    names = quoted_names(trace)
    shares = trace.probabilities[0, 0]
    a = f"$a_{{ii}}$ = {number(float(shares[i, i]), 4)}"
    fact("names_of_the_pair", (names[i], names[j]))
    if i == j:
        margin = number(float(margins(trace.masked_scores[0, 0])[i]))
        has_pairs = fact("has_pairs", len(names) > 1)
        invited = " Click a cell beside the diagonal for a pair." if has_pairs else ""
        return f"**i = j = {names[i]}**: {a}; margin {margin}.{invited}"
    excess = fact("excess_over_the_bound", float(pair_excess(shares)[i, j]))
    breaks = fact("pair_breaks_the_bound", bool(pair_violations(shares)[i, j]))
    ratio = float(log_cross_ratios(trace.masked_scores[0, 0])[i, j])
    holds = f"the bound **holds**, {spare(excess)}"
    fails = f"the bound **fails** by {number(excess, 4)}"
    chi = "" if isnan(ratio) else f" Log cross-ratio $\\chi_{{ij}}$ = {number(ratio)}."
    return (
        f"**i = {names[i]}, j = {names[j]}**: $a_{{ij}}$ = {number(float(shares[i, j]), 4)}, {a},"
        f" $a_{{jj}}$ = {number(float(shares[j, j]), 4)}:"
        f" {fails if breaks else holds}.{chi}"
    )


def metric_row(measured: Mapping[str, float | None]) -> None:
    """Every metric with its number; formula, range and meaning are in its help."""
    with st.container(horizontal=True, gap="small"):
        for metric in METRICS:
            value = measured[metric.name]
            with st.container(border=True, width=156, height="stretch", gap="xxsmall"):
                st.markdown(
                    f"{metric.title} ${metric.symbol}$",
                    help=f"{metric.says}\n\n$${metric.formula}$$\n\nRange: ${metric.range}$",
                )
                st.markdown(f"**{'–' if value is None else number(value)}**")


def metric_list() -> None:
    """The metrics in full: what each is, its formula and its range."""
    for metric in METRICS:
        left, right = st.columns([3, 2], vertical_alignment="center")
        left.markdown(
            f"**{metric.title}** ${metric.symbol}$: {metric.says} Range ${metric.range}$."
        )
        right.latex(metric.formula)


def quoted_names(trace: Trace) -> list[str]:
    """Words in quotation marks; bare the place of a token of numbers, which quoted would look
    like its number.
    """
    return [name if name == str(i) else f"“{plain(name)}”" for i, name in enumerate(named(trace))]
