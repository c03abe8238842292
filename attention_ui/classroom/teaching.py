"""The teacher's part of a room: its letters, the link of the students, a question, its vote,
and the end.
"""

import base64
import re
from functools import partial
from html import escape
from urllib.parse import urlencode, urlsplit

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attention_core.errors import SettingsError
from attention_lab.classroom.class_question import MAX_TEXT_CHARACTERS, own_question
from attention_lab.classroom.rooms import Rooms
from attention_lab.classroom.tally import export_votes
from attention_lab.classroom.votes import RoomState
from attention_lab.guesses import ITEMS
from attention_lab.practice import ASKED_TITLES, MAX_QUESTION_NUMBER
from attention_lab.quiz import Question
from attention_viz.markdown import escape_quotations
from attention_viz.qr_code import qr_code
from attention_viz.story.story_view import StoryView

from ..browser_files import base_path
from ..network import LOCAL_HOSTS, OPENING_COMMAND, is_open, network_url
from ..show import explained_errors, offer_file
from ..url_state import PERSISTENCE, session, whole_number_input
from .asking import (
    class_guess_question,
    class_practice_question,
    item_name,
    lesson_questions,
)
from .joining import ROOM_KEY, SECRET_KEY, SECRET_PARAMETER, keep_error, teacher_secret
from .room_service import ask_class, room_service

SVG_NAMESPACE = "http://www.w3.org/2000/svg"
MAX_URL_LENGTH = 200
# A name or a number, perhaps a port, perhaps a folder.
SERVER_URL = re.compile(r"https?://([\w.-]+|\[[0-9a-fA-F:.]+\])(:\d{1,5})?(/[\w.~/-]*)?", re.ASCII)
GUESS_FIRST = "Guess first"
LESSON = "Lesson"
OWN = "Your own"
QUESTION_SOURCES = ("Practice", GUESS_FIRST, LESSON, OWN)
OWN_KEYS = ("class_text", "class_right", "class_wrong 1", "class_wrong 2", "class_wrong 3")
SERVER_KEY = "class_base"  # the server's address, as the teacher has edited it


def default_server_url() -> str:
    """The URL of the app for students: the one of the teacher's browser, with this machine's
    address in the network in the place of localhost.
    """
    parts = urlsplit(st.context.url or "")
    if (parts.hostname or "localhost") not in LOCAL_HOSTS:
        return f"{parts.scheme}://{parts.netloc}{base_path()}"
    return network_url()


def checked_server_url(text: str) -> str:
    """The URL of a server that a teacher typed. Raises: SettingsError for anything else."""
    base = text.strip().rstrip("/")
    base = base if "://" in base else f"http://{base}"
    try:
        is_fine = bool(SERVER_URL.fullmatch(base)) and urlsplit(base).port != 0
    except ValueError:  # a port beyond 65535, or brackets without an IP address
        is_fine = False
    if not is_fine or len(base) > MAX_URL_LENGTH:
        raise SettingsError(
            f"“{text[:60]}” is not the URL of a server; write one such as http://192.168.1.20:8501,"
            f" with at most {MAX_URL_LENGTH} characters"
        )
    return base


def student_link(base: str, room: str) -> str:
    """The link for students; it holds no secret.

    >>> student_link("http://192.168.1.20:8501", "KXRT")
    'http://192.168.1.20:8501/class?room=KXRT'
    """
    return f"{base}/class?room={room}"


def qr_code_url(link: str) -> str:
    """A link as a QR code: an SVG image in a data URL, since Streamlit removes SVG from HTML.

    >>> qr_code_url("http://192.168.1.20:8501/class?room=KXRT")[:26]
    'data:image/svg+xml;base64,'
    """
    picture = qr_code(link, "The link to the room").replace(
        "<svg", f'<svg xmlns="{SVG_NAMESPACE}"', 1
    )
    return f"data:image/svg+xml;base64,{base64.b64encode(picture.encode()).decode()}"


def show_letters(room: str) -> None:
    """The letters and the QR code by which students join, large enough for the last row."""
    st.session_state.setdefault(SERVER_KEY, default_server_url())
    with explained_errors():
        link = student_link(checked_server_url(st.session_state[SERVER_KEY]), room)
        code = f'<img src="{qr_code_url(link)}" alt="QR code of this link">'
        st.html(f'<div class="class-room"><b>{room}</b>{code}<span>{escape(link)}</span></div>')
    if not is_open() and urlsplit(st.context.url or "").hostname in LOCAL_HOSTS:
        st.warning(
            "Only this computer can open the link, because the app listens to nobody else. To let"
            f" the class in, stop the app and start it by `{OPENING_COMMAND}`; the room stays.",
            icon=":material/lan:",
        )
    st.text_input(
        "URL of this server",
        key=SERVER_KEY,
        max_chars=200,
        help="Students’ phones must reach it. Use this machine’s IP address in their network.",
        **PERSISTENCE,
    )


