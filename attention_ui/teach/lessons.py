"""The shipped lessons with buttons to open, print and change them; and a teacher's own lesson:
views are added on any page, and edited on *For teachers*.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import streamlit as st

from attention_core import AttentionError
from attention_lab.classroom.tally import misconceptions_met
from attention_lab.guesses import MISCONCEPTIONS
from attention_lab.lessons.lesson import Lesson, Moment, lesson_question, state_text
from attention_lab.lessons.lesson_file import (
    LESSON_FILE,
    keep_lesson,
    lesson_named,
    lesson_to_link,
    read_lesson,
    shipped_lessons,
    write_lesson,
)
from attention_lab.page_list import Page, page_of
from attention_lab.quiz import Question
from attention_viz.teach.for_teachers_page import PART, lesson_files

from ..blocks import Parts
from ..classroom.joining import ROOM_KEY, teacher_secret
from ..classroom.room_service import room_service
from ..lesson import check_lesson_pages
from ..show import explained_errors, keeping_error, offer_file
from ..upload_limits import check_upload
from ..url_state import request_page, restore, write_to_url
from .links import show_link, visited_url

DRAFT_KEY = "draft"
EMPTY_LESSON = Lesson("My lesson")
DRAFT_ERROR_KEY = "lesson refused"
MAX_LESSON_FILE_MB = 1  # the smallest bound of the uploader


def read_draft() -> Lesson | None:
    """The teacher's lesson, whose key the URL holds; None if there is none."""
    restore(DRAFT_KEY, "Your lesson", "", _checked)
    write_to_url(DRAFT_KEY, "")
    name = str(st.session_state[DRAFT_KEY])
    return lesson_named(name) if name else None


def _checked(name: str) -> str:
    if name:
        check_lesson_pages(lesson_named(name))
    return name


def keep_draft(lesson: Lesson) -> None:
    """In a callback: store the teacher's lesson and put its key into the URL."""
    st.session_state[DRAFT_KEY] = keep_lesson(lesson)


def show_draft_box(page: Page) -> None:
    """The box in the sidebar that adds the current view to the teacher's lesson, if any."""
    lesson = read_draft()
    if lesson is None:
        return
    with st.container(key="draft box", border=True):
        st.markdown(f"**Your lesson** · moments: {len(lesson.moments)}")
        with st.container(horizontal=True):
            st.button("Add this view", on_click=_add, args=(lesson, page), key="add view")
            st.button("Open", on_click=_open, key="open draft")


def _add(lesson: Lesson, page: Page) -> None:
    with keeping_error(DRAFT_ERROR_KEY):
        held = state_text(st.query_params.to_dict())
        keep_draft(lesson.with_moment(Moment(page.title, page.url_path, held)))


def _open() -> None:
    draft = {PART.key: "own", DRAFT_KEY: st.session_state[DRAFT_KEY]}
    request_page(page_of("for-teachers").path, **draft)


def _offer_change(name: str, lesson: Lesson, *_: object) -> None:
    """A button that takes a shipped lesson as the teacher's own."""
    st.button("Change it", on_click=keep_draft, args=(lesson,), key=f"change {name}")


def edit_draft() -> None:
    """The teacher's lesson, with everything to edit it."""
    lesson = read_draft()
    if error := st.session_state.pop(DRAFT_ERROR_KEY, None):
        st.error(error)
    if lesson is None:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            begin = partial(keep_draft, EMPTY_LESSON)
            st.button("Begin a lesson", on_click=begin, key="begin draft")
    else:
        _edit(lesson)
    st.file_uploader(
        "Open a lesson from a file",
        ["json"],
        key="lesson file",
        on_change=_load,
        max_upload_size=MAX_LESSON_FILE_MB,
        help=f"A lesson that was saved here, at most {LESSON_FILE.max_bytes // 1024} kB.",
    )


def _load() -> None:
    file = st.session_state["lesson file"]
    if file is None:
        return
    with keeping_error(DRAFT_ERROR_KEY):
        check_upload(file)
        keep_draft(check_lesson_pages(read_lesson(file.getvalue())))


