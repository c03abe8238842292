"""The teacher's part of a room: its letters, the link of the students, a question, its vote,
and the end.
"""

from __future__ import annotations

import base64
import re
from dataclasses import replace
from functools import cache, partial
from html import escape
from urllib.parse import urlsplit

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attention_core import Trace
from attention_core.errors import SettingsError
from attention_lab.classroom.class_question import class_question
from attention_lab.classroom.rooms import Rooms
from attention_lab.classroom.tally import export_votes
from attention_lab.classroom.votes import RoomState
from attention_lab.guesses import ITEMS, guess_of
from attention_lab.lessons.lesson_file import shipped_lessons
from attention_lab.notation.notation import Notation
from attention_lab.practice import ASKED_TITLES, MAX_QUESTION_NUMBER, practice_question
from attention_lab.quiz import Question
from attention_viz.markdown import escape_quotations
from attention_viz.practice import in_words
from attention_viz.qr_code import qr_code
from attention_viz.story.story_view import StoryView

from ..browser_files import base_path
from ..network import LOCAL_HOSTS, OPENING_COMMAND, is_open, network_url
from ..show import explained_errors, offer_file
from ..url_state import PERSISTENCE, whole_number_input
from .joining import ROOM_KEY, SECRET_KEY, SECRET_PARAMETER, keep_error, teacher_secret
from .room_service import room_service

SVG_NAMESPACE = "http://www.w3.org/2000/svg"
MAX_URL_LENGTH = 200
# A name or a number, perhaps a port, perhaps a folder.
SERVER_URL = re.compile(r"https?://([\w.-]+|\[[0-9a-fA-F:.]+\])(:\d{1,5})?(/[\w.~/-]*)?", re.ASCII)
GUESS_FIRST = "Guess first"
LESSON = "Lesson"
QUESTION_SOURCES = ("Practice", GUESS_FIRST, LESSON)
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


def class_practice_question(trace: Trace, number: int, field: str, notation: Notation) -> Question:
    """A question of *Practice*, to work out by hand. Raises: SettingsError if no step is short
    enough, or if its numbers are too long for a class.
    """
    return class_question(in_words(practice_question(trace, number, field), trace, notation))


def class_guess_question(trace: Trace, item: str, number: int) -> Question:
    """A question to guess at, with the answers of misconceptions among its options.

    Raises: SettingsError if this layer has no cell for it, or if its pictures are too large.
    """
    guess = guess_of(trace, item, number)
    places = trace.axes(guess.field)
    is_of_head = len(places) == len(guess.index) > 1 and places[1] in ("H", "G")
    names_head = is_of_head and guess.item.kind not in ("shape", "place")
    head = f"Head {guess.index[1]}: " * names_head
    return class_question(replace(guess, text=f"{head}{guess.text}"))


@cache
def lesson_questions() -> dict[str, dict[str, Question]]:
    """The questions with options of all shipped lessons, by the titles of lesson and moment."""
    found: dict[str, dict[str, Question]] = {}
    for lesson in shipped_lessons().values():
        for place, moment in enumerate(lesson.moments):
            asked = lesson.question_at(place)
            if asked and asked.options:
                of_lesson = found.setdefault(lesson.title, {})
                of_lesson[f"{place + 1} {moment.title}"] = class_question(asked)
    return found


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


def choose_question(now: StoryView) -> Question | None:
    """Choose a question and show it; None with an error if the layer has none."""
    left, middle, right = st.columns([3, 4, 3], vertical_alignment="bottom")
    kind = left.selectbox("From", QUESTION_SOURCES, key="class_kind", **PERSISTENCE)
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
                "About", tuple(ITEMS), format_func=format_item, key="class_item", **PERSISTENCE
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
    return question


def _choose_lesson_question(left: DeltaGenerator, right: DeltaGenerator) -> Question:
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


def show_vote_buttons(state: RoomState, question: Question | None) -> None:
    """The buttons to ask, close, open again and reveal: those with an effect now."""
    room = state.room
    with st.container(horizontal=True):
        st.button(
            "Ask: open the vote",
            icon=":material/campaign:",
            on_click=partial(keep_error, partial(_ask, room, question)),
            disabled=question is None,
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
        offer_file(
            "Votes as CSV",
            partial(export_votes, room_service().rooms, room, secret),
            f"class-{room}.csv",
            icon="download",
            key="class_csv",
        )
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


def _state_button(room: str, label: str, state: str, icon: str) -> None:
    act = partial(keep_error, partial(_set_state, room, state))
    st.button(label, icon=f":material/{icon}:", on_click=act, key=f"class_{state}")


def _set_state(room: str, state: str) -> None:
    room_service().change(lambda rooms: rooms.set_state(room, teacher_secret(room), state), room)


def _ask(room: str, question: Question | None) -> None:
    """In a callback: ask the question, open its vote, and send those who follow to it."""
    if question is None:
        return
    secret = teacher_secret(room)

    def ask(rooms: Rooms) -> None:
        rooms.ask(room, secret, question)
        rooms.set_state(room, secret, "open")
        rooms.move(room, secret, f"/class?room={room}")

    room_service().change(ask, room)


def _delete(room: str) -> None:
    room_service().change(lambda rooms: rooms.delete(room, teacher_secret(room)), room)
    st.session_state.update({ROOM_KEY: "", SECRET_KEY: ("", "")})
