"""Construct: tasks to build a head by hand, judged by running the layer."""

import streamlit as st

from attention_ui.board import show_board
from attention_ui.heads.construct import choose_matrix, choose_task, show_verdict, start_button
from attention_ui.page_context import page_context
from attention_viz import story

now = page_context()
trace, focus = now.trace, now.focus
left, right = st.columns([2, 3], vertical_alignment="bottom")
with left:
    task = choose_task()
with right:
    matrix = choose_matrix(task)
st.markdown(f"**{task.says}** {task.hint}")
start_button(task, now.scenario == task.start)
show_verdict(trace, task)

MADE = {"w_q": "queries", "w_k": "keys", "w_v": "values"}
st.header("The numbers to change", anchor=False)
st.caption(
    "Click a cell of the weights or of X and type a number. The URL holds every edit, so a link"
    " shows what you have built. *Own numbers* in the sidebar takes edits back."
)
if matrix == "w_o":
    place = focus.within(trace, "output")
    board = story.output(now.stage, place.query, place.feature, not now.whole)
else:
    field = MADE[matrix]
    feature = focus.within(trace, field).feature
    board = story.projection(now.stage, field, (focus.head, focus.query, feature), not now.whole)
show_board(board, f"construct {matrix}")
st.header("What the heads look at now", anchor=False)
show_board(story.softmax(now.stage, focus.cell("query", "key")), "construct shares")
