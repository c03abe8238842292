"""Sheets to print, each one HTML file: a lesson, empty boards, a form of the test and questions to
work out by hand, with the answers on a sheet of their own.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from html import escape

import numpy as np

from attention_core import STEPS, Trace
from attention_core.checks import Array
from attention_lab.before_and_after import (
    form_description,
    form_layer,
    form_questions,
    question_operands,
)
from attention_lab.guesses import Guess
from attention_lab.lessons.lesson import Lesson, LessonTask, Moment
from attention_lab.quiz import Question
from attention_lab.words.numbers import format_number

from .handout import SHEET_STYLE, packed_page, quotations_html, sheet_page
from .story.story_file import moment_pictures

LESSON_STYLE = """
h2 { font-size: 1.1rem; break-after: avoid; }
small { opacity: 0.8; }
table { border-collapse: collapse; margin: 0.3rem 0 1rem; break-inside: avoid; }
td, th { border: 1px solid; min-width: 2.6rem; height: 1.7rem; padding: 0 0.3rem; }
td { text-align: right; }
th { border: 0; font-weight: 400; }
.picture { break-inside: avoid; margin: 0.4rem 0; }
.picture.layer { zoom: 0.667; }
.picture .dock { display: none; }
.write { border-bottom: 1px solid; height: 1.6rem; margin: 0; }
.options { display: flex; flex-wrap: wrap; gap: 0.2rem 1.4rem; padding: 0; list-style: none; }
.boards { display: flex; flex-wrap: wrap; gap: 0 2rem; align-items: flex-end; }
"""
MAX_BOARD_CELLS, MAX_BOARD_HEADS = 16, 4  # rows or columns; heads
FORM_STYLE = """
table { display: inline-table; margin: 0.3rem 1.2rem 0.3rem 0; border-collapse: collapse; }
caption { text-align: start; font-size: 0.85rem; }
td { border: 1px solid; padding: 0.05rem 0.45rem; text-align: end; }
.options { display: flex; flex-wrap: wrap; gap: 0.2rem 1.4rem; padding: 0; list-style: none; }
.options li { margin: 0; }
.key { break-before: page; }
"""
WORKSHEET_TITLE = "Multi-head attention by hand"
WORKSHEET_STYLE = """
.given { font-size: 0.85rem; margin: 0.3rem 0; }
.blank { border-bottom: 1px solid; display: inline-block; width: 9rem; }
.answers { break-before: page; }
"""


WITHOUT_NETWORK = (
    "If the network fails: save the students’ page before the lesson. It is one file that needs no"
    " network, with every question and its answer. Vote by hands, or by cards A to D; count aloud,"
    " let neighbours talk, and vote again."
)


def lesson_sheet(lesson: Lesson, link: str) -> str:
    """The teacher's sheet of a lesson as one HTML page, with a picture of each moment at a step.
    link: opens the lesson.
    """
    goals = "".join(f"<li>{quotations_html(goal)}</li>" for goal in lesson.goals)
    pictured, pictures = moment_pictures(lesson)
    moments = "".join(
        _moment(moment, lesson.question_at(place), pictured.get(place))
        for place, moment in enumerate(lesson.moments)
    )
    tasks = "".join(map(_task, lesson.tasks))
    needs = f"<p>Students need: {quotations_html(lesson.needs)}</p>" if lesson.needs else ""
    body = f"""<h1>{escape(lesson.title)}</h1>
