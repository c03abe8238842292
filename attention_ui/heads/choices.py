"""What the pages about heads let a visitor choose: heads, a kind of sharing, a task, a setting."""

from __future__ import annotations

import streamlit as st

from attention_core import Trace
from attention_lab.construct import HEAD_TASKS, HeadTask
from attention_lab.presets import widget_values

from ..url_state import PERSISTENCE, draw_bound, session

LABEL_OF_MATRIX = {"w_q": "W_Q", "w_k": "W_K", "w_v": "W_V", "w_o": "W_O"}


def choose_task() -> HeadTask:
    """The task that is chosen; its title stands in the URL."""
    titles = {task.title: task for task in HEAD_TASKS.values()}
    chosen = draw_bound(
        st.selectbox, "Task", tuple(titles), key="construct_task", required=True, **PERSISTENCE
    )
    return titles[chosen]


def choose_matrix(task: HeadTask) -> str:
    """The matrix that is edited, at first the one to begin with."""
    chosen = st.segmented_control(
        "Matrix to edit",
        tuple(LABEL_OF_MATRIX),
        default=task.matrix,
        format_func=LABEL_OF_MATRIX.__getitem__,
        key=f"construct matrix {task.title}",
        required=True,
    )
    return chosen or task.matrix


def load_start(task: HeadTask) -> None:
    """In a callback: the layer that the task starts from, in place of the one that is shown."""
    st.session_state.update(widget_values(task.start))
    session().last = task.start


def show_start_button(task: HeadTask, is_start: bool) -> None:
    """Begin, or begin anew."""
    st.button(
        "Start from here" if not is_start else "This is the start",
        icon=":material/restart_alt:",
        on_click=load_start,
        args=(task,),
        disabled=is_start,
        key="construct start",
        help="Sets every control and takes back all edits.",
    )


def show_verdict(trace: Trace, task: HeadTask) -> None:
    """What is there, and what is missing."""
    parts = task.check(trace)
    if all(part.done for part in parts):
        st.success("Done: the layer does what was asked.", icon=":material/check_circle:")
    for part in parts:
        missing = f" **Missing:** {part.missing}" if part.missing else ""
        mark = ":material/check:" if part.done else ":material/radio_button_unchecked:"
        st.markdown(f"{mark} {part.goal}{missing}")
