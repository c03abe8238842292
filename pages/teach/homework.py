"""Homework: the same questions for all students, with other numbers for each."""

import streamlit as st

from attention_lab.homework import MAX_QUESTIONS, MAX_STUDENT, Homework
from attention_lab.practice import MAX_QUESTION_NUMBER
from attention_ui.page_context import page_context
from attention_ui.teach.homework import ask_homework, show_summary
from attention_ui.url_state import PERSISTENCE, whole_number_input

now = page_context()
st.markdown(
    "Type the number that your teacher gave you. Random weights are drawn from it, so every student"
    " answers the same questions about other weights."
)
left, middle, right = st.columns(3)
student = whole_number_input(
    left, "Your number", 0, MAX_STUDENT, 0, key="hw_student", **PERSISTENCE
)
first = whole_number_input(
    middle,
    "First question",
    1,
    MAX_QUESTION_NUMBER,
    1,
    key="hw_first",
    help="The teacher's link sets it.",
    **PERSISTENCE,
)
count = whole_number_input(
    right,
    "How many",
    1,
    MAX_QUESTIONS,
    6,
    key="hw_count",
    help="The teacher's link sets it.",
    **PERSISTENCE,
)
homework = Homework(now.scenario, first, count)
if not homework.differs_by_student:
    st.info("These weights have no seed, so all students get the same numbers.")
seed = homework.seed(student)
questions = homework.questions(seed)
lines = ask_homework(now, homework.trace(seed), questions)
st.header("Hand in", anchor=False)
show_summary(student, lines)
