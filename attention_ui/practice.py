"""The parts of the page *Practice*: judging an answer, the next question, a sheet to print."""

from __future__ import annotations

import math

import streamlit as st

from attention_core import Trace
from attention_core.derivation import Derivation, derive
from attention_lab.files.file_checks import typed_number
from attention_lab.guesses import MISCONCEPTIONS, Guess, guess_in_turn, judge
from attention_lab.practice import (
    MAX_QUESTION_NUMBER,
    FadedExample,
    PracticeQuestion,
    TermLine,
    fade_example,
    practice_question,
)
from attention_viz.labels import format_number
from attention_viz.practice import QuestionText, format_result, operand_board, question_text
from attention_viz.sheets import worksheet

from .board import show_board
from .facts import fact
from .focus import move_focus
from .markdown import escape_markdown, escape_quotations
from .page_context import PageContext
from .panels import open_step

EMPTY_ANSWER = {"pr_answer": "", "pr_show": False}
MAX_SHEET_QUESTIONS = 10
MAX_TRIED_NUMBERS = 40  # a small layer has few cells to ask for, so that numbers repeat them
HINTS = {
    "sign": "Not yet: check the signs.",
    "near": "Nearly: keep more digits in the steps.",
}


def parse_answer(text: str) -> float:
    """A number as people write it: with a decimal comma or a minus sign, as a percentage or a
    fraction. NaN for any other text.

    >>> parse_answer("−0,5"), parse_answer("12 %"), parse_answer("2/3"), parse_answer("many")
    (-0.5, 0.12, 0.6666666666666666, nan)
    """
    text = text.strip().replace("−", "-").replace(",", ".")
    if text.endswith("%"):
        return typed_number(text[:-1].strip()) / 100
    numerator, slash, denominator = text.partition("/")
    if not slash:
        return typed_number(text)
    divisor = typed_number(denominator)
    return typed_number(numerator) / divisor if divisor else math.nan


def judge_answer(text: str, question: PracticeQuestion, method: str) -> None:
    """Say whether an answer is right, and if not, what may help; nothing without an answer."""
    if not text.strip():
        fact("verdict", "none")
        return
    answer = parse_answer(text)
    if math.isnan(answer):
        fact("verdict", "no number")
        st.warning(
            f"“{escape_markdown(text)}” is not a number. Write one such as −0.43, 12 % or 2/3."
        )
        return
    verdict = fact("verdict", question.judge(answer))
    if verdict == "right":
        st.success(f"Right: {format_result(question)}.", icon=":material/check_circle:")
    else:
        st.warning(HINTS.get(verdict, f"Not yet. {method}"))


def draw_help(question: PracticeQuestion, level: str) -> FadedExample:
    """Draw the part of the arithmetic that a level shows."""
    example = fact("help", fade_example(question, level))
    is_softmax = question.exact.operation == "softmax"
    lines = [
        f"{_term_in_words(line, example.decimals, is_softmax)} = "
        f"{_digits(line.value, example.decimals)}"
        for line in example.lines
    ]
    if lines:
        last = {True: "the asked one ÷ the sum", False: "the sum"}[is_softmax]
        lines.append(f"{last} = {_digits(example.result, example.decimals)}")
        st.code("\n".join(lines), language=None)
    return example


def _term_in_words(line: TermLine, decimals: int, is_softmax: bool) -> str:
    factors = " × ".join(_digits(factor, decimals) for factor in line.factors)
    return f"exp({factors} − max)" if is_softmax else factors


def _digits(value: float | None, decimals: int) -> str:
    return "?" if value is None else format_number(value, decimals)


def judge_term(text: str, example: FadedExample) -> None:
    """Say whether the missing term is right."""
    if not text.strip():
        fact("verdict", "none")
    elif example.accepts(parse_answer(text)):
        fact("verdict", "right")
        term = format_number(example.term, example.decimals)
        st.success(f"Right: {term}.", icon=":material/check_circle:")
    else:
        fact("verdict", "wrong")
        st.warning("Not yet: work out the line with the question mark.")


