"""Class: a question that all answer on their phones, and pages that all see."""

from functools import partial

import streamlit as st

from attention_ui.classroom.joining import (
    LETTERS_KEY,
    is_teacher,
    join_room,
    joined_room,
    keep_error,
    leave_room,
    open_room,
    show_class,
    show_kept_error,
)
from attention_ui.classroom.room_service import room_service
from attention_ui.classroom.teaching import (
    choose_question,
    show_letters,
    show_room_tools,
    show_vote_buttons,
)
from attention_ui.page_context import page_context
from attention_ui.show import explained_errors

now = page_context()
room = joined_room()
show_kept_error()
if not room:
    left, right = st.columns(2, gap="large")
    with left:
        st.header("Students", anchor=False)
        st.markdown("The teacher shows five letters, or a code for the camera of a phone.")
        with st.form("class_join", border=False):
            st.text_input("Letters of the room", key=LETTERS_KEY, max_chars=8, placeholder="KXRTB")
            st.form_submit_button(
                "Join", icon=":material/login:", on_click=keep_error, args=(join_room,)
            )
    with right:
        st.header("Teachers", anchor=False)
        st.markdown(
            "Open a room, show its letters, and ask a question about the layer that you have set on"
            " the other pages. Students answer without a name. You first see how many have"
            " answered, then what they answered; then you reveal the answer. Students can follow"
            " you from page to page."
        )
        act = partial(keep_error, open_room)
        st.button("Open a room", icon=":material/meeting_room:", on_click=act, key="class_open")
else:
    with explained_errors():
        if is_teacher(room):
            left, right = st.columns([3, 2], gap="medium")
            with right:
                show_letters(room)
            with left:
                question = choose_question(now)
                show_vote_buttons(room_service().rooms.state(room), question)
                show_class(room)
                show_room_tools(room_service().rooms.state(room))
        else:
            show_class(room)
            st.button("Leave the room", on_click=leave_room, key="class_leave", type="tertiary")
