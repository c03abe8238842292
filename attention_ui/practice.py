"""The parts of the page of questions: reading an answer, judging it, going on, a sheet to print."""

from __future__ import annotations

import math

import streamlit as st

from attention_core import Trace
from attention_core.derivation import Derivation
from attention_lab.fading import Faded, Line, faded
from attention_lab.files.file_checks import typed_number
from attention_lab.practice import LAST_QUESTION, Question, ask
from attention_viz.labels import counted, number
from attention_viz.practice import Asked, answer_of, worded
from attention_viz.practice_board import operand_board
from attention_viz.worksheet import worksheet

from .board import show_board
from .facts import fact
from .focus import follow_cell
from .markdown import plain
from .page_context import PageContext
from .panels import open_step

UNANSWERED = {"pr_answer": "", "pr_show": False}
ON_A_SHEET = 10
# Numbers: a small layer has few cells to ask for, and each of them comes up now and then.
LOOKED_AT = 40
SIGN, NEAR = "Not yet: look at the signs once more.", "Nearly: keep more digits on the way."


def answer_in(text: str) -> float:
    """A number as a hand writes it, with a decimal comma, a true minus sign, as a percentage or as
    a fraction.

    NaN for any other text.

    >>> answer_in("−0,5"), answer_in("12 %"), answer_in("2/3"), answer_in("many")
    (-0.5, 0.12, 0.6666666666666666, nan)
    """
    text = text.strip().replace("−", "-").replace(",", ".")
    if text.endswith("%"):
        return typed_number(text[:-1].strip()) / 100
    above, stroke, below = text.partition("/")
    if not stroke:
        return typed_number(text)
    divisor = typed_number(below)
    return typed_number(above) / divisor if divisor else math.nan


def judged(text: str, question: Question, how: str) -> None:
    """Say whether an answer is right, and if not, what may help; nothing where there is none
    yet.
    """
    if not text.strip():
        fact("verdict", "none")
        return
    answer = answer_in(text)
    if math.isnan(answer):
        fact("verdict", "no number")
        st.warning(f"“{plain(text)}” is no number. Write one such as −0.43, 12 % or 2/3.")
        return
    verdict = fact("verdict", question.judge(answer))
    if verdict == "right":
        st.success(f"Right: {answer_of(question)}.", icon=":material/check_circle:")
    else:
        st.warning({"sign": SIGN, "near": NEAR}.get(verdict, f"Not yet. {how}"))


def draw_help(question: Question, level: str) -> Faded:
    """The arithmetic of a question as far as a level shows it."""
    shown = fact("help", faded(question, level))

    def digits(value: float | None) -> str:
        return "?" if value is None else number(value, shown.places)

    is_softmax = question.exact.operation == "softmax"

    def term(line: Line) -> str:
        factors = " × ".join(map(digits, line.factors))
        return f"exp({factors} − max)" if is_softmax else factors

    lines = [f"{term(line)} = {digits(line.value)}" for line in shown.lines]
    if lines:
        how = "the asked one ÷ the sum" if is_softmax else "the sum"
        st.code("\n".join([*lines, f"{how} = {digits(shown.result)}"]), language=None)
    return shown


def judge_term(text: str, shown: Faded) -> None:
    """Say whether the missing term is right."""
    answer = answer_in(text) if text.strip() else math.nan
    verdict = "right" if shown.accepts(answer) else "wrong" if text.strip() else "none"
    if fact("verdict", verdict) == "right":
        st.success(f"Right: {number(shown.term, shown.places)}.", icon=":material/check_circle:")
    elif verdict == "wrong":
        st.warning("Not yet: work out the line with the question mark.")


def draw_operands(now: PageContext, question: Question) -> None:
    """The matrices that the numbers of a question come from, with those that it reads lit."""
    show_board(operand_board(now.stage, question.exact, not now.whole), "practice", fits=True)


def anew() -> None:
    """In a callback: nothing answered yet."""
    st.session_state.update(UNANSWERED)


def next_question(number: int) -> None:
    """In a callback: the question after this one."""
    st.session_state.update({"pr_number": number % LAST_QUESTION + 1} | UNANSWERED)


def open_cell(trace: Trace, asked: Derivation) -> None:
    """In a callback: go to the step of a cell, with the cell in focus."""
    letters = trace.axes(asked.field)
    widths = [
        trace.sizes[parts[1]] if len(parts := letter.split("·")) == 2 else None
        for letter in letters
    ]
    follow_cell(list(zip(letters, widths, strict=True)), asked.index)
    open_step(asked.field)


def sheet(now: PageContext, first: int, field: str) -> None:
    """A sheet of questions and one of answers to print, made when it is asked for."""
    with st.expander(
        "Questions on paper", key="practice sheet", icon=":material/print:", on_change="rerun"
    ) as opened:
        if opened.open:
            st.download_button(
                f"{counted(len(different(now, first, field)), 'question')} from number {first} on",
                lambda: printed(now, first, field),
                "attention-by-hand.html",
                "text/html",
                on_click="ignore",
                icon=":material/article:",
                help="One web page to print; the answers are on a sheet of their own.",
            )


def printed(now: PageContext, first: int, field: str) -> str:
    """The sheet as HTML."""
    return worksheet(different(now, first, field), now.sentence)


def different(now: PageContext, first: int, field: str) -> list[tuple[int, Asked]]:
    """Up to ten questions by their numbers, none of them twice; after the last number comes the
    first one.
    """
    found: dict[str, tuple[int, Asked]] = {}
    for place in range(first - 1, first - 1 + LOOKED_AT):
        number = place % LAST_QUESTION + 1
        asked = worded(ask(now.trace, number, field), now.trace, now.notation)
        found.setdefault(asked.question, (number, asked))
        if len(found) == ON_A_SHEET:
            break
    return list(found.values())
