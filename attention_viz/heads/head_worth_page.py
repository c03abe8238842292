"""The page *What a head is worth*: the output as a sum over heads, and what some of them do."""

from __future__ import annotations

from collections.abc import Sequence

from attention_core import Trace
from attention_lab.heads.head_worth import (
    ablated_output,
    extremes,
    has_shares,
    norm_shares,
    ranking,
    signed_shares,
    token_changes,
)
from attention_lab.heads.reruns import relative_change
from attention_lab.heads.weight_blocks import output_gap
from attention_lab.notation.formulas import output_by_heads
from attention_lab.rounding import tolerance
from attention_lab.words.numbers import format_agreement, format_number, format_percent

from .. import blocks as b
from ..markdown import escape_markdown, quote_token
from ..story.notes import whose_weights
from ..story.story_view import StoryView
from . import head_worth as figures

MOST_FITTING = 12  # columns of a chart that fit the width of a phone


def _off(n_heads: int) -> b.Several:
    return b.Several(
        "off",
        "Heads that are switched off",
        (),
        b.by_name([str(head) for head in range(n_heads)]),
        help="A head that is off attends, but adds nothing to the output.",
    )


def _blocks(view: StoryView, values: b.Values) -> Sequence[b.Block]:
    """The bars, what happens without some heads, and whose output it is. Raises:
    AttentionError.
    """
    trace, focus = view.trace, view.focus.within(view.trace, "output")
    head, query, n_heads = focus.head, focus.query, trace.sizes["H"]
    off = tuple(map(int, values["off"]))
    moved = float(token_changes(trace)[0, head, query])
    part = view.notation.of_head(view.notation.base("output"))
    wide = max(trace.sizes["T"], 5 * n_heads) > MOST_FITTING  # the legend takes room, too
    changes = figures.token_changes_board(trace, (head, query), view.notation)
    return [
        b.Text(_answer(trace)),
        *whose_weights(view),
        b.Chart(figures.stacked_output(trace, focus.feature), "worth stacked", wide=wide),
        b.Text(_sum_in_words(view, focus.feature)),
        b.row(values, _off(n_heads)),
        *_without(view, off),
        b.Board(changes, "worth changes"),
        b.caption(
            f"How far the output of each token moves when one head is off: $|{part}|$, token by"
            f" token. Without head {head}, {quote_token(trace.labels('T'), query)} moves by"
            f" {format_number(moved)}. Lengths add up only if all parts point in the same"
            " direction."
        ),
        b.Heading("Whose output is it?"),
        b.Beside(([b.Chart(figures.head_shares(trace), "worth shares")], _shares(view)), (3, 2)),
    ]


def _answer(trace: Trace) -> str:
    """Which head the output has most and least of."""
    if not has_shares(trace):
        return "Here the parts of all heads sum to 0, so there are no shares."
    norms = norm_shares(trace)[0]
    found = extremes(norms)
    most, least = (format_percent(float(norms[heads[0]])) for heads in (found.most, found.least))
    if len(norms) == 1:
        return "This layer has one head. Without it nothing of this sum is left."
    if found.are_equal:
        return (
            f"Without any one of its heads ({_named(found.most)}) the output moves by {most} of its"
            " length."
        )
    return (
        f"The output moves most without **head {_named(found.most)}**: by {most} of its length. It"
        f" moves least without **head {_named(found.least)}**: by {least}."
    )


def _named(heads: Sequence[int]) -> str:
    return " or ".join(map(str, heads))


def _sum_in_words(view: StoryView, column: int) -> str:
    trace, w_o = view.trace, view.written("w_o")
    sum_says = f"{w_o} mixes the heads, but the output is still a **sum**: each head adds its part."
    tick_says = f"the merged heads times {w_o}"
    formula = f" ${output_by_heads(view.notation)}$."
    if trace.projections.w_o is None:
        sum_says = f"This layer has no {w_o}: each head fills its own features of the output."
        tick_says, formula = "the merged heads", ""
    agreement = format_agreement(output_gap(trace), tolerance(trace, "output"))
    return (
        f"{sum_says}{formula} The bars show feature {column} of the output of every token, with a"
        " colour for each head. The tick is the output as the layer computes it:"
        f" {tick_says}{escape_markdown(trace.addition('output'))}. Over all tokens and features,"
        f" sums and outputs {agreement}."
    )


def _without(view: StoryView, off: Sequence[int]) -> list[b.Block]:
    """The output without the heads that are off."""
    trace, focus = view.trace, view.focus.within(view.trace, "output")
    if not off:
        return [b.caption("All heads are on. Switch one off: which tokens need it?")]
    without, n_features = ablated_output(trace, off), trace.sizes["O"]
    moved = relative_change(trace.output, without)
    says = (
        f"Heads off: {', '.join(map(str, off))}. The output moves by **{format_percent(moved)}** of"
        " its length."
    )
    if len(off) == trace.sizes["H"]:
        says += f" With all heads off, what is left is: {figures.describe_remainder(trace)}."
    cell = (focus.query, focus.feature)
    board = figures.ablation_board(trace, without[0], cell, view.notation)
    first = figures.first_column(focus.feature)
    places = [
        {"query": query, "feature": first + column}
        for query in range(trace.sizes["T"])
        for column in range(min(figures.MAX_ABLATION_COLUMNS, n_features - first))
    ]
    blocks: list[b.Block] = [
        b.Text(says),
        b.Board(board, "worth ablation", clicks=dict.fromkeys(board["arrays"], places)),
    ]
    if n_features > figures.MAX_ABLATION_COLUMNS:
        shown = f"{figures.MAX_ABLATION_COLUMNS} of {n_features}"
        blocks.append(b.caption(f"Columns shown: {shown}, around the feature in focus."))
    return blocks


def _shares(view: StoryView) -> list[b.Block]:
    """What the two shares are, their sums and rankings."""
    trace, notation = view.trace, view.notation
    part = notation.of_head(whole := notation.base("output"))
    return [
        b.Text(
            f"**Signed share** $\\langle {part}, {whole}\\rangle / |{whole}|^2$: how much a head"
            " adds in the direction of the whole; negative if it works against it.\n\n**Norm"
            f" share** $|{part}| / |{whole}|$, never negative: how far the output moves without the"
            " head."
        ),
        b.Text(_sums_of_shares(trace)),
        b.caption(
            f"${whole}$ is the sum of what all heads add, without bias and residual. What a head is"
            " worth for a task is another question. Michel et al. 2019 removed heads from trained"
            " models: many are hardly missed, and some layers need only one. Voita et al. 2019"
            " pruned 38 of the 48 encoder heads of a translation model during further training, and"
            " lost 0.15 BLEU."
        ),
    ]


def _sums_of_shares(trace: Trace) -> str:
    if not has_shares(trace):
        return "Here the parts of all heads sum to 0, so there are no shares."
    signed, norms = signed_shares(trace)[0], norm_shares(trace)[0]
    return (
        f"Signed shares sum to {format_number(float(signed.sum()), 6)}, norm shares here to"
        f" {format_number(float(norms.sum()), 3)}.\n\n**Ranking** by signed share:"
        f" {', '.join(map(str, ranking(signed)))}; by norm share:"
        f" {', '.join(map(str, ranking(norms)))}."
    )


HEAD_WORTH = b.BlockPage("head-worth", lambda view: (_off(view.trace.sizes["H"]),), _blocks)
