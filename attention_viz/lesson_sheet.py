"""Sheets that a teacher prints: a lesson with goals, notes, answers and tasks; empty boards."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from attention_core import STEPS, Trace
from attention_core.checks import Array
from attention_lab.lessons.lesson import Lesson, LessonQuestion, LessonTask, Moment

from .handout import quotations_html, sheet_page
from .labels import format_number

LESSON_STYLE = """
h2 { font-size: 1.1rem; break-after: avoid; }
small { opacity: 0.8; }
table { border-collapse: collapse; margin: 0.3rem 0 1rem; break-inside: avoid; }
td, th { border: 1px solid; min-width: 2.6rem; height: 1.7rem; padding: 0 0.3rem; }
td { text-align: right; }
th { border: 0; font-weight: 400; }
.boards { display: flex; flex-wrap: wrap; gap: 0 2rem; align-items: flex-end; }
"""
MAX_BOARD_CELLS = 16  # rows or columns
# The steps of one head that students fill in.
EMPTY_FIELDS = (
    "query_heads",
    "key_heads",
    "value_heads",
    "scores",
    "scaled_scores",
    "probabilities",
)


def lesson_sheet(lesson: Lesson, link: str) -> str:
    """The teacher's sheet of a lesson as one HTML page. link: opens the lesson."""
    goals = "".join(f"<li>{quotations_html(goal)}</li>" for goal in lesson.goals)
    asked = [lesson.question_at(place) for place in range(len(lesson.moments))]
    moments = "".join(map(_moment, lesson.moments, asked))
    tasks = "".join(map(_task, lesson.tasks))
    body = f"""<h1>{escape(lesson.title)}</h1>
<p>{lesson.minutes} minutes, {len(lesson.moments)} moments. Open it with
<code>{escape(link)}</code>; Page down goes on, Page up goes back.</p>
{f"<h2>Afterwards students can</h2><ul>{goals}</ul>" if goals else ""}
<h2>Moments</h2><ol>{moments}</ol>
{f"<h2>Tasks</h2><ol>{tasks}</ol>" if tasks else ""}"""
    return sheet_page(lesson.title, LESSON_STYLE, body)


def _moment(moment: Moment, question: LessonQuestion | None) -> str:
    lines = [f"<b>{escape(moment.title)}</b> <small>({escape(moment.page)})</small>"]
    if moment.text:
        lines.append(quotations_html(moment.text))
    if question:
        options = " · ".join(map(escape, question.options))
        lines.append(f"<i>Question:</i> {quotations_html(question.ask)} {options}")
        lines.append(f"<i>Answer:</i> {_right(question)}{quotations_html(question.why)}")
    if moment.note:
        lines.append(f"<i>Note:</i> {quotations_html(moment.note)}")
    return f"<li>{'<br>'.join(lines)}</li>\n"


def _right(question: LessonQuestion) -> str:
    if not question.options:
        return ""
    return f"<b>{escape(question.options[question.right])}.</b> "


def _task(task: LessonTask) -> str:
    mistakes = ""
    if task.mistakes:
        mistakes = f"<br><i>Typical mistake:</i> {quotations_html(task.mistakes)}"
    expected = f"<i>Expected:</i> {quotations_html(task.answer)}"
    return f"<li>{quotations_html(task.task)}<br>{expected}{mistakes}</li>\n"


def blank_boards(trace: Trace, head: int, made_of: str) -> str:
    """The matrices of a layer to fill in on paper: inputs and weights with numbers, results empty.

    head: the head to work out. made_of: the layer in words. Only the first 16 tokens and features
    are included.
    """
    weights = trace.projections
    width, given = weights.d_k, [_table("X, the inputs", trace.labels("T"), trace.inputs[0])]
    columns = slice(head * width, (head + 1) * width)
    group = head * trace.sizes["G"] // trace.sizes["H"]
    shared = slice(group * width, (group + 1) * width)
    values = slice(group * weights.d_v, (group + 1) * weights.d_v)
    rows = trace.labels("D")
    given += [
        _table(f"W_Q, head {head}", rows, weights.w_q[:, columns]),
        _table(f"W_K, head {head}", rows, weights.w_k[:, shared]),
        _table(f"W_V, head {head}", rows, weights.w_v[:, values]),
    ]
    empty = [
        _table(
            f"{STEPS[name].title}, head {head}", trace.labels("T"), None, shape=_shape(trace, name)
        )
        for name in (*EMPTY_FIELDS, "head_outputs")
    ]
    body = f"""<h1>Attention by hand: boards to fill in</h1>
<p>{quotations_html(made_of)}</p>
<p>Scores are multiplied by {format_number(trace.scale)}.</p>
<h2>Given</h2><div class="boards">{"".join(given)}</div>
<h2>To work out</h2><div class="boards">{"".join(empty)}</div>"""
    return sheet_page("Boards to fill in", LESSON_STYLE, body)


def _shape(trace: Trace, name: str) -> tuple[int, int]:
    n_rows, n_columns = getattr(trace, name).shape[-2:]
    return n_rows, n_columns


def _table(
    title: str, rows: Sequence[str], values: Array | None, shape: tuple[int, int] = (0, 0)
) -> str:
    """A matrix as an HTML table, with its numbers or with empty cells."""
    n_rows, n_columns = shape if values is None else values.shape
    lines = []
    for row in range(min(n_rows, MAX_BOARD_CELLS)):
        shown = range(min(n_columns, MAX_BOARD_CELLS))
        cells = "".join(
            f"<td>{'' if values is None else format_number(float(values[row, column]))}</td>"
            for column in shown
        )
        lines.append(f"<tr><th>{escape(rows[row])}</th>{cells}</tr>")
    return f"<div><b>{escape(title)}</b><table>{''.join(lines)}</table></div>"
