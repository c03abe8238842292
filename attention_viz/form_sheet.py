"""A form of the test as one HTML file to print: questions, then the key on its own sheet."""

from __future__ import annotations

from functools import lru_cache
from html import escape

from attention_core.checks import Array
from attention_lab.before_and_after import (
    form_description,
    form_layer,
    form_questions,
    question_operands,
)
from attention_lab.guesses import Guess

from .handout import sheet_page
from .labels import format_number

FORM_STYLE = """
table { display: inline-table; margin: 0.3rem 1.2rem 0.3rem 0; border-collapse: collapse; }
caption { text-align: start; font-size: 0.85rem; }
td { border: 1px solid; padding: 0.05rem 0.45rem; text-align: end; }
.options { display: flex; flex-wrap: wrap; gap: 0.2rem 1.4rem; padding: 0; list-style: none; }
.options li { margin: 0; }
.key { break-before: page; }
"""


def matrix_text(matrix: Array) -> list[list[str]]:
    """The numbers of a matrix as texts; whole numbers have no decimals."""
    return [
        [format_number(n, 0) if float(n).is_integer() else format_number(n, 2) for n in row]
        for row in matrix
    ]


@lru_cache(maxsize=2)
def form_sheet(form: str) -> str:
    """The page of a form."""
    asked = form_questions(form)
    body = f"""<h1>Multi-head attention, form {escape(form)}</h1>
<p>Name: ____________________ &emsp; Mark one answer to each question.</p>
<p>{escape(form_description(form))}</p>
<ol>{"".join(_question(form, guess) for guess in asked)}</ol>
<h1 class="key">Key of form {escape(form)}</h1>
<ol>{"".join(f"<li>{escape(_key(guess))}</li>" for guess in asked)}</ol>"""
    return sheet_page(f"Attention, form {form}", FORM_STYLE, body)


def _question(form: str, guess: Guess) -> str:
    tables = "".join(
        _table(name, matrix) for name, matrix in question_operands(form_layer(form), guess)
    )
    options = "".join(
        f"<li>{place} ☐ {escape(option.label)}</li>"
        for place, option in enumerate(guess.options, 1)
    )
    return f'<li>{escape(guess.prompt)}<br>{tables}<ul class="options">{options}</ul></li>\n'


def _table(name: str, matrix: Array) -> str:
    rows = "".join(
        f"<tr>{''.join(f'<td>{escape(text)}</td>' for text in row)}</tr>"
        for row in matrix_text(matrix)
    )
    return f"<table><caption>{escape(name)}</caption>{rows}</table>"


def _key(guess: Guess) -> str:
    place = next(i for i, option in enumerate(guess.options, 1) if option.right)
    return f"{place}: {guess.answer}. {guess.why}"
