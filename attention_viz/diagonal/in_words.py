"""What the pages of the diagonal say about attention weights, and the numbers that measure them."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan

from attention_core import Trace
from attention_lab.diagonal.measures import (
    diagonal_margins,
    log_cross_ratios,
    pair_excess,
    pair_violations,
    uniform_self_mass,
)
from attention_lab.diagonal.metrics import METRICS
from attention_lab.words.numbers import format_number

from ..blocks import Table
from ..markdown import escape_markdown
from .self_attention_mass import token_names

PAIR_BOUND_VERDICTS = {False: "The pair bound **holds**", True: "The pair bound **fails**"}


def describe_diagonal(trace: Trace, measured: Mapping[str, float | None]) -> str:
    """How many tokens attend most to themselves, how much of the attention that is, and how many
    cells break the pair bound.
    """
    margin_T = diagonal_margins(trace.masked_scores[0, 0])
    mine, tied = int((margin_T >= 0).sum()), int((margin_T == 0).sum())
    broken = int(pair_violations(trace.probabilities[0, 0]).sum())
    mass = measured["self_mass"] or 0.0
    uniform = float(uniform_self_mass(trace.masked_scores[0, 0]))
    return (
        f"Tokens that look most at themselves: **{mine} of {trace.sizes['T']}** (ties: {tied})."
        f" Attention on the diagonal: **{100 * mass:.0f} %** (uniform: {100 * uniform:.0f} %)."
        f" Cells that break the pair bound: **{broken}**."
    )


def describe_pair(trace: Trace, cell: tuple[int, int]) -> str:
    """The pinned pair: its probabilities, whether the bound holds, and the log cross-ratio."""
    (i, j), names = cell, quoted_names(trace)
    shares, scores = trace.probabilities[0, 0], trace.masked_scores[0, 0]
    own = f"$a_{{ii}}$ = {format_number(float(shares[i, i]), 4)}"
    if i == j:
        margin, most = format_number(float(diagonal_margins(scores)[i])), int(shares[i].argmax())
        return (
            f"**i = j = {names[i]}**: {own}, margin {margin}. Largest share of its row:"
            f" {format_number(float(shares[i, most]), 4)} for {names[most]}. Click a cell off the"
            " diagonal to look at a pair."
        )
    excess = float(pair_excess(shares)[i, j])
    ratio = float(log_cross_ratios(scores)[i, j])
    return (
        f"**i = {names[i]}, j = {names[j]}**: $a_{{ij}}$ = {format_number(float(shares[i, j]), 4)},"
        f" {own}, $a_{{jj}}$ = {format_number(float(shares[j, j]), 4)}."
        f" {PAIR_BOUND_VERDICTS[excess > 0]}: $a_{{ij}} - \\max(a_{{ii}}, a_{{jj}})$ ="
        f" {format_number(excess, 4)}. Log cross-ratio $\\chi_{{ij}}$ = {number_or_dash(ratio)}"
        " (above 0: the two prefer themselves to each other)."
    )


def metric_table(measured: Mapping[str, float | None]) -> Table:
    """Every measure with its number, formula and range, and what it means."""
    rows = [
        [
            f"**{one.title}** ${one.symbol}$",
            f"**{number_or_dash(measured[one.name])}**",
            f"${one.formula}$",
            f"${one.range}$",
            one.meaning,
        ]
        for one in METRICS
    ]
    return Table(["measure", "here", "formula", "range", "what it says"], rows, words=True)


def number_or_dash(value: float | None) -> str:
    """A number, or a dash where there is nothing to measure."""
    return "–" if value is None or isnan(value) else format_number(value)


def quoted_names(trace: Trace) -> list[str]:
    """Words in quotation marks; the index of a token without a word stands bare."""
    quoted = [f"“{escape_markdown(name)}”" for name in token_names(trace)]
    return [str(i) if one == f"“{i}”" else one for i, one in enumerate(quoted)]
