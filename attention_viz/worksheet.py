"""Questions to work out by hand as one HTML file to print, with the answers on a sheet of their
own.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from .handout import quotations_html, sheet_page
from .practice import QuestionText

WORKSHEET_TITLE = "Multi-head attention by hand"
WORKSHEET_STYLE = """
.given { font-size: 0.85rem; margin: 0.3rem 0; }
.blank { border-bottom: 1px solid; display: inline-block; width: 9rem; }
.answers { break-before: page; }
"""


def worksheet(asked: Sequence[tuple[int, QuestionText]], made_of: str) -> str:
    """A whole page: the questions by their numbers, then the answers on a sheet of their own.

    made_of: the layer of the questions, in words.
    """
    questions = "".join(_question(number, one) for number, one in asked)
    answers = "".join(f'<li value="{number}">{escape(one.answer)}</li>' for number, one in asked)
    body = f"""<h1>{WORKSHEET_TITLE}</h1>
<p>{quotations_html(made_of)}</p>
<p>Tokens, heads and features are counted from 0. Numbers are rounded; an answer may differ by the
rounding.</p>
<ol>{questions}</ol>
<h1 class="answers">Answers</h1>
<p><small>{quotations_html(made_of)}</small></p>
<ol>{answers}</ol>"""
    return sheet_page(WORKSHEET_TITLE, WORKSHEET_STYLE, body)


def _question(number: int, asked: QuestionText) -> str:
    given = "".join(
        f'<p class="given">{quotations_html(name)}: <b>{escape(numbers)}</b></p>'
        for name, numbers in asked.numbers
    )
    return (
        f'<li value="{number}">{quotations_html(asked.question)}{given}<p>Answer: <span'
        ' class="blank"></span></p></li>\n'
    )
