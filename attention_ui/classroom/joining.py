"""Who is in which room: the URL names the room, the teacher's link the secret, too."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from attention_core import AttentionError
from attention_lab.classroom.letters import room_in
from attention_lab.classroom.rooms import Rooms

from ..browser_files import component, component_value
from ..facts import fact
from ..show import explained_errors
from ..url_state import restore, write_to_url
from .hall import hall

ROOM, SECRET = "room", "class_secret"  # of the session
IN_LINK = "teacher"  # what the secret is called in the teacher's link
LETTERS, REFUSED = "class_letters", "class_refused"
VIEW = "class"  # the key of the component


def known_room() -> str:
    """The letters of the room that the URL names, or that was joined; nothing without."""
    restore(ROOM, "Room", "", lambda text: room_in(text) if text else "")
    write_to_url(ROOM, "")
    return str(st.session_state[ROOM])


def leads(room: str) -> bool:
    """Whether this visitor is the teacher. The secret of a link goes from the URL into the session,
    so that no link to a page and no projector shows it.

    Raises: RoomError without such a room, RightsError for a wrong secret.
    """
    came = st.query_params.pop(IN_LINK, "")
    if came:
        hall().rooms.check_teacher(room, came)
        st.session_state[SECRET] = (room, came)
    else:
        hall().rooms.state(room)
    return bool(secret_of(room))


def secret_of(room: str) -> str:
    """The secret of a room that this visitor leads; nothing for a student."""
    led, secret = st.session_state.get(SECRET, ("", ""))
    return str(secret) if led == room else ""


def told_if_refused(act: Callable[[], None]) -> None:
    """In a callback: do this; what is refused is told on the page, by `say_refused`."""
    try:
        act()
    except AttentionError as error:
        st.session_state[REFUSED] = error


def say_refused() -> None:
    """What the last act was refused for."""
    if error := st.session_state.pop(REFUSED, None):
        with explained_errors():
            raise error


def open_room() -> None:
    """In a callback: a new room with this visitor as its teacher."""
    made = hall().lead(Rooms.open, "")
    st.session_state.update({ROOM: made.room, SECRET: (made.room, made.secret)})


def join() -> None:
    """In a callback: take part in the room whose letters were typed."""
    st.session_state[ROOM] = room_in(str(st.session_state[LETTERS]))


def leave() -> None:
    """In a callback: be in no room."""
    st.session_state[ROOM] = ""


def show_class(room: str) -> None:
    """The question and what was answered, as the browser hears of it; the script draws no news."""
    secret = secret_of(room)
    role = fact("role", "teacher" if secret else "student")
    component("classroom")(
        key=VIEW,
        data={"role": role, "room": room, **({"secret": secret} if secret else {})},
        on_secret_change=_adopt_kept,
    )


def _adopt_kept() -> None:
    """In a callback: the browser has kept the secret of a teacher who has loaded the page again."""
    room, kept = str(st.session_state[ROOM]), str(component_value(VIEW, "secret") or "")
    if hall().rooms.is_teacher(room, kept):
        st.session_state[SECRET] = (room, kept)