def choose_question(now: StoryView, room: str) -> None:
    """Choose a question, or write one, and ask the class."""
    left, middle, right = st.columns([3, 4, 3], vertical_alignment="bottom")
    kind = left.selectbox("From", QUESTION_SOURCES, key="class_kind", **PERSISTENCE)
    if kind == OWN:
        _write_question(room)
        return
    question = None
    if kind == LESSON:
        question = _choose_lesson_question(middle, right)
    else:
        with right:
            number = whole_number_input(
                right, "Question", 1, MAX_QUESTION_NUMBER, 1, key="class_number", **PERSISTENCE
            )
        if kind == GUESS_FIRST:
            item = middle.selectbox(
                "About", tuple(ITEMS), format_func=item_name, key="class_item", **PERSISTENCE
            )
            with explained_errors():
                question = class_guess_question(now.trace, item, number)
        else:
            title = middle.selectbox(
                "Step", ("any", *ASKED_TITLES), key="class_step", **PERSISTENCE
            )
            with explained_errors():
                question = class_practice_question(
                    now.trace, number, ASKED_TITLES.get(title, ""), now.notation
                )
    if question:
        st.caption(f"Next: {escape_quotations(question.text)}")
    st.button(
        "Ask: open the vote",
        icon=":material/campaign:",
        on_click=partial(keep_error, partial(_ask, room, question)),
        disabled=question is None,
        key="class_ask",
    )


def _write_question(room: str) -> None:
    """A question of one's own: two to four answers, the right one first, or a number alone."""
    with st.form("class_own", border=False, clear_on_submit=True):
        st.text_input("Your question", key=OWN_KEYS[0], max_chars=MAX_TEXT_CHARACTERS)
        labels = ("Right answer, or a number alone", *("Another answer",) * 3)
        for column, label, key in zip(st.columns(4), labels, OWN_KEYS[1:], strict=True):
            column.text_input(label, key=key, max_chars=MAX_TEXT_CHARACTERS)
        act = partial(keep_error, partial(_ask_own, room))
        st.form_submit_button("Ask your question", icon=":material/campaign:", on_click=act)


def _ask_own(room: str) -> None:
    text, right, *others = (str(st.session_state[key]) for key in OWN_KEYS)
    _ask(room, own_question(text, right, others))


def _choose_lesson_question(left: DeltaGenerator, right: DeltaGenerator) -> Question:
    """A question of a shipped lesson; only those with options can be voted on."""
    lessons = lesson_questions()
    title = left.selectbox("Lesson", tuple(lessons), key="class_lesson", **PERSISTENCE)
    questions = lessons[title]
    moment = right.selectbox("Moment", tuple(questions), key=f"class_moment {title}", **PERSISTENCE)
    return questions[moment]


def show_room_tools(state: RoomState) -> None:
    """The votes as a file, the end of the class, the teacher's link, the end of the room."""
    room, secret = state.room, teacher_secret(state.room)
    with st.container(horizontal=True):
        offer_file(
            "Votes as CSV",
            partial(export_votes, room_service().rooms, room, secret),
            f"class-{room}.csv",
            icon="download",
            key="class_csv",
        )
        if state.state != "ended":
            act = partial(keep_error, partial(_end, room))
            st.button("End the class", icon=":material/flag:", on_click=act, key="class_end")
        with st.popover("Teacher’s link", icon=":material/key:"):
            st.caption("Whoever has this link leads the class. Do not project it.")
            with explained_errors():
                base = checked_server_url(st.session_state[SERVER_KEY])
                link = f"{student_link(base, room)}&{SECRET_PARAMETER}={secret}"
                st.code(link, wrap_lines=True)
        with st.popover("Delete the room", icon=":material/delete:"):
            st.caption(
                "Questions and votes are deleted for good. A room is also deleted after a day."
            )
            act = partial(keep_error, partial(_delete, room))
            st.button("Delete it now", on_click=act, key="class_delete")


def _ask(room: str, question: Question | None) -> None:
    """In a callback: ask the question, open its vote, and send those who follow to it."""
    if question is None:
        return
    act = partial(ask_class, room=room, secret=teacher_secret(room), posed=question)
    room_service().change(act, room)


def _end(room: str) -> None:
    """In a callback: thank the students, and give them the link to the lesson, if there is one."""
    last = session().moment  # of this visit, also where the lesson was left
    there = f"/?{urlencode({'lesson': last[0]})}" if last else "/"
    secret = teacher_secret(room)
    room_service().change(partial(Rooms.end, room=room, secret=secret, moment=there), room)


def _delete(room: str) -> None:
    room_service().change(lambda rooms: rooms.delete(room, teacher_secret(room)), room)
    st.session_state.update({ROOM_KEY: "", SECRET_KEY: ("", "")})