def draw_operands(now: PageContext, question: PracticeQuestion) -> None:
    """Draw the matrices that a question reads, with its numbers lit."""
    show_board(operand_board(now.stage, question.exact, not now.whole), "practice", fits=True)


def clear_answer() -> None:
    """In a callback: empty the answer."""
    st.session_state.update(EMPTY_ANSWER)


def next_question(number: int) -> None:
    """In a callback: go to the next question."""
    st.session_state.update({"pr_number": number % MAX_QUESTION_NUMBER + 1} | EMPTY_ANSWER)


def open_cell(trace: Trace, cell: Derivation) -> None:
    """In a callback: open the page of a step, with the cell in focus."""
    letters = trace.axes(cell.field)
    widths = [
        trace.sizes[parts[1]] if len(parts := letter.split("·")) == 2 else None
        for letter in letters
    ]
    move_focus(list(zip(letters, widths, strict=True)), cell.index)
    open_step(cell.field)


def offer_sheet(now: PageContext, first: int, field: str) -> None:
    """Offer questions and answers to print, made when the button is pressed."""
    with st.expander(
        "Questions on paper", key="practice sheet", icon=":material/print:", on_change="rerun"
    ) as opened:
        if opened.open:
            n_questions = len(_distinct_questions(now, first, field))
            st.download_button(
                f"Questions: {n_questions}, from number {first} on",
                lambda: sheet_html(now, first, field),
                "attention-by-hand.html",
                "text/html",
                on_click="ignore",
                icon=":material/article:",
                help="An HTML page to print; the answers are on a sheet of their own.",
            )


def sheet_html(now: PageContext, first: int, field: str) -> str:
    """The sheet of questions and answers as HTML."""
    return worksheet(_distinct_questions(now, first, field), now.sentence)


def _distinct_questions(now: PageContext, first: int, field: str) -> list[tuple[int, QuestionText]]:
    """Up to ten different questions with their numbers; after the last number comes number 1."""
    texts: dict[str, tuple[int, QuestionText]] = {}
    for place in range(first - 1, first - 1 + MAX_TRIED_NUMBERS):
        number = place % MAX_QUESTION_NUMBER + 1
        text = question_text(practice_question(now.trace, number, field), now.trace, now.notation)
        texts.setdefault(text.question, (number, text))
        if len(texts) == MAX_SHEET_QUESTIONS:
            break
    return list(texts.values())


def ask_misconception(now: PageContext, number: int, field: str) -> None:
    """Ask a question with options on the same step, with the matrices that it needs, and judge the
    answer at once.
    """
    trace = now.trace
    guess = guess_in_turn(trace, number, field)
    if fact("belief", guess) is None or guess is None:
        return
    st.header("A common mistake: choose", anchor=False)
    head = ""
    if "H" in trace.axes(guess.field) and guess.item.asks != "matrix":
        head = f"Head {fact('head_of_belief', guess.index[1])}: "
    st.markdown(f"**{head}{escape_quotations(guess.prompt)}**")
    chosen = st.radio(
        "Your choice",
        range(len(guess.options)),
        index=None,
        format_func=lambda place: guess.options[place].label,
        horizontal=True,
        key=f"belief {guess.item.id} {guess.index}",
        label_visibility="collapsed",
    )
    if chosen is not None:
        _judge_option(guess, int(chosen))
    if guess.item.asks != "matrix":
        board = operand_board(now.stage, derive(trace, guess.field, guess.index), not now.whole)
        show_board(board, "practice mistake", fits=True)


def _judge_option(guess: Guess, place: int) -> None:
    """Say whether the chosen answer is right, which misconception gives it, and why."""
    verdict = judge(guess, guess.options[place].value)
    if fact("belief_verdict", verdict.grade) == "right":
        st.success(f"Right. {escape_markdown(guess.why)}", icon=":material/check_circle:")
        return
    cause = ""
    for name in verdict.misconceptions[:1]:
        misconception = escape_markdown(MISCONCEPTIONS[name].text)
        cause = f" This answer follows from a misconception: “{misconception}”"
    st.warning(
        f"Not this one: {escape_markdown(guess.answer)}.{cause} {escape_markdown(guess.why)}"
    )
