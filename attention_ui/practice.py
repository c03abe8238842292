"""The parts of the page of questions: reading an answer, judging it, going on, a sheet to print."""

from __future__ import annotations

import math

import streamlit as st

from attention_core import Trace
from attention_core.derivation import Derivation
from attention_lab.fading import FadedExample, TermLine, fade_example
from attention_lab.files.file_checks import typed_number
from attention_lab.practice import MAX_QUESTION_NUMBER, PracticeQuestion, choose_question
from attention_viz.labels import number
from attention_viz.practice import QuestionText, format_result, question_text
from attention_viz.practice_board import operand_board
from attention_viz.worksheet import worksheet

from .board import show_board
from .facts import fact
from .focus import move_focus
from .markdown import plain
from .page_context import PageContext
from .panels import open_step

EMPTY_ANSWER = {"pr_answer": "", "pr_show": False}
MAX_SHEET_QUESTIONS = 10
# Numbers: a small layer has few cells to ask for, and each of them comes up now and then.
MAX_TRIED_NUMBERS = 40
SIGN, NEAR = "Not yet: look at the signs once more.", "Nearly: keep more digits on the way."


def parse_answer(text: str) -> float:
    """A number as a hand writes it, with a decimal comma, a true minus sign, as a percentage or as
    a fraction.

    NaN for any other text.

    >>> parse_answer("−0,5"), parse_answer("12 %"), parse_answer("2/3"), parse_answer("many")
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


def judge_answer(text: str, question: PracticeQuestion, how: str) -> None:
    """Say whether an answer is right, and if not, what may help; nothing where there is none
    yet.
    """
    if not text.strip():
        fact("verdict", "none")
        return
    answer = parse_answer(text)
    if math.isnan(answer):
        fact("verdict", "no number")
        st.warning(f"“{plain(text)}” is no number. Write one such as −0.43, 12 % or 2/3.")
        return
    verdict = fact("verdict", question.judge(answer))
    if verdict == "right":
        st.success(f"Right: {format_result(question)}.", icon=":material/check_circle:")
    else:
        st.warning({"sign": SIGN, "near": NEAR}.get(verdict, f"Not yet. {how}"))


def draw_help(question: PracticeQuestion, level: str) -> FadedExample:
    """The arithmetic of a question as far as a level shows it."""
    shown = fact("help", fade_example(question, level))

    def digits(value: float | None) -> str:
        return "?" if value is None else number(value, shown.places)

    is_softmax = question.exact.operation == "softmax"

    def term(line: TermLine) -> str:
        factors = " × ".join(map(digits, line.factors))
        return f"exp({factors} − max)" if is_softmax else factors

    lines = [f"{term(line)} = {digits(line.value)}" for line in shown.lines]
    if lines:
        how = "the asked one ÷ the sum" if is_softmax else "the sum"
        st.code("\n".join([*lines, f"{how} = {digits(shown.result)}"]), language=None)
    return shown


def judge_term(text: str, shown: FadedExample) -> None:
    """Say whether the missing term is right."""
    answer = parse_answer(text) if text.strip() else math.nan
    verdict = "right" if shown.accepts(answer) else "wrong" if text.strip() else "none"
    if fact("verdict", verdict) == "right":
        st.success(f"Right: {number(shown.term, shown.places)}.", icon=":material/check_circle:")
    elif verdict == "wrong":
        st.warning("Not yet: work out the line with the question mark.")


def draw_operands(now: PageContext, question: PracticeQuestion) -> None:
    """The matrices that the numbers of a question come from, with those that it reads lit."""
    show_board(operand_board(now.stage, question.exact, not now.whole), "practice", fits=True)


def clear_answer() -> None:
    """In a callback: nothing answered yet."""
    st.session_state.update(EMPTY_ANSWER)


def next_question(number: int) -> None:
    """In a callback: the question after this one."""
    st.session_state.update({"pr_number": number % MAX_QUESTION_NUMBER + 1} | EMPTY_ANSWER)


def open_cell(trace: Trace, asked: Derivation) -> None:
    """In a callback: go to the step of a cell, with the cell in focus."""
    letters = trace.axes(asked.field)
    widths = [
        trace.sizes[parts[1]] if len(parts := letter.split("·")) == 2 else None
        for letter in letters
    ]
    move_focus(list(zip(letters, widths, strict=True)), asked.index)
    open_step(asked.field)


def offer_sheet(now: PageContext, first: int, field: str) -> None:
    """A sheet of questions and one of answers to print, made when it is asked for."""
    with st.expander(
        "Questions on paper", key="practice sheet", icon=":material/print:", on_change="rerun"
    ) as opened:
        if opened.open:
            n_questions = len(distinct_questions(now, first, field))
            st.download_button(
                f"Questions: {n_questions}, from number {first} on",
                lambda: sheet_html(now, first, field),
                "attention-by-hand.html",
                "text/html",
                on_click="ignore",
                icon=":material/article:",
                help="One web page to print; the answers are on a sheet of their own.",
            )


def sheet_html(now: PageContext, first: int, field: str) -> str:
    """The sheet as HTML."""
    return worksheet(distinct_questions(now, first, field), now.sentence)


def distinct_questions(now: PageContext, first: int, field: str) -> list[tuple[int, QuestionText]]:
    """Up to ten questions by their numbers, none of them twice; after the last number comes the
    first one.
    """
    found: dict[str, tuple[int, QuestionText]] = {}
    for place in range(first - 1, first - 1 + MAX_TRIED_NUMBERS):
        number = place % MAX_QUESTION_NUMBER + 1
        asked = question_text(choose_question(now.trace, number, field), now.trace, now.notation)
        found.setdefault(asked.question, (number, asked))
        if len(found) == MAX_SHEET_QUESTIONS:
            break
    return list(found.values())