<p>{lesson.minutes} minutes, {len(lesson.moments)} moments. Open it with
<code>{escape(link)}</code>; Page down shows the answer, uncovers the picture and goes on, Page up
goes back.</p>
{needs}
{f"<h2>Afterwards students can</h2><ul>{goals}</ul>" if goals else ""}
<h2>Moments</h2><ol>{moments}</ol>
{f"<h2>Tasks</h2><ol>{tasks}</ol>" if tasks else ""}
<h2>Without a network</h2><p>{WITHOUT_NETWORK}</p>"""
    style = SHEET_STYLE + LESSON_STYLE
    return packed_page(lesson.title, style, body, "sheet.js", {"pictures": pictures})


def _moment(moment: Moment, question: Question | None, picture: int | None) -> str:
    minutes = f", {moment.minutes} minutes" if moment.minutes else ""
    lines = [f"<b>{escape(moment.title)}</b> <small>({escape(moment.page)}{minutes})</small>"]
    if moment.text:
        lines.append(quotations_html(moment.text))
    if question:
        options = " · ".join(escape(one.label) for one in question.options)
        lines.append(f"<i>Question:</i> {quotations_html(question.text)} {options}")
        lines.append(f"<i>Answer:</i> {_right(question)}{quotations_html(question.why)}")
    if moment.note:
        lines.append(f"<i>Note:</i> {quotations_html(moment.note)}")
    place = "" if picture is None else f'<div class="picture" data-picture="{picture}"></div>'
    return f"<li>{'<br>'.join(lines)}{place}</li>\n"


def task_sheet(lesson: Lesson) -> str:
    """The sheet of a lesson for students, without answers: its questions to mark, its tasks with
    lines to write on.
    """
    asked = [lesson.question_at(place) for place in range(len(lesson.moments))]
    questions = "".join(f"<li>{_to_mark(one)}</li>\n" for one in asked if one)
    tasks = "".join(
        f"<li>{quotations_html(one.task)}{'<p class=write></p>' * 3}</li>\n" for one in lesson.tasks
    )
    body = f"""<h1>{escape(lesson.title)}</h1>
<p>Name: ____________________</p>
{f"<h2>Guess first</h2><ol>{questions}</ol>" if questions else ""}
{f"<h2>Tasks</h2><ol>{tasks}</ol>" if tasks else ""}"""
    return sheet_page(lesson.title, LESSON_STYLE, body)


def _to_mark(question: Question) -> str:
    options = "".join(f"<li>☐ {quotations_html(one.label)}</li>" for one in question.options)
    room = f'<ul class="options">{options}</ul>' if options else "<p class=write></p>"
    return f"{quotations_html(question.text)}{room}"


def _right(question: Question) -> str:
    return f"<b>{escape(question.answer)}.</b> " if question.options else ""


def _task(task: LessonTask) -> str:
    lines = [quotations_html(task.task), f"<i>Expected:</i> {quotations_html(task.answer)}"]
    if task.mistakes:
        lines.append(f"<i>Typical mistake:</i> {quotations_html(task.mistakes)}")
    return f"<li>{'<br>'.join(lines)}</li>\n"


def blank_boards(trace: Trace, made_of: str) -> str:
    """The matrices of a layer to fill in on paper: inputs and weights with numbers, the results of
    all its heads and after them empty.

    made_of: the layer in words. Only the first 16 tokens and features, and 4 heads, are included.
    """
    heads = range(min(trace.sizes["H"], MAX_BOARD_HEADS))
    given = [_table("X, the inputs", trace.labels("T"), trace.inputs[0])]
    given += [table for head in heads for table in _given_of(trace, head)]
    if trace.projections.w_o is not None:
        given.append(_table("W_O", trace.labels("M"), trace.projections.w_o))
    empty = [table for head in heads for table in _empty_of(trace, head)]
    labels = trace.labels("T")
    for name in ("merged", "output"):
        empty.append(_table(STEPS[name].title, labels, getattr(trace, name)[0], is_empty=True))
    body = f"""<h1>Attention by hand: boards to fill in</h1>
