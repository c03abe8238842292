"""Joining and leading a room: the URL holds the room, and the teacher's link also the secret."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from secrets import token_hex

import streamlit as st

from attention_core import AttentionError
from attention_lab.classroom.letters import parse_room
from attention_lab.classroom.limits import network_of
from attention_lab.classroom.rooms import Rooms

from ..browser_files import component
from ..show import explained_errors
from ..url_state import restore, write_to_url
from .room_service import room_service

ROOM_KEY, SECRET_KEY = "room", "class_secret"  # keys of the session
SECRET_PARAMETER = "teacher"  # the parameter of the teacher's link
LED_COOKIE = "attention-lab-led"  # in it a tab hands the room that it leads to its next visit
# The bar of a page without a lesson, in which the script of the class shows the room.
ROOM_BAR = (
    '<nav class="lesson-bar" aria-label="Class"><div class="lesson-line">'
    '<span class="lesson-room"></span></div></nav>'
)
LETTERS_KEY, ERROR_KEY = "class_letters", "class_refused"
COMPONENT_KEY = "class"  # the key of the component
VISIT_KEY, OPENED_KEY = "class_visit", "class_opened"  # the name of this visit, its rooms


def joined_room() -> str:
    """The letters of the room in the URL or the one joined before; empty without a room."""
    restore(ROOM_KEY, "Room", "", lambda text: parse_room(text) if text else "")
    write_to_url(ROOM_KEY, "")
    return str(st.session_state[ROOM_KEY])


def is_teacher(room: str) -> bool:
    """Whether this visitor is the teacher. The secret of a link goes from the URL into the session,
    so that no link to a page and no projector shows it.

    Raises: RoomError if there is no such room, RightsError for a wrong secret.
    """
    secret, service = st.query_params.pop(SECRET_PARAMETER, ""), room_service()
    entered, _ = st.session_state.get(SECRET_KEY, ("", ""))
    if secret or entered != room:
        visit = st.session_state.setdefault(VISIT_KEY, token_hex(16))
        # Pages have a measure beside that of the routes: a visit costs the server, and whoever
        # sends requests to the routes keeps nobody from joining by a page.
        service.enter(room, f"pages of {_network()}", visit, secret=secret)
        st.session_state[SECRET_KEY] = (room, "")
    if secret:
        service.rooms.check_teacher(room, secret)
        st.session_state[SECRET_KEY] = (room, secret)
    service.rooms.state(room)
    return bool(teacher_secret(room))


def know_again() -> None:
    """In the first run of a visit: the room that this tab led before it was loaded again, or before
    the server was started anew. A room in the URL is another one, unless it is the same.
    """
    letters, _, secret = str(st.context.cookies.get(LED_COOKIE, "")).partition(".")
    with suppress(AttentionError):  # of a cookie that is no room
        room = parse_room(letters)
        if room_service().rooms.is_teacher(room, secret):
            st.session_state.update({ROOM_KEY: room, SECRET_KEY: (room, secret)})


def led_room() -> str:
    """The room that this visitor leads; empty without one."""
    room = str(st.session_state.get(ROOM_KEY, ""))
    return room if room and teacher_secret(room) else ""


def teacher_secret(room: str) -> str:
    """The secret of a room that this visitor leads; empty for a student."""
    led, secret = st.session_state.get(SECRET_KEY, ("", ""))
    return str(secret) if led == room else ""


def keep_error(action: Callable[[], None]) -> None:
    """In a callback: run an action; `show_kept_error` shows its error on the page."""
    try:
        action()
    except AttentionError as error:
        st.session_state[ERROR_KEY] = error


def show_kept_error() -> None:
    """Show the error of the last action, if it had one."""
    if error := st.session_state.pop(ERROR_KEY, None):
        with explained_errors():
            raise error


def open_room() -> None:
    """In a callback: a new room with this visitor as its teacher."""
    earlier = st.session_state.setdefault(OPENED_KEY, [])
    made = room_service().change(partial(Rooms.open, source=_network(), earlier=earlier), "")
    earlier.append(made.room)
    st.session_state.update({ROOM_KEY: made.room, SECRET_KEY: (made.room, made.secret)})


def _network() -> str:
    """The network of this visitor; for Streamlit, this machine has none."""
    return network_of(st.context.ip_address)


def join_room() -> None:
    """In a callback: join the room whose letters were typed."""
    st.session_state[ROOM_KEY] = parse_room(str(st.session_state[LETTERS_KEY]))


def leave_room() -> None:
    """In a callback: leave the room."""
    st.session_state[ROOM_KEY] = ""


def show_class(room: str) -> None:
    """The question and its answers; the browser gets news from the routes, without a script run."""
    secret = teacher_secret(room)
    data = {"role": "teacher" if secret else "student", "room": room}
    component("classroom")(
        key=COMPONENT_KEY,
        data=data
        | {"ticket": room_service().rooms.ticket(room)}
        | ({"secret": secret} if secret else {}),
    )
