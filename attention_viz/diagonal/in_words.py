"""What the pages of the diagonal say about attention weights, and the numbers that measure them."""

from collections.abc import Sequence

from attention_core import Trace
from attention_lab.diagonal.facts import PairFacts
from attention_lab.diagonal.metrics import METRICS
from attention_lab.words.numbers import Number

from ..blocks import Table
from ..markdown import escape_markdown
from .self_attention_mass import token_names

PAIR_BOUND_VERDICTS = {"holds": "The pair bound **holds**", "fails": "The pair bound **fails**"}


def describe_pair(trace: Trace, facts: PairFacts) -> str:
    """The pinned pair: its probabilities, whether the bound holds, and the log cross-ratio."""
    names, own = quoted_names(trace), f"$a_{{ii}}$ = {facts.own}"
    row = names[facts.row]
    if facts.holds is None:
        return (
            f"**i = j = {row}**: {own}, margin {facts.margin}. Largest share of its row:"
            f" {facts.largest} for {names[facts.most or 0]}. Click a cell off the diagonal to look"
            " at a pair."
        )
    verdict, ratio = PAIR_BOUND_VERDICTS[facts.holds], number_or_dash(facts.ratio)
    return (
        f"**i = {row}, j = {names[facts.column]}**: $a_{{ij}}$ = {facts.share}, {own}, $a_{{jj}}$ ="
        f" {facts.other}. {verdict}: $a_{{ij}} - \\max(a_{{ii}}, a_{{jj}})$ = {facts.excess}. Log"
        f" cross-ratio $\\chi_{{ij}}$ = {ratio} (above 0: the two prefer themselves to each other)."
    )


def metric_table(measures: Sequence[Number | None]) -> Table:
    """Every measure with its number, formula and range, and what it means."""
    rows = [
        [
            f"**{one.title}** ${one.symbol}$",
            f"**{number_or_dash(measured)}**",
            f"${one.formula}$",
            f"${one.range}$",
            one.meaning,
        ]
        for one, measured in zip(METRICS, measures, strict=True)
    ]
    return Table(["measure", "here", "formula", "range", "what it says"], rows, words=True)


def number_or_dash(value: Number | None) -> str:
    """A number, or a dash where there is nothing to measure."""
    return "–" if value is None else str(value)


def quoted_names(trace: Trace) -> list[str]:
    """Words in quotation marks; the index of a token without a word stands bare."""
    quoted = [f"“{escape_markdown(name)}”" for name in token_names(trace)]
    return [str(i) if one == f"“{i}”" else one for i, one in enumerate(quoted)]
