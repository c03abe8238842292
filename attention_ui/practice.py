"""A question of the page *Practice*: its choices, the verdict on an answer, a sheet to print."""

from __future__ import annotations

from functools import partial

import streamlit as st

from attention_core import STEPS, Trace
from attention_core.derivation import Derivation, derive
from attention_lab.guesses import MISCONCEPTIONS, Guess, guess_in_turn, judge
from attention_lab.practice import (
    ASKED_TITLES,
    HELP_LEVELS,
    MAX_QUESTION_NUMBER,
    MAX_TERMS,
    PracticeQuestion,
    askable_fields,
    fade_example,
    practice_question,
)
from attention_viz.markdown import escape_markdown, escape_quotations
from attention_viz.practice import (
    ABOUT_ANSWERS,
    LABELS,
    MOST_CHARACTERS,
    Verdict,
    distinct_questions,
    help_lines,
    operand_board,
    question_text,
    verdict_on,
    verdict_on_term,
)
from attention_viz.sheets import worksheet

from .board import show_board
from .focus import move_focus
from .page_context import PageContext
from .panels import note_columns, open_step
from .url_state import PERSISTENCE, draw_bound, whole_number_input

EMPTY_ANSWER = {"pr_answer": "", "pr_show": False}


def ask_question(now: PageContext) -> None:
    """A question on the layer that is shown, the help chosen, the answer and its verdict."""
    trace = now.trace
    left, middle, right = st.columns(3, vertical_alignment="bottom")
    about = {"on_change": clear_answer, **PERSISTENCE}
    title = draw_bound(
        left.selectbox,
        LABELS["pr_step"],
        ("any", *ASKED_TITLES),
        key="pr_step",
        required=True,
        **about,
    )
    number = whole_number_input(
        middle, LABELS["pr_number"], 1, MAX_QUESTION_NUMBER, 1, key="pr_number", **about
    )
    level = draw_bound(
        right.selectbox,
        LABELS["pr_help"],
        HELP_LEVELS,
        key="pr_help",
        required=True,
        help="*worked* shows all of the arithmetic, *own layer* none, the others all but one"
        " number.",
        **about,
    )
    field, fields = ASKED_TITLES.get(title or "", ""), askable_fields(trace)
    if fields and field and field not in fields:
        st.info(
            f"The {title} cannot be worked out by hand: each number needs more than {MAX_TERMS}"
            " terms, or none. The question is about another step. Smaller sizes help; the example"
            " *Two heads on paper* has them."
        )
        field = ""
    question = practice_question(trace, number, field)
    text = question_text(question, trace, now.notation)

    st.header(STEPS[question.exact.field].title.capitalize(), anchor=False)
    st.markdown(f"**{escape_quotations(text.question)}**")
    with st.container():
        # One container, so that the widgets below keep their place, and with it the focus.
        for name, numbers in text.numbers:
            st.markdown(f"{escape_quotations(name[0].upper() + name[1:])}: `{numbers}`")

    example = fade_example(question, level or HELP_LEVELS[0])
    if lines := help_lines(question, example):
        st.code("\n".join(lines), language=None)
    left, middle, right = st.columns([2, 2, 2], vertical_alignment="bottom")
    answer = draw_bound(
        left.text_input,
        LABELS["pr_answer"],
        max_chars=MOST_CHARACTERS,
        key="pr_answer",
        placeholder="such as −0.43, 12 % or 2/3",
        **PERSISTENCE,
    )
    shown = draw_bound(middle.toggle, LABELS["pr_show"], key="pr_show", **PERSISTENCE)
    right.button(
        "Next question",
        icon=":material/arrow_forward:",
        on_click=next_question,
        args=(number,),
        key="pr_next",
    )
    if example.missing is None:
        show_verdict(verdict_on(answer or "", question, text.method))
    else:
        show_verdict(verdict_on_term(answer or "", example))
    if shown:
        st.markdown(f"Answer: {escape_quotations(text.answer)}")
        st.button(
            "See it on the board",
            icon=":material/grid_on:",
            on_click=partial(open_cell, trace, question.exact),
            key="see it",
        )
    st.caption(ABOUT_ANSWERS)
    ask_misconception(now, number, field)
    offer_sheet(now, number, field)
    st.header("The matrices of these numbers", anchor=False)
    draw_operands(now, question)
    note_columns(now)


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
