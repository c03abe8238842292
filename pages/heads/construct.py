"""Construct: tasks to build a head by hand, judged by running the layer."""

import streamlit as st

from attention_ui.board import show_board
from attention_ui.heads.choices import (
    LABEL_OF_MATRIX,
    choose_matrix,
    choose_task,
    show_start_button,
    show_verdict,
)
from attention_ui.page_context import page_context
from attention_ui.view import main_container
from attention_viz.story.per_head import softmax_board
from attention_viz.story.products import output_board, projection_board

PROJECTED_FIELDS = {"w_q": "queries", "w_k": "keys", "w_v": "values"}

now = page_context()
trace, focus = now.trace, now.focus
window = main_container()
with window:
    left, middle, right = st.columns([2, 3, 2], vertical_alignment="bottom")
    with left:
        task = choose_task()
    with middle:
        matrix = choose_matrix(task)
    with right:
        show_start_button(task, now.scenario == task.start)
    st.markdown(
        f"**{task.goal}** {task.hint} **Click a cell of {LABEL_OF_MATRIX[matrix]} and type a"
        " number.**"
    )
    show_verdict(trace, task)
    if matrix == "w_o":
        place = focus.within(trace, "output")
        board = output_board(now.stage, place.query, place.feature)
    else:
        field = PROJECTED_FIELDS[matrix]
        feature = focus.within(trace, field).feature
        board = projection_board(now.stage, field, (focus.head, focus.query, feature))
    show_board(board | {"player": False}, f"construct {matrix}", fits=True)
st.caption(
    "Cells of X take numbers, too. The URL holds every edit, so a link shows what you have built."
    " *Own numbers* in the sidebar takes edits back."
)
st.header("What the heads look at now", anchor=False)
shares = softmax_board(now.stage, focus.cell("query", "key"))
show_board(shares | {"player": False}, "construct shares", fits=True)
