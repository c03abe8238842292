"""Class: a question that everybody answers on a phone, and pages that everybody is shown."""

from functools import partial

import streamlit as st

from attention_ui.classroom.room_service import hall
from attention_ui.classroom.joining import (
    LETTERS,
    join,
    known_room,
    leads,
    leave,
    open_room,
    say_refused,
    show_class,
    told_if_refused,
)
from attention_ui.classroom.teaching import (
    choose_question,
    end_of_room,
    show_letters,
    vote_buttons,
)
from attention_ui.facts import fact
from attention_ui.page_context import page_context
from attention_ui.show import explained_errors

now = page_context()
room = fact("room", known_room())
say_refused()
if not room:
    left, right = st.columns(2, gap="large")
    with left:
        st.header("Students", anchor=False)
        st.markdown("The teacher shows four letters, or a code for the camera of a phone.")
        with st.form("class_join", border=False):
            st.text_input("Letters of the room", key=LETTERS, max_chars=8, placeholder="KXRT")
            st.form_submit_button(
                "Join", icon=":material/login:", on_click=told_if_refused, args=(join,)
            )
    with right:
        st.header("Teachers", anchor=False)
        st.markdown(
            "Open a room, show its letters, ask a question about the layer that is set. Students"
            " answer without a name; you see how many, then what, then reveal the"
            " answer. They can follow you from page to page."
        )
        act = partial(told_if_refused, open_room)
        st.button("Open a room", icon=":material/meeting_room:", on_click=act, key="class_open")
else:
    with explained_errors():
        if leads(room):
            left, right = st.columns([3, 2], gap="medium")
            with right:
                show_letters(room)
            with left:
                posed = choose_question(now)
                vote_buttons(hall().rooms.state(room), posed)
                show_class(room)
                end_of_room(hall().rooms.state(room))
        else:
            show_class(room)
            st.button("Leave the room", on_click=leave, key="class_leave", type="tertiary")
