"""The page *All heads*: what each attends to, side by side, as one matrix, and as lines."""

from __future__ import annotations

from collections.abc import Sequence

from attention_lab.heads.keys_read import maximum_of_heads, mean_of_heads

from .. import blocks as b
from ..markdown import quote_token
from ..story.story_view import StoryView
from .all_heads import (
    MATRIX_FIELDS,
    combined_heads_board,
    habit_table,
    heads_grid,
    key_board,
    query_board,
    what_an_average_hides,
    who_reads,
)
from .attention_lines import MAX_DRAWN_LINES, attention_lines

SHOWN = b.Select(
    "heads_stage", "What is shown", "probabilities", b.by_name(MATRIX_FIELDS), "buttons"
)
MERGED, ROW_AND_COLUMN, LINES = "Mean and maximum", "Row and column", "Lines"
TOGETHER = b.Select(
    "heads_view",
    "The heads together",
    MERGED,
    b.by_name([MERGED, ROW_AND_COLUMN, LINES]),
    "buttons",
)
LINE_DESCRIPTIONS = {
    "query": "Lines from the query in focus.",
    "key": "Lines to the key in focus.",
    "all": "Lines from all queries to all keys.",
}
LINES_OF = b.Select("heads_lines", "Lines of", "query", b.by_name(LINE_DESCRIPTIONS), "buttons")
SCALE_LABELS = {False: "Each head its own scale", True: "One scale for all heads"}
ABOUT_SCALE = "With its own scale, the strongest cell of each head has the strongest colour."


def _only(view: StoryView) -> b.Several:
    return b.Several(
        "subset",
        "Only these heads",
        (),
        b.by_name([str(head) for head in range(view.trace.sizes["H"])]),
        help="With no choice, all heads are shown.",
    )


def _choices(view: StoryView) -> Sequence[b.Choice]:
    return SHOWN, _only(view), TOGETHER, LINES_OF


def _blocks(view: StoryView, values: b.Values) -> Sequence[b.Block]:
    """What each head attends to, side by side and together. Raises: AttentionError."""
    trace, cell = view.trace, view.focus.cell("query", "key")
    heads = tuple(map(int, values["subset"])) or tuple(range(trace.sizes["H"]))
    scale = b.Button(SCALE_LABELS[view.own_scale], {"own_scale": not view.own_scale}, ABOUT_SCALE)
    field = MATRIX_FIELDS[values["heads_stage"]]
    together = {MERGED: _merged, ROW_AND_COLUMN: _row_and_column, LINES: _lines}
    return [
        b.Text(
            "Each matrix is one head. All heads read the same sentence; the colour of a cell shows"
            " how much its query reads from its key."
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
            " token, on average; half or more is bold. *Effective tokens* are e to the"
            " [entropy](glossary?glossary_words=entropy) of the shares: that many tokens with equal"
            " shares have the same entropy."
        ),
        habit_table(trace, heads),
        b.Heading("The heads together"),
        b.row(values, TOGETHER),
        *together[values["heads_view"]](view, values, heads),
    ]


def _merged(view: StoryView, values: b.Values, heads: Sequence[int]) -> list[b.Block]:
    field = MATRIX_FIELDS[values["heads_stage"]]
    array = getattr(view.trace, field)[0]
    merged = {"mean": mean_of_heads(array, heads), "maximum": maximum_of_heads(array, heads)}
    cell = view.focus.cell("query", "key")
    board = combined_heads_board(view.trace, field, merged, cell, view.notation)
    blocks: list[b.Block] = [b.Board(board, "heads together")]
    if hidden := what_an_average_hides(view.trace, heads):
        blocks.append(b.Note(f"**An average hides what heads are for.** {hidden}"))
    return blocks


def _row_and_column(view: StoryView, _: b.Values, heads: Sequence[int]) -> list[b.Block]:
    trace, cell = view.trace, view.focus.cell("query", "key")
    query = quote_token(trace.labels("T"), view.focus.query)
    key = quote_token(trace.labels("S"), view.focus.key)
    of_query, of_key = who_reads(trace, cell, query, key)
    rows: list[b.Block] = [
        b.Text(f"**What does :blue[{query}] read?** {of_query}"),
        b.Board(query_board(trace, *cell, view.notation), "heads query"),
    ]
    columns: list[b.Block] = [
        b.Text(f"**Who reads :red[{key}]?** {of_key}"),
        b.Board(key_board(trace, *cell, view.notation), "heads key"),
    ]
    return [b.Beside((rows, columns), (1, 1))]


def _lines(view: StoryView, values: b.Values, heads: Sequence[int]) -> list[b.Block]:
    which, focus = values["heads_lines"], view.focus
    figure, left_out = attention_lines(view.trace, heads, which, focus.query, focus.key)
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


ALL_HEADS = b.BlockPage("all-heads", _choices, _blocks)
