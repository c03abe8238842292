"""The parts of the page *Before and after*: questions, result, gain."""

from __future__ import annotations

from functools import partial

import streamlit as st

from attention_core import AttentionError
from attention_lab.before_and_after import (
    FORMS,
    NO_ANSWER,
    FormResult,
    form_description,
    form_layer,
    form_questions,
    normalised_gain,
    question_operands,
)
from attention_lab.guesses import MISCONCEPTIONS, Guess
from attention_viz.markdown import escape_markdown, escape_quotations
from attention_viz.sheets import form_sheet, matrix_text

from ..show import offer_file
from ..url_state import PERSISTENCE, draw_bound

MAX_CODE_CHARACTERS = 40


def choose_form() -> str:
    """Choose form A or B; the URL holds the choice."""
    about = {"key": "form", "required": True, **PERSISTENCE}
    return str(draw_bound(st.selectbox, "Form", tuple(FORMS), **about))


def ask_form(form: str) -> FormResult:
    """Ask all questions of a form, one below the other; return the answers."""
    st.markdown(escape_quotations(form_description(form)))
    answers = (_ask(form, place, one) for place, one in enumerate(form_questions(form), 1))
    return FormResult(form, tuple(answers))


def _ask(form: str, place: int, guess: Guess) -> int:
    st.markdown(f"**{place}. {escape_quotations(guess.prompt)}**")
    with st.container(horizontal=True):
        for name, matrix in question_operands(form_layer(form), guess):
            rows = "\n".join("  ".join(f"{n:>6}" for n in row) for row in matrix_text(matrix))
            with st.container(width="content"):
                st.caption(escape_markdown(name))
                st.code(rows, language=None)
    labels = [option.label for option in guess.options]
    chosen = st.radio(
        f"Answer to question {place}",
        range(1, len(labels) + 1),
        index=None,
        format_func=lambda option: labels[option - 1],
        horizontal=True,
        key=f"form {form} question {place}",
        label_visibility="collapsed",
        **PERSISTENCE,
    )
    return int(chosen or NO_ANSWER)


def show_result(result: FormResult) -> None:
    """The code of the answers; when all are given, how many are right, but not which."""
    st.code(result.code, language=None)
    if n_blank := result.answers.count(NO_ANSWER):
        st.caption(f"Questions without an answer: {n_blank}.")
    else:
        st.markdown(f"**Right: {sum(result.right)} of {len(result.right)}.**")


def show_gain() -> None:
    """Read two codes; show the right answers before and after, and the normalised gain."""
    left, right = st.columns(2)
    about = {"max_chars": MAX_CODE_CHARACTERS, **PERSISTENCE}
    texts = [
        draw_bound(place.text_input, f"Code {when}", key=f"code_{when}", **about)
        for place, when in ((left, "before"), (right, "after"))
    ]
    if not all(text and text.strip() for text in texts):
        return
    try:
        before, after = map(FormResult.from_code, texts)
        reached = normalised_gain(before, after)
    except AttentionError as error:
        st.error(escape_markdown(str(error)))
        return
    none = "none, since all answers before were right"
    shown = none if reached is None else f"{reached:.2f}"
    st.markdown(
        f"Right before: {sum(before.right)} of 10. Right after: {sum(after.right)} of 10."
        f" **Gain: {shown}.**"
    )
    if remaining := after.misconceptions:
        says = "\n".join(f"- {MISCONCEPTIONS[name].text}" for name in remaining)
        st.markdown(f"Misconceptions in the answers after:\n{says}")


def show_form_sheets() -> None:
    """Buttons that download both forms to print."""
    with st.container(horizontal=True):
        for form in FORMS:
            offer_file(
                f"Form {form} on paper, with key",
                partial(form_sheet, form),
                f"attention-form-{form}.html",
                icon="print",
            )
