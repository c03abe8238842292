"""For teachers: lessons, plans, links, your own lesson, homework, boards to print."""

import streamlit as st

from attention_ui.blocks import show_page
from attention_ui.teach.lessons import edit_draft, show_lessons, show_plans
from attention_ui.teach.links import build_link
from attention_viz.practice_page import HOMEWORK

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
show_page(HOMEWORK)
