"""The parts of the page *Practice*: judging an answer, the next question, a sheet to print."""

from __future__ import annotations

import streamlit as st

from attention_core import Trace
from attention_core.derivation import Derivation, derive
from attention_lab.guesses import MISCONCEPTIONS, Guess, guess_in_turn, judge
from attention_lab.practice import MAX_QUESTION_NUMBER, PracticeQuestion
from attention_viz.markdown import escape_markdown, escape_quotations
from attention_viz.practice import Verdict, distinct_questions, operand_board
from attention_viz.sheets import worksheet

from .board import show_board
from .focus import move_focus
from .page_context import PageContext
from .panels import open_step

EMPTY_ANSWER = {"pr_answer": "", "pr_show": False}


def show_verdict(verdict: Verdict | None) -> None:
    """Say whether an answer is right, and if not, what may help; nothing without an answer."""
    if verdict is None:
        return
    text = escape_quotations(verdict.text)
    if verdict.is_right:
        st.success(text, icon=":material/check_circle:")
    else:
        st.warning(text)


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
            n_questions = len(distinct_questions(now.trace, now.notation, first, field))
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
    return worksheet(distinct_questions(now.trace, now.notation, first, field), now.sentence)


def ask_misconception(now: PageContext, number: int, field: str) -> None:
    """Ask a question with options on the same step, with the matrices that it needs, and judge the
    answer at once.
    """
    trace = now.trace
    guess = guess_in_turn(trace, number, field)
    if guess is None:
        return
    st.header("A common mistake: choose", anchor=False)
    head = ""
    if "H" in trace.axes(guess.field) and guess.item.asks != "matrix":
        head = f"Head {guess.index[1]}: "
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
    if verdict.grade == "right":
        st.success(f"Right. {escape_markdown(guess.why)}", icon=":material/check_circle:")
        return
    cause = ""
    for name in verdict.misconceptions[:1]:
        misconception = escape_markdown(MISCONCEPTIONS[name].text)
        cause = f" This answer follows from a misconception: “{misconception}”"
    st.warning(
        f"Not this one: {escape_markdown(guess.answer)}.{cause} {escape_markdown(guess.why)}"
    )
