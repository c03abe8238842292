"""The page *Construct*: tasks to build a head by hand, judged by running the layer."""

from collections.abc import Sequence

from attention_lab.construct import HEAD_TASKS, Construction, construction
from attention_lab.presets import widget_values

from .. import blocks as b
from ..block_page import page_of_facts
from ..page_choices import Choice, Select, by_name
from ..payload import JSON
from ..story.per_head import softmax_board
from ..story.products import output_board, projection_board
from ..story.story_view import StoryView

TASKS = {task.title: task for task in HEAD_TASKS.values()}
MATRICES = {"w_q": "W_Q", "w_k": "W_K", "w_v": "W_V", "w_o": "W_O"}
PROJECTED_FIELDS = {"w_q": "queries", "w_k": "keys", "w_v": "values"}
TASK = Select(
    "construct_task", "Task", next(iter(TASKS)), by_name(TASKS), resets=("construct_matrix",)
)


def _choices(_: StoryView, task: str) -> Sequence[Choice]:
    first = TASKS[task].matrix
    return (Select("construct_matrix", "Matrix to edit", first, MATRICES, "buttons"),)


def _facts(view: StoryView, values: b.Values) -> Construction:
    return construction(TASKS[values[TASK.key]], view.trace)


def _blocks(view: StoryView, values: b.Values, facts: Construction) -> Sequence[b.Block]:
    task, matrix = TASKS[values[TASK.key]], values["construct_matrix"]
    (edited,) = _choices(view, task.title)
    is_start = view.scenario == task.start
    start = b.Button(
        "This is the start" if is_start else "Start from here",
        widget_values(task.start),
        "Sets every control and takes back all edits.",
        "start",
        is_off=is_start,
    )
    shares = softmax_board(view.stage, view.focus.cell("query", "key"))
    return [
        b.Row((*b.row(values, TASK, edited).items, start)),
        b.Text(
            f"**{facts.goal}** {facts.hint} **Click a cell of {MATRICES[matrix]} and type a"
            " number.**"
        ),
        *_verdict(facts),
        b.Board(_board(view, matrix) | {"player": False}, f"construct {matrix}", fits=True),
        b.caption(
            "Cells of X take numbers, too. The URL holds every edit, so a link shows what you have"
            " built. *Own numbers* in the sidebar takes edits back."
        ),
        b.Heading("What the heads look at now"),
        b.Board(shares | {"player": False}, "construct shares", fits=True),
    ]


def _verdict(facts: Construction) -> list[b.Block]:
    """What is there, and what is missing."""
    blocks: list[b.Block] = []
    if facts.done:
        blocks.append(b.Note("Done: the layer does what was asked.", "right"))
    for part in facts.parts:
        missing = f" **Missing:** {part.missing}" if part.missing else ""
        blocks.append(b.Text(f"{'✓' if part.done else '○'} {part.goal}{missing}"))
    return blocks


def _board(view: StoryView, matrix: str) -> JSON:
    """The product in which the matrix takes part."""
    trace, focus = view.trace, view.focus
    if matrix == "w_o":
        place = focus.within(trace, "output")
        return output_board(view.stage, place.query, place.feature)
    field = PROJECTED_FIELDS[matrix]
    feature = focus.within(trace, field).feature
    return projection_board(view.stage, field, (focus.head, focus.query, feature))


CONSTRUCT = page_of_facts("construct", _choices, _facts, _blocks, TASK)
