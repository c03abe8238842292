"""The page *What a head is worth*: the output as a sum over heads, and what some of them do."""

from collections.abc import Sequence

from attention_lab.heads.facts import WorthFacts, worth_facts
from attention_lab.heads.head_worth import ablated_output
from attention_lab.notation.formulas import output_by_heads

from .. import blocks as b
from ..block_page import page_of_facts
from ..markdown import escape_markdown, quote_token
from ..page_choices import Several, by_name
from ..story.notes import answer_line
from ..story.story_view import StoryView
from . import head_worth as figures

MOST_FITTING = 12  # columns of a chart that fit the width of a phone


def _off(n_heads: int) -> Several:
    return Several(
        "off",
        "Heads that are switched off",
        (),
        by_name([str(head) for head in range(n_heads)]),
        help="A head that is off attends, but adds nothing to the output.",
    )


def _facts(view: StoryView, values: b.Values) -> WorthFacts:
    focus = view.focus.within(view.trace, "output")
    return worth_facts(view.trace, focus.head, focus.query, tuple(map(int, values["off"])))


def _blocks(view: StoryView, values: b.Values, facts: WorthFacts) -> Sequence[b.Block]:
    """The bars, what happens without some heads, and whose output it is. Raises:
    AttentionError.
    """
    trace, focus = view.trace, view.focus.within(view.trace, "output")
    n_heads = trace.sizes["H"]
    part = view.notation.of_head(view.notation.base("output"))
    wide = max(trace.sizes["T"], 5 * n_heads) > MOST_FITTING  # the legend takes room, too
    changes = figures.token_changes_board(trace, (focus.head, focus.query), view.notation)
    return [
        *answer_line(view, _answer(facts)),
        b.Chart(figures.stacked_output(trace, focus.feature), "worth stacked", wide=wide),
        b.Text(_sum_in_words(view, focus.feature, facts)),
        b.row(values, _off(n_heads)),
        *_without(view, facts),
        b.Board(changes, "worth changes"),
        b.caption(
            f"How far the output of each token moves when one head is off: $|{part}|$, token by"
            f" token. Without head {facts.head}, {quote_token(trace.labels('T'), focus.query)}"
            f" moves by {facts.moved}. Lengths add up only if all parts point in the same"
            " direction."
        ),
        b.Heading("Whose output is it?"),
        b.Beside(
            ([b.Chart(figures.head_shares(trace), "worth shares")], _shares(view, facts)), (3, 2)
        ),
    ]


LENGTH = "the length of what all heads add"
NO_SHARES = "Here the parts of all heads sum to 0, so there are no shares."


def _answer(facts: WorthFacts) -> str:
    """Which head the output has most and least of."""
    match facts.found:
        case "nothing":
            return NO_SHARES
        case "alone":
            return "This layer has one head. Without it nothing of this sum is left."
        case "equal":
            return (
                f"Without any one of its heads ({_named(facts.most_in)}) the output moves by"
                f" {facts.most} of {LENGTH}."
            )
    return (
        f"The output moves most without **head {_named(facts.most_in)}**: by {facts.most} of"
        f" {LENGTH}. It moves least without **head {_named(facts.least_in)}**: by"
        f" {facts.least}."
    )


def _named(heads: Sequence[int]) -> str:
    return " or ".join(map(str, heads))


def _sum_in_words(view: StoryView, column: int, facts: WorthFacts) -> str:
    trace, w_o = view.trace, view.written("w_o")
    sum_says = f"{w_o} mixes the heads, but the output is still a **sum**: each head adds its part."
    tick_says = f"the merged heads times {w_o}"
    formula = f" ${output_by_heads(view.notation)}$."
    if trace.projections.w_o is None:
        sum_says = f"This layer has no {w_o}: each head fills its own features of the output."
        tick_says, formula = "the merged heads", ""
    return (
        f"{sum_says}{formula} The bars show feature {column} of the output of every token, with a"
        " colour for each head. The tick is the output as the layer computes it:"
        f" {tick_says}{escape_markdown(trace.addition('output'))}. Over all tokens and features,"
        f" sums and outputs {facts.agree}."
    )


LEFT = {"input": "the input (residual)", "bias": "the bias", "0": "0"}
LEFT["bias and input"] = f"{LEFT['bias']}, {LEFT['input']}"


def _without(view: StoryView, facts: WorthFacts) -> list[b.Block]:
    """The output without the heads that are off."""
    if not (off := facts.off):
        return [b.caption("All heads are on. Switch one off: which tokens need it?")]
    trace, focus = view.trace, view.focus.within(view.trace, "output")
    without, n_features = ablated_output(trace, off.heads), trace.sizes["O"]
    moves = NO_SHARES
    if off.moved is not None:
        moves = f"The output moves by **{off.moved}** of {LENGTH}."
    says = f"Heads off: {', '.join(map(str, off.heads))}. {moves}"
    if off.left:
        says += f" With all heads off, what is left is: {LEFT[off.left]}."
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


def _shares(view: StoryView, facts: WorthFacts) -> list[b.Block]:
    """What the two shares are, their sums and rankings."""
    notation, sums = view.notation, NO_SHARES
    part = notation.of_head(whole := notation.base("output"))
    if facts.found != "nothing":
        sums = (
            f"Signed shares sum to {facts.signed_sum}, norm shares here to {facts.norm_sum}.\n\n"
            f"**Ranking** by signed share: {', '.join(map(str, facts.by_signed))}; by norm share:"
            f" {', '.join(map(str, facts.by_norm))}."
        )
    return [
        b.Text(
            f"**Signed share** $\\langle {part}, {whole}\\rangle / |{whole}|^2$: how much a head"
            " adds in the direction of the whole; negative if it works against it.\n\n**Norm"
            f" share** $|{part}| / |{whole}|$, never negative: how far the output moves without the"
            " head."
        ),
        b.Text(sums),
        b.caption(
            f"${whole}$ is the sum of what all heads add, without bias and residual. What a head is"
            " worth for a task is another question. Michel et al. 2019 removed heads from trained"
            " models: many are hardly missed, and some layers need only one. Voita et al. 2019"
            " pruned 38 of the 48 encoder heads of a translation model during further training, and"
            " lost 0.15 BLEU."
        ),
    ]


HEAD_WORTH = page_of_facts(
    "head-worth", lambda view: (_off(view.trace.sizes["H"]),), _facts, _blocks
)
