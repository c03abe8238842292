"""What a teacher has in a room: its letters, a question, its vote, and the end."""

from __future__ import annotations

from functools import partial
from html import escape

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attention_core import STEPS
from attention_lab.classroom.posed import Posed
from attention_lab.classroom.rooms import Rooms, RoomState
from attention_lab.classroom.tally import export
from attention_lab.guesses import ITEMS
from attention_lab.practice import ASKED_FIELDS, MAX_QUESTION_NUMBER

from ..facts import fact
from ..markdown import escape_quotations
from ..page_context import PageContext
from ..show import explained_errors
from ..url_state import PERSISTENCE, whole_number_input
from .hall import hall
from .joining import IN_LINK, ROOM, SECRET, secret_of, told_if_refused
from .links import checked_base, code_of, student_link, usual_base
from .questions import from_guess, from_practice, lesson_questions

TITLES = {STEPS[field].title: field for field in ASKED_FIELDS}
GUESS = "Guess first"
LESSON = "Lesson"
KINDS = ("Practice", GUESS, LESSON)
BASE = "class_base"  # the server's address, as the teacher has edited it


def show_letters(room: str) -> None:
    """The letters and the code by which students join, to be read from the last row."""
    st.session_state.setdefault(BASE, usual_base())
    with explained_errors():
        link = fact("student_link", student_link(checked_base(st.session_state[BASE]), room))
        code = f'<img src="{code_of(link)}" alt="QR code of this link">'
        st.html(f'<div class="class-room"><b>{room}</b>{code}<span>{escape(link)}</span></div>')
    st.text_input(
        "Address of this server",
        key=BASE,
        max_chars=200,
        help="Students’ phones must reach it: this machine’s address in the network of the room.",
        **PERSISTENCE,
    )


def choose_question(now: PageContext) -> Posed | None:
    """A question, chosen and told; None where there is none, with the reason."""
    left, middle, right = st.columns([3, 4, 3], vertical_alignment="bottom")
    kind = left.selectbox("From", KINDS, key="class_kind", **PERSISTENCE)
    posed = None
    if kind == LESSON:
        posed = _of_lesson(middle, right)
    else:
        with right:
            number = whole_number_input(
                right, "Question", 1, MAX_QUESTION_NUMBER, 1, key="class_number", **PERSISTENCE
            )
        if kind == GUESS:
            item = middle.selectbox(
                "About", tuple(ITEMS), format_func=spoken, key="class_item", **PERSISTENCE
            )
            with explained_errors():
                posed = from_guess(now.trace, item, number)
        else:
            title = middle.selectbox("Step", ("any", *TITLES), key="class_step", **PERSISTENCE)
            with explained_errors():
                posed = from_practice(now.trace, number, TITLES.get(title, ""), now.notation)
    if fact("chosen", posed):
        st.caption(f"Next: {escape_quotations(posed.text)}")
    return posed


def _of_lesson(left: DeltaGenerator, right: DeltaGenerator) -> Posed:
    """A question of a lesson that comes with the app; only those with options can be voted on."""
    lessons = lesson_questions()
    title = left.selectbox("Lesson", tuple(lessons), key="class_lesson", **PERSISTENCE)
    questions = lessons[title]
    moment = right.selectbox("Moment", tuple(questions), key=f"class_moment {title}", **PERSISTENCE)
    return questions[moment]


def spoken(item: str) -> str:
    """A question to guess at, as the list names it.

    >>> spoken("scores-both-ways")
    'scores, both ways'
    """
    step, _, kind = item.partition("-")
    return f"{step}, {kind.replace('-', ' ')}"


def vote_buttons(state: RoomState, posed: Posed | None) -> None:
    """Ask, close, open once more, reveal: those that do something now."""
    room = state.room
    with st.container(horizontal=True):
        st.button(
            "Ask: open the vote",
            icon=":material/campaign:",
            on_click=partial(told_if_refused, partial(_ask, room, posed)),
            disabled=posed is None,
            key="class_ask",
        )
        if state.state == "open":
            _turn(room, "Close the vote", "closed", "lock")
        if state.state == "closed":
            _turn(room, "Open again", "open", "lock_open")
        if state.state in ("open", "closed"):
            _turn(room, "Reveal the answer", "revealed", "visibility")


def end_of_room(state: RoomState) -> None:
    """The votes as a file, the teacher's link, and the end of the room."""
    room, secret = state.room, secret_of(state.room)
    with st.container(horizontal=True):
        st.download_button(
            "Votes as CSV",
            partial(export, hall().rooms, room, secret),
            f"class-{room}.csv",
            "text/csv",
            icon=":material/download:",
            on_click="ignore",
            key="class_csv",
        )
        with st.popover("Teacher’s link", icon=":material/key:"):
            st.caption("Who has it leads the class. Keep it from the projector.")
            with explained_errors():
                base = checked_base(st.session_state[BASE])
                link = f"{student_link(base, room)}&{IN_LINK}={secret}"
                st.code(fact("teacher_link", link), wrap_lines=True)
        with st.popover("Delete the room", icon=":material/delete:"):
            st.caption("Questions and votes are gone for good. By itself it goes after a day.")
            act = partial(told_if_refused, partial(_delete, room))
            st.button("Delete it now", on_click=act, key="class_delete")


def _turn(room: str, label: str, state: str, icon: str) -> None:
    act = partial(told_if_refused, partial(_lead, room, state))
    st.button(label, icon=f":material/{icon}:", on_click=act, key=f"class_{state}")


def _lead(room: str, state: str) -> None:
    hall().lead(lambda rooms: rooms.turn(room, secret_of(room), state), room)


def _ask(room: str, posed: Posed | None) -> None:
    """In a callback: put the question, open its vote, and bring those who follow to it."""
    if posed is None:
        return
    secret = secret_of(room)

    def act(rooms: Rooms) -> None:
        rooms.ask(room, secret, posed)
        rooms.turn(room, secret, "open")
        rooms.move(room, secret, f"/class?room={room}")

    hall().lead(act, room)


def _delete(room: str) -> None:
    hall().lead(lambda rooms: rooms.delete(room, secret_of(room)), room)
    st.session_state.update({ROOM: "", SECRET: ("", "")})