<p>{quotations_html(made_of)}</p>
<p>Scores are multiplied by {format_number(trace.scale)}.</p>
<h2>Given</h2><div class="boards">{"".join(given)}</div>
<h2>To work out</h2><div class="boards">{"".join(empty)}</div>"""
    return sheet_page("Boards to fill in", LESSON_STYLE, body)


def _given_of(trace: Trace, head: int) -> list[str]:
    """The weights of a head; heads of a group share those of keys and values."""
    p, group = trace.projections, head * trace.sizes["G"] // trace.sizes["H"]
    tables = []
    for letter, w, b, part, width in (
        ("Q", p.w_q, p.b_q, head, p.d_k),
        ("K", p.w_k, p.b_k, group, p.d_k),
        ("V", p.w_v, p.b_v, group, p.d_v),
    ):
        columns = slice(part * width, (part + 1) * width)
        tables.append(_table(f"W_{letter}, head {head}", trace.labels("D"), w[:, columns]))
        if b is not None:
            tables.append(_table(f"b_{letter}, head {head}", ("",), b[np.newaxis, columns]))
    return tables


def _empty_of(trace: Trace, head: int) -> list[str]:
    return [
        _table(
            f"{STEPS[name].title}, head {head}",
            trace.labels("T"),
            getattr(trace, name)[0, 0],
            is_empty=True,
        )
        for name in trace.steps
        if STEPS[name].per_head and (name != "masked_scores" or _has_mask(trace))
    ]


def _has_mask(trace: Trace) -> bool:
    return not np.array_equal(trace.masked_scores, trace.scaled_scores)


def _table(title: str, rows: Sequence[str], matrix: Array, *, is_empty: bool = False) -> str:
    """The beginning of a matrix as an HTML table, with its numbers or with empty cells."""
    texts = matrix_text(matrix[:MAX_BOARD_CELLS, :MAX_BOARD_CELLS], 3)
    if is_empty:
        texts = [[""] * len(row) for row in texts]
    labelled = zip(rows, texts, strict=False)
    lines = "".join(f"<tr><th>{escape(label)}</th>{_cells(row)}</tr>" for label, row in labelled)
    return f"<div><b>{escape(title)}</b><table>{lines}</table></div>"


def _cells(texts: Iterable[str]) -> str:
    return "".join(f"<td>{escape(text)}</td>" for text in texts)


def matrix_text(matrix: Array, decimals: int = 2) -> list[list[str]]:
    """The numbers of a matrix as texts; whole numbers have no decimals."""
    return [
        [format_number(n, 0) if float(n).is_integer() else format_number(n, decimals) for n in row]
        for row in matrix
    ]


@lru_cache(maxsize=2)
def form_sheet(form: str) -> str:
    """The page of a form."""
    asked = form_questions(form)
    body = f"""<h1>Multi-head attention, form {escape(form)}</h1>
<p>Name: ____________________ &emsp; Mark one answer to each question.</p>
<p>{escape(form_description(form))}</p>
<ol>{"".join(_form_question(form, guess) for guess in asked)}</ol>
<h1 class="key">Key of form {escape(form)}</h1>
<ol>{"".join(f"<li>{escape(_key(guess))}</li>" for guess in asked)}</ol>"""
    return sheet_page(f"Attention, form {form}", FORM_STYLE, body)


def _form_question(form: str, guess: Guess) -> str:
    given = question_operands(form_layer(form), guess)
    tables = "".join(_numbers_table(name, matrix) for name, matrix in given)
    labels = (escape(option.label) for option in guess.options)
    options = "".join(f"<li>{place} ☐ {label}</li>" for place, label in enumerate(labels, 1))
    return f'<li>{escape(guess.text)}<br>{tables}<ul class="options">{options}</ul></li>\n'


def _numbers_table(name: str, matrix: Array) -> str:
    rows = "".join(f"<tr>{_cells(row)}</tr>" for row in matrix_text(matrix))
    return f"<table><caption>{escape(name)}</caption>{rows}</table>"


def _key(guess: Guess) -> str:
    return f"{guess.right + 1}: {guess.answer}. {guess.why}"


def worksheet(asked: Sequence[tuple[int, Question]], made_of: str) -> str:
    """A whole page: the questions by their numbers, then the answers on a sheet of their own.

    made_of: the layer of the questions, in words.
    """
    questions = "".join(_question(number, one) for number, one in asked)
    answers = "".join(f'<li value="{number}">{escape(one.why)}</li>' for number, one in asked)
    body = f"""<h1>{WORKSHEET_TITLE}</h1>
<p>{quotations_html(made_of)}</p>
<p>Tokens, heads and features are counted from 0. Numbers are rounded; an answer may differ by the
rounding.</p>
<ol>{questions}</ol>
<h1 class="answers">Answers</h1>
<p><small>{quotations_html(made_of)}</small></p>
<ol>{answers}</ol>"""
    return sheet_page(WORKSHEET_TITLE, WORKSHEET_STYLE, body)


def _question(number: int, asked: Question) -> str:
    given = "".join(
        f'<p class="given">{quotations_html(name)}: <b>{escape(numbers)}</b></p>'
        for name, numbers in asked.given
    )
    return (
        f'<li value="{number}">{quotations_html(asked.text)}{given}<p>Answer: <span'
        ' class="blank"></span></p></li>\n'
    )
