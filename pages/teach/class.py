"""Class: a question that all answer on their phones, and pages that all see."""

from functools import partial

import streamlit as st

from attention_ui.board import show_board
from attention_ui.classroom import joining, reporting, teaching
from attention_ui.classroom.room_service import room_service
from attention_ui.lesson import class_picture
from attention_ui.page_context import page_context
from attention_ui.show import explained_errors
from attention_ui.url_state import session

now = page_context()
room = joining.joined_room()
joining.show_kept_error()
if not room:
    left, right = st.columns(2, gap="large")
    with left:
        st.header("Students", anchor=False)
        st.markdown("The teacher shows five letters, or a code for the camera of a phone.")
        with st.form("class_join", border=False):
            st.text_input(
                "Letters of the room", key=joining.LETTERS_KEY, max_chars=8, placeholder="KXRTB"
            )
            st.form_submit_button(
                "Join",
                icon=":material/login:",
                on_click=joining.keep_error,
                args=(joining.join_room,),
            )
    with right:
        st.header("Teachers", anchor=False)
        st.markdown(
            "Open a room, show its letters, and ask a question about the layer that you have set on"
            " the other pages. Students answer without a name. You first see how many have"
            " answered, then what they answered; then you reveal the answer. Students can follow"
            " you from page to page."
        )
        act = partial(joining.keep_error, joining.open_room)
        st.button("Open a room", icon=":material/meeting_room:", on_click=act, key="class_open")
else:
    if session().lesson is None:
        st.html(joining.ROOM_BAR)
    with explained_errors():
        if joining.is_teacher(room):
            scene = class_picture()
            left, *middle, right = st.columns([4, 6, 2] if scene else [3, 2], gap="medium")
            if scene:
                with middle[0], st.container(key="class-picture"):
                    show_board(scene, "class", fits=True)
            with right:
                teaching.show_letters(room)
            with left:
                joining.show_class(room)
                teaching.choose_question(now, room)
                teaching.show_room_tools(room_service().rooms.state(room))
            reporting.show_report(room)
        else:
            joining.show_class(room)
            st.button(
                "Leave the room", on_click=joining.leave_room, key="class_leave", type="tertiary"
            )