def _edit(lesson: Lesson) -> None:
    with st.form("title of the lesson", border=False):
        left, right = st.columns([3, 1])
        title = left.text_input("Title of the lesson", lesson.title, 90)
        minutes = right.number_input("Minutes", 1, 600, lesson.minutes)
        goals = st.text_area("Goals, one on each line", "\n".join(lesson.goals))
        if st.form_submit_button("Keep title and goals"):
            lines = tuple(line.strip() for line in goals.splitlines() if line.strip())
            _change(lambda: replace(lesson, title=title, minutes=int(minutes), goals=lines))
    if not lesson.moments:
        st.info("Go to any page, set its controls, and press *Add this view*.")
        return
    place = st.selectbox(
        "Moment",
        range(len(lesson.moments)),
        format_func=lambda one: f"{one + 1} · {lesson.moments[one].title}",
        key="draft moment",
    )
    place = min(place or 0, len(lesson.moments) - 1)
    _edit_moment(lesson, place)
    _offer(lesson)


def _edit_moment(lesson: Lesson, place: int) -> None:
    moment = lesson.moments[place]
    asked = moment.question
    ask, why = (asked.text, asked.why) if asked else ("", "")
    with st.form(f"form of moment {place} {hash(moment)}", border=True):
        title = st.text_input("Title", moment.title, 90)
        text = st.text_input("For students", moment.text, 400)
        note = st.text_area("Note for the teacher", moment.note)
        left, right = st.columns(2)
        ask = left.text_input("Question", ask, 400)
        why = right.text_input("Why, shown with the answer", why, 400)
        options = st.text_area(
            "Answers to choose from, one on each line, the right one first",
            "\n".join(_right_first(asked)),
        )
        if st.form_submit_button("Keep this moment"):

            def kept() -> Lesson:
                question = _question(ask, why, options, asked)
                now = replace(moment, title=title, text=text, note=note, question=question)
                return lesson.with_changed(place, now)

            _change(kept)
    with st.container(horizontal=True):
        for label, changed in (
            ("Earlier", lesson.moved(place, -1)),
            ("Later", lesson.moved(place, 1)),
            ("Remove", lesson.without(place)),
        ):
            st.button(label, on_click=keep_draft, args=(changed,), key=f"draft {label}")


def _right_first(asked: Question | None) -> list[str]:
    options = asked.options if asked else ()
    return [one.label for one in sorted(options, key=lambda one: not one.right)]


def _question(ask: str, why: str, options: str, before: Question | None) -> Question | None:
    """The question of a form, with the misconceptions of before. In the form the right answer comes
    first; in the lesson the answers are in alphabetical order. Raises: SettingsError, TextError.
    """
    lines = [line.strip() for line in options.splitlines() if line.strip()]
    in_order = tuple(sorted(lines))
    right = in_order.index(lines[0]) if lines else 0
    known = (
        {one.label: name for one in before.options for name in one.misconceptions} if before else {}
    )
    beliefs = {label: name for label, name in known.items() if label in lines[1:]}
    return lesson_question(ask, why, in_order, right, beliefs) if ask.strip() else None


def _change(changed: Callable[[], Lesson]) -> None:
    """Store a changed lesson and run the page again; on an error show it."""
    try:
        keep_draft(changed())
    except AttentionError as error:
        st.error(str(error))
        return
    st.rerun()


def _offer(lesson: Lesson) -> None:
    """Buttons that open and save the lesson, and its link."""
    name = lesson_to_link(lesson)
    with st.container(horizontal=True):
        st.link_button("Open it", f"./{lesson.url(0, name or st.session_state[DRAFT_KEY])}")
        offer_file(
            "Save as a file",
            lambda: write_lesson(lesson),
            "lesson.json",
            help="Keep the file: the server does not keep the lesson for good.",
        )
        for file in lesson_files("my-lesson", lesson):
            offer_file(file.label, file.make, file.name)
    if name is None:
        st.caption("The lesson is too long for a link: hand out the file.")
    else:
        show_link(f"{visited_url()}?lesson={name}", lesson.title)


def show_class_misconceptions() -> None:
    """How often the class of this teacher fell for each misconception; nothing without a room."""
    room = str(st.session_state.get(ROOM_KEY, ""))
    if not room or not teacher_secret(room):
        return
    st.header(f"In your class {room}", anchor=False)
    with explained_errors():
        met = misconceptions_met(room_service().rooms, room, teacher_secret(room))
        lines = [
            f"- {MISCONCEPTIONS[name].text} **{fell} of {count}**"
            for name, (fell, count) in sorted(met.items(), key=lambda one: -one[1][0])
            if name in MISCONCEPTIONS
        ]
        st.markdown("\n".join(lines) or "No question with a misconception was asked yet.")


LESSON_PARTS: Parts = {
    "own lesson": lambda *_: edit_draft(),
    "class misconceptions": lambda *_: show_class_misconceptions(),
    **{
        f"change {name}": partial(_offer_change, name, lesson)
        for name, lesson in shipped_lessons().items()
    },
}
