"""The page *All heads*: what each attends to, side by side, as one matrix, and as lines."""

from collections.abc import Sequence

from attention_core import STEPS
from attention_lab.heads.facts import (
    AllHeadsFacts,
    CellFacts,
    average_facts,
    cell_facts,
)
from attention_lab.heads.habits import all_habits
from attention_lab.heads.keys_read import (
    MAX_DRAWN_LINES,
    AveragingEffect,
    maximum_of_heads,
    mean_of_heads,
    strongest_lines,
)
from attention_lab.words.numbers import Count

from .. import blocks as b
from ..block_page import page_of_facts
from ..markdown import quote_token
from ..page_choices import Choice, Select, Several, by_name
from ..story.story_view import StoryView
from .all_heads import (
    MATRIX_FIELDS,
    combined_heads_board,
    habit_table,
    heads_grid,
    key_board,
    query_board,
)
from .attention_lines import attention_lines

SHOWN = Select("heads_stage", "What is shown", "probabilities", by_name(MATRIX_FIELDS), "buttons")
VIEWS = ("Mean and maximum", "Row and column", "Lines")
TOGETHER = Select("heads_view", "The heads together", VIEWS[0], by_name(VIEWS), "buttons")
LINE_DESCRIPTIONS = {
    "query": "Lines from the query in focus.",
    "key": "Lines to the key in focus.",
    "all": "Lines from all queries to all keys.",
}
LINES_OF = Select("heads_lines", "Lines of", "query", by_name(LINE_DESCRIPTIONS), "buttons")
SCALE_LABELS = {False: "Each head its own scale", True: "One scale for all heads"}
ABOUT_SCALE = "With its own scale, the strongest cell of each head has the strongest colour."


def _only(view: StoryView) -> Several:
    return Several(
        "subset",
        "Only these heads",
        (),
        by_name([str(head) for head in range(view.trace.sizes["H"])]),
        help="With no choice, all heads are shown.",
    )


def _choices(view: StoryView) -> Sequence[Choice]:
    return SHOWN, _only(view), TOGETHER, LINES_OF


def _heads(view: StoryView, values: b.Values) -> tuple[int, ...]:
    return tuple(map(int, values["subset"])) or tuple(range(view.trace.sizes["H"]))


def _facts(view: StoryView, values: b.Values) -> AllHeadsFacts:
    trace, focus, heads = view.trace, view.focus, _heads(view, values)
    habits = all_habits(trace, heads)
    match values["heads_view"]:
        case "Row and column":
            return AllHeadsFacts(habits, cell=cell_facts(trace, focus.cell("query", "key")))
        case "Lines":
            chosen, place = trace.probabilities[0, list(heads)], (focus.query, focus.key)
            lines = strongest_lines(chosen, values["heads_lines"], *place)
            return AllHeadsFacts(habits, left_out=Count(lines.left_out))
    return AllHeadsFacts(habits, average=average_facts(trace, heads))


COLOURS = {
    "probability": "the colour of a cell shows how much its query reads from its key",
    "logit": "the colour of a cell shows the score of its query and its key",
}


def _blocks(view: StoryView, values: b.Values, facts: AllHeadsFacts) -> Sequence[b.Block]:
    """What each head attends to, side by side and together. Raises: AttentionError."""
    cell, heads = view.focus.cell("query", "key"), _heads(view, values)
    scale = b.Button(SCALE_LABELS[view.own_scale], {"own_scale": not view.own_scale}, ABOUT_SCALE)
    field = MATRIX_FIELDS[values["heads_stage"]]
    if facts.cell:
        together = _row_and_column(view, facts.cell)
    elif facts.left_out is not None:
        together = _lines(view, values, heads, facts.left_out)
    else:
        together = _merged(view, field, heads, facts.average)
    return [
        b.Text(
            "Each matrix is one head. All heads read the same sentence;"
            f" {COLOURS[STEPS[field].kind]}."
        ),
        b.Row((*b.row(values, SHOWN).items, scale, b.Field(_only(view), values["subset"]))),
        b.Board(heads_grid(view.stage, field, heads, cell=cell), "heads grid"),
        b.caption(
            "Point at a cell, or reach it with Tab and the arrow keys: the same cell is marked in"
            " every head. A click or Enter moves the focus to it."
        ),
        b.Heading("What each head does"),
        b.Text(
            "Shares that a token reads from itself, from the token before it and from the first"
            " token, on average; the largest is bold if it is half or more. *Effective tokens* are"
            " e to the [entropy](glossary?glossary_words=entropy) of the shares: that many tokens"
            " with equal shares have the same entropy."
        ),
        habit_table(facts.habits),
        b.Heading("The heads together"),
        b.row(values, TOGETHER),
        *together,
    ]


def _merged(
    view: StoryView, field: str, heads: Sequence[int], facts: AveragingEffect | None
) -> list[b.Block]:
    array = getattr(view.trace, field)[0]
    merged = {"mean": mean_of_heads(array, heads), "maximum": maximum_of_heads(array, heads)}
    cell = view.focus.cell("query", "key")
    board = combined_heads_board(view.trace, field, merged, cell, view.notation)
    blocks: list[b.Block] = [b.Board(board, "heads together")]
    if facts:
        says = (
            "**An average hides what heads are for.** In one head a query spreads its attention"
            f" over {facts.in_a_head} tokens, in the mean of the heads over {facts.in_the_mean}"
            " (effective tokens): heads that look at different tokens have a mean that seems to"
            " look everywhere. The maximum keeps the peaks of every head, but its numbers are no"
            f" distribution: for one query they sum to {facts.largest_sum}."
        )
        blocks.append(b.Note(says))
    return blocks


def _row_and_column(view: StoryView, facts: CellFacts) -> list[b.Block]:
    trace, cell = view.trace, view.focus.cell("query", "key")
    query = quote_token(trace.labels("T"), view.focus.query)
    key = quote_token(trace.labels("S"), view.focus.key)
    why = {"1": " in every head", "0": ": it may see no key", "less": ": the sink takes the rest"}
    sums = f"Its shares sum to {' to '.join(map(str, facts.sums))}{why[facts.row]}."
    rows: list[b.Block] = [
        b.Text(f"**What does :blue[{query}] read?** {sums}"),
        b.Board(query_board(trace, *cell, view.notation), "heads query"),
    ]
    columns: list[b.Block] = [
        b.Text(
            f"**Who reads :red[{key}]?** The shares of all queries for it can have any sum. In head"
            f" {facts.head} they sum to {facts.column}; {query} gives {key} {facts.share} of its"
            " attention."
        ),
        b.Board(key_board(trace, *cell, view.notation), "heads key"),
    ]
    return [b.Beside((rows, columns), (1, 1))]


def _lines(
    view: StoryView, values: b.Values, heads: Sequence[int], left_out: Count
) -> list[b.Block]:
    which, focus = values["heads_lines"], view.focus
    figure = attention_lines(view.trace, heads, which, focus.query, focus.key)
    return [
        b.row(values, LINES_OF),
        b.Chart(figure, "heads lines", wide=True),
        b.caption(
            f"{LINE_DESCRIPTIONS[which]} :blue[Queries] are on the left, :red[keys] on the right. A"
            " wider line is a larger share; point at its dot to read the share. A click on a head"
            f" in the legend hides or shows its lines. At most {MAX_DRAWN_LINES} lines are drawn;"
            f" weaker lines left out: {left_out}."
        ),
    ]


ALL_HEADS = page_of_facts("all-heads", _choices, _facts, _blocks)
