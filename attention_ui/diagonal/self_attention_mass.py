"""What the diagonal laboratory says in words about a matrix of probabilities, a pair of tokens,
and a statement.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan

from attention_core import Trace
from attention_lab.diagonal.measures import (
    log_cross_ratios,
    margins,
    pair_excess,
    pair_violations,
    uniform_self_mass,
)
from attention_lab.diagonal.proposition_checks import Check
from attention_lab.diagonal.proposition_record import CONDITION, FALSE, THEOREM, Proposition
from attention_viz.diagonal.diagonal_board import named
from attention_viz.labels import counted, number

from ..facts import fact
from ..markdown import plain

BADGES = {
    THEOREM: ":green-badge[:material/verified: theorem]",
    FALSE: ":red-badge[:material/close: false]",
    CONDITION: ":orange-badge[:material/rule: under a condition]",
}
# Statements of equality, and the trace of A, whose largest eigenvalue is 1: there is nothing to
# spare but rounding.
IDENTITIES = ("S1", "S7", "S9", "S13", "S14")


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


def _spare(excess: float) -> str:
    """How far below its bound something stays."""
    return f"with {number(-excess, 4)} to spare" if excess else "with nothing to spare"


def pair_says(trace: Trace, cell: tuple[int, int]) -> str:
    """The pinned pair: its four probabilities, whether the bound holds, and the log cross-ratio."""
    i, j = cell
    names = _names(trace)
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
    holds = f"the bound **holds**, {_spare(excess)}"
    fails = f"the bound **fails** by {number(excess, 4)}"
    chi = "" if isnan(ratio) else f" Log cross-ratio $\\chi_{{ij}}$ = {number(ratio)}."
    return (
        f"**i = {names[i]}, j = {names[j]}**: $a_{{ij}}$ = {number(float(shares[i, j]), 4)}, {a},"
        f" $a_{{jj}}$ = {number(float(shares[j, j]), 4)}:"
        f" {fails if breaks else holds}.{chi}"
    )


def live(proposition: Proposition, check: Check, trace: Trace) -> str:
    """What the live check of a statement found on these tokens: holds or violated, by how much,
    and where.
    """
    where = _place(check.where, trace) if check.where else ""
    verdict = ("holds" if check.holds else "violated") if check.applies else "does not apply"
    fact(f"verdict_on_{proposition.number}", (verdict, where))
    if not check.applies:
        alone = fact("one_token_alone", trace.sizes["T"] == 1)
        why = "one token alone has no other" if alone else "these tokens do not meet its condition"
        return f":gray-badge[does not apply] {why}"
    where = where and f" in {where}"
    if not check.holds:
        gap = f"by **{number(check.excess, 4)}**" if check.excess > 0 else "by a tie"
        return f":red-badge[violated] {gap}{where}"
    if check.excess > 0 or proposition.number in IDENTITIES:
        return f":green-badge[holds] {'up to rounding' if check.excess else 'exactly'}"
    return f":green-badge[holds] {_spare(check.excess)} at the closest{where}"


def _place(where: tuple[int, ...], trace: Trace) -> str:
    parts = [_names(trace)[i] for i in where]
    return f"row {parts[0]}" if len(parts) == 1 else f"row {parts[0]}, column {parts[1]}"


def _names(trace: Trace) -> list[str]:
    """Words in quotation marks; bare the place of a token of numbers, which quoted would look
    like its number.
    """
    return [name if name == str(i) else f"“{plain(name)}”" for i, name in enumerate(named(trace))]
