"""The teacher's part of a room: its letters, a question, its vote, and the end."""

from __future__ import annotations

from functools import partial
from html import escape

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attention_lab.classroom.class_question import ClassQuestion
from attention_lab.classroom.rooms import Rooms, RoomState
from attention_lab.classroom.tally import export_votes
from attention_lab.guesses import ITEMS
from attention_lab.practice import ASKED_TITLES, MAX_QUESTION_NUMBER

from ..facts import fact
from ..markdown import escape_quotations
from ..page_context import PageContext
from ..show import explained_errors
from ..url_state import PERSISTENCE, whole_number_input
from .class_questions import class_guess_question, class_practice_question, lesson_questions
from .joining import ROOM_KEY, SECRET_KEY, SECRET_PARAMETER, keep_error, teacher_secret
from .room_service import room_service
from .student_link import checked_server_url, default_server_url, qr_code_url, student_link

GUESS_FIRST = "Guess first"
LESSON = "Lesson"
QUESTION_SOURCES = ("Practice", GUESS_FIRST, LESSON)
SERVER_KEY = "class_base"  # the server's address, as the teacher has edited it


def show_letters(room: str) -> None:
    """The letters and the QR code by which students join, large enough for the last row."""
    st.session_state.setdefault(SERVER_KEY, default_server_url())
    with explained_errors():
        link = fact(
            "student_link", student_link(checked_server_url(st.session_state[SERVER_KEY]), room)
        )
        code = f'<img src="{qr_code_url(link)}" alt="QR code of this link">'
        st.html(f'<div class="class-room"><b>{room}</b>{code}<span>{escape(link)}</span></div>')
    st.text_input(
        "URL of this server",
        key=SERVER_KEY,
        max_chars=200,
        help="Students’ phones must reach it. Use this machine’s IP address in their network.",
        **PERSISTENCE,
    )


def choose_question(now: PageContext) -> ClassQuestion | None:
    """Choose a question and show it; None with an error if the layer has none."""
    left, middle, right = st.columns([3, 4, 3], vertical_alignment="bottom")
    kind = left.selectbox("From", QUESTION_SOURCES, key="class_kind", **PERSISTENCE)
    posed = None
    if kind == LESSON:
        posed = _choose_lesson_question(middle, right)
    else:
        with right:
            number = whole_number_input(
                right, "Question", 1, MAX_QUESTION_NUMBER, 1, key="class_number", **PERSISTENCE
            )
        if kind == GUESS_FIRST:
            item = middle.selectbox(
                "About", tuple(ITEMS), format_func=format_item, key="class_item", **PERSISTENCE
            )
            with explained_errors():
                posed = class_guess_question(now.trace, item, number)
        else:
            title = middle.selectbox(
                "Step", ("any", *ASKED_TITLES), key="class_step", **PERSISTENCE
            )
            with explained_errors():
                posed = class_practice_question(
                    now.trace, number, ASKED_TITLES.get(title, ""), now.notation
                )
    if fact("chosen", posed):
        st.caption(f"Next: {escape_quotations(posed.text)}")
    return posed


def _choose_lesson_question(left: DeltaGenerator, right: DeltaGenerator) -> ClassQuestion:
    """A question of a shipped lesson; only those with options can be voted on."""
    lessons = lesson_questions()
    title = left.selectbox("Lesson", tuple(lessons), key="class_lesson", **PERSISTENCE)
    questions = lessons[title]
    moment = right.selectbox("Moment", tuple(questions), key=f"class_moment {title}", **PERSISTENCE)
    return questions[moment]


def format_item(item: str) -> str:
    """The name of a question in the list.

    >>> format_item("scores-both-ways")
    'scores, both ways'
    """
    step, _, kind = item.partition("-")
    return f"{step}, {kind.replace('-', ' ')}"


def show_vote_buttons(state: RoomState, posed: ClassQuestion | None) -> None:
    """The buttons to ask, close, open again and reveal: those with an effect now."""
    room = state.room
    with st.container(horizontal=True):
        st.button(
            "Ask: open the vote",
            icon=":material/campaign:",
            on_click=partial(keep_error, partial(_ask, room, posed)),
            disabled=posed is None,
            key="class_ask",
        )
        if state.state == "open":
            _state_button(room, "Close the vote", "closed", "lock")
        if state.state == "closed":
            _state_button(room, "Open again", "open", "lock_open")
        if state.state in ("open", "closed"):
            _state_button(room, "Reveal the answer", "revealed", "visibility")


def show_room_tools(state: RoomState) -> None:
    """The votes as a file, the teacher's link, and the end of the room."""
    room, secret = state.room, teacher_secret(state.room)
    with st.container(horizontal=True):
        st.download_button(
            "Votes as CSV",
            partial(export_votes, room_service().rooms, room, secret),
            f"class-{room}.csv",
            "text/csv",
            icon=":material/download:",
            on_click="ignore",
            key="class_csv",
        )
        with st.popover("Teacher’s link", icon=":material/key:"):
            st.caption("Whoever has this link leads the class. Do not project it.")
            with explained_errors():
                base = checked_server_url(st.session_state[SERVER_KEY])
                link = f"{student_link(base, room)}&{SECRET_PARAMETER}={secret}"
                st.code(fact("teacher_link", link), wrap_lines=True)
        with st.popover("Delete the room", icon=":material/delete:"):
            st.caption(
                "Questions and votes are deleted for good. A room is also deleted after a day."
            )
            act = partial(keep_error, partial(_delete, room))
            st.button("Delete it now", on_click=act, key="class_delete")


def _state_button(room: str, label: str, state: str, icon: str) -> None:
    act = partial(keep_error, partial(_set_state, room, state))
    st.button(label, icon=f":material/{icon}:", on_click=act, key=f"class_{state}")


def _set_state(room: str, state: str) -> None:
    room_service().change(lambda rooms: rooms.set_state(room, teacher_secret(room), state), room)


def _ask(room: str, posed: ClassQuestion | None) -> None:
    """In a callback: ask the question, open its vote, and send those who follow to it."""
    if posed is None:
        return
    secret = teacher_secret(room)

    def ask(rooms: Rooms) -> None:
        rooms.ask(room, secret, posed)
        rooms.set_state(room, secret, "open")
        rooms.move(room, secret, f"/class?room={room}")

    room_service().change(ask, room)


def _delete(room: str) -> None:
    room_service().change(lambda rooms: rooms.delete(room, teacher_secret(room)), room)
    st.session_state.update({ROOM_KEY: "", SECRET_KEY: ("", "")})
