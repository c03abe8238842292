"""A set of questions with a student's own numbers: the answers on request, a summary to hand in, a
link to hand out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from attention_core import STEPS, Trace
from attention_lab.export.csv_text import csv_text
from attention_lab.practice import (
    MAX_QUESTION_NUMBER,
    MAX_QUESTIONS,
    MAX_STUDENT,
    Homework,
    PracticeQuestion,
    parse_answer,
)
from attention_lab.presets import presets
from attention_viz.markdown import escape_quotations
from attention_viz.practice import question_text, verdict_on

from .page_context import PageContext
from .practice import show_verdict
from .teach.links import set_link, show_link
from .url_state import PERSISTENCE, draw_bound, whole_number_input

SMALL_EXAMPLE = "Two heads on paper"  # an example that a hand can work out
SUMMARY_COLUMNS = ("student", "question", "step", "answer", "verdict", "looked")


def ask_set(now: PageContext) -> None:
    """Ask all questions of a set one below the other, with the numbers of the student."""
    st.markdown(
        "Type the number that your teacher gave you. Random weights are drawn from it, so every"
        " student answers the same questions about other weights."
    )
    places = st.columns(3)
    about: dict[str, Any] = {"help": "The teacher's link sets it.", **PERSISTENCE}
    student = whole_number_input(
        places[0], "Your number", 0, MAX_STUDENT, 0, key="hw_student", **PERSISTENCE
    )
    first = whole_number_input(
        places[1], "First question", 1, MAX_QUESTION_NUMBER, 1, key="hw_first", **about
    )
    count = whole_number_input(places[2], "How many", 1, MAX_QUESTIONS, 6, key="hw_count", **about)
    homework = Homework(now.scenario, first, count)
    if not homework.differs_by_student:
        st.info("These weights have no seed, so all students get the same numbers.")
        offer_small_layer()
    seed = homework.seed(student)
    trace, questions = homework.trace(seed), homework.questions(seed)
    lines = [_ask(now, trace, place, one) for place, one in enumerate(questions, 1)]
    st.header("Hand in", anchor=False)
    show_summary(student, lines)
    st.header("Hand out", anchor=False)
    st.markdown("This link opens the set; each student types a number. *For teachers* has the key.")
    show_link(set_link(first, count), "Practice")


def _ask(now: PageContext, trace: Trace, place: int, question: PracticeQuestion) -> dict[str, Any]:
    asked = question_text(question, trace, now.notation)
    st.markdown(f"**{place}. {escape_quotations(asked.question)}**")
    for name, numbers in asked.numbers:
        st.markdown(f"{escape_quotations(name[0].upper() + name[1:])}: `{numbers}`")
    left, right = st.columns([2, 3], vertical_alignment="bottom")
    text = draw_bound(
        left.text_input,
        f"Answer to question {place}",
        max_chars=40,
        key=f"hw_answer_{place}",
        placeholder="such as −0.43, 12 % or 2/3",
        **PERSISTENCE,
    )
    text = (text or "").strip()
    # The answer is shown only after an attempt.
    looked = bool(
        draw_bound(
            right.toggle,
            f"Show the answer to question {place}",
            key=f"hw_show_{place}",
            disabled=not text,
            help="After an attempt.",
            **PERSISTENCE,
        )
        and text
    )
    show_verdict(verdict_on(text, question, asked.method))
    verdict = "none"
    if text:
        verdict = question.judge(parse_answer(text))
    if looked:
        st.markdown(f"Answer: {escape_quotations(asked.answer)}")
    return {
        "question": place,
        "step": STEPS[question.exact.field].title,
        "answer": text,
        "verdict": verdict,
        "looked": looked,
    }


def show_summary(student: int, lines: Sequence[dict[str, Any]]) -> None:
    """The number of right answers, and a file to hand in."""
    right = sum(line["verdict"] == "right" for line in lines)
    looked = sum(line["looked"] for line in lines)
    st.markdown(f"Right: **{right} of {len(lines)}**. Answers looked at: **{looked}**.")
    st.download_button(
        "Summary to hand in (CSV)",
        lambda: summary_csv(student, lines),
        f"homework-{student}.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/assignment_turned_in:",
    )
    st.caption(
        "The URL of this page also holds your answers: copy it to send it, or to go on later."
    )


def summary_csv(student: int, lines: Sequence[dict[str, Any]]) -> str:
    """The lines of the summary as CSV."""
    filled = ({"student": student} | line for line in lines)
    return csv_text([SUMMARY_COLUMNS, *([one[name] for name in SUMMARY_COLUMNS] for one in filled)])


def offer_small_layer() -> None:
    """A button that sets a layer whose numbers a seed draws."""
    st.button("Use three words with small numbers", on_click=use_small_layer, key="small layer")


def use_small_layer() -> None:
    """In a callback: set every control to the example with small whole numbers."""
    st.session_state.update(
        next(one.session_values for one in presets() if one.name == SMALL_EXAMPLE)
    )


def key_csv(homework: Homework, last: int) -> str:
    """The key for students 1 to `last` as CSV; for all at once if they share their numbers."""
    columns = ("student", "question", "step", "answer", "tolerance")
    return csv_text([columns, *homework.key(homework.students(last))])
