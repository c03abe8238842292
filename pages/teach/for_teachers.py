"""For teachers: lessons, plans, links, your own lesson, homework, boards to print."""

from functools import partial

import streamlit as st

from attention_lab.practice import MAX_QUESTION_NUMBER, MAX_QUESTIONS, Homework
from attention_ui.page_context import page_context
from attention_ui.practice_set import key_csv, offer_small_layer
from attention_ui.teach.lessons import edit_draft, show_lessons, show_plans
from attention_ui.teach.links import build_link, set_link, show_link
from attention_viz.sheets import blank_boards

now = page_context()
st.markdown(
    "Ready lessons with questions and notes, links to hand out, your own lesson, homework with"
    " different numbers for each student, and boards to print."
)
st.header("Lessons", anchor=False)
show_lessons()
st.header("Plans for 20, 45 and 90 minutes", anchor=False)
show_plans()

st.header("A link to a page with the controls as they are now", anchor=False)
build_link()

st.header("A lesson of your own", anchor=False)
edit_draft()

st.header("Homework", anchor=False)
st.markdown(
    "The link opens a set of *Practice*. All students get the same questions in the same order."
    " Give each student a number. It decides"
    " the weights, so the numbers of the questions differ. The layer is that of the controls now."
)
left, right, students = st.columns(3)
first = left.number_input("First question", 1, MAX_QUESTION_NUMBER, 1, key="set first")
count = right.number_input("How many", 1, MAX_QUESTIONS, 6, key="set count")
last = students.number_input("Students", 1, 60, 30, key="set students")
show_link(set_link(int(first), int(count)), "Practice")
homework = Homework(now.scenario, int(first), int(count))
if not homework.differs_by_student:
    st.info(
        "The weights of the controls have no seed, so all students would get the same numbers."
        " Random weights have one."
    )
    offer_small_layer()
with st.container(horizontal=True):
    st.download_button(
        "Key (CSV)",
        partial(key_csv, homework, int(last)),
        "key.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/key:",
        help="The answers of each student, with their tolerance.",
    )
    st.download_button(
        "Boards to fill in",
        lambda: blank_boards(now.trace, now.focus.head, now.sentence),
        "boards.html",
        "text/html",
        on_click="ignore",
        icon=":material/print:",
        help="Inputs and weights of one head with their numbers, and empty matrices.",
    )
