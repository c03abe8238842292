"""The lesson in the URL: its name, its moment, and its bar above the page, as HTML;
assets/page/lesson.js handles the links and buttons of the bar.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attention_core import AttentionError, FileError, SettingsError, Trace
from attention_core.checks import check_choice
from attention_lab.choices import DECLARED
from attention_lab.classroom.class_question import class_question, question_id, question_to_json
from attention_lab.control_list import CONTROLS, VIEW_DEFAULTS
from attention_lab.lessons.lesson import LESSON_VIEWS, Lesson, Moment
from attention_lab.lessons.lesson_file import lesson_named
from attention_lab.page_list import PAGES, Page, page_now
from attention_lab.presets import SENTENCE_KEY
from attention_lab.quiz import Question
from attention_viz.payload import JSON
from attention_viz.story.story_file import moment_picture

from .acts import NO_MASK_KEY
from .board import PIN_PARAMETER
from .classroom.asking import page_question
from .classroom.joining import ROOM_BAR, ROOM_KEY, led_room
from .uneven_heads import HEADS, OFFERED
from .url_state import open_now, restore, session, write_to_url

# The choices in the URL that concern lessons, as they are without one.
NO_LESSON = {"lesson": "", "moment": "1", "view": "full", "show": ""}
# A stage as a picture alone.
WORDLESS: JSON = {
    "title": "",
    "question": "",
    "says": "",
    "formula": None,
    "choices": [],
    "notes": [],
}
GOES_ON = {"present"}  # from moment to moment: the lecture mode
CLASS = "class"  # the URL path of the page of a room
# Choices of a moment that end with the lesson: its covered result, and no questions of the app.
CHOICES_OF_LESSONS = ("hide", "guess")
# What a step shows beside its controls: without the mask, a sequence of the batch, a pinned cell.
PLACES = {NO_MASK_KEY, SENTENCE_KEY, PIN_PARAMETER}


@dataclass(frozen=True)
class ShownLesson:
    """A lesson that is shown. name: in the URL. place: the index of its moment. view: one of
    `LESSON_VIEWS`. is_new: whether this run opens the moment.
    """

    lesson: Lesson
    name: str
    place: int
    view: str
    is_new: bool

    @property
    def moment(self) -> Moment:
        """The current moment."""
        return self.lesson.moments[self.place]

    @property
    def controls(self) -> tuple[str, ...] | None:
        """The names of the controls to show; None for all."""
        return self.moment.controls if self.view == "lesson" else None


def read_shown_lesson(url_path: str) -> None:
    """Read the lesson from the URL into the session. A URL without a page opens the page of the
    moment.
    """
    now = session()
    now.lesson = None
    if now.asked.keys().isdisjoint(NO_LESSON) and all(
        st.session_state.get(choice) == text for choice, text in NO_LESSON.items()
    ):
        return  # nearly every run: the four choices need not be compared with the URL
    restore("lesson", "Lesson", "", _checked_name)
    name = str(st.session_state["lesson"])
    # With a lesson the moment always stands in the URL.
    usual = NO_LESSON | ({"moment": "", "view": lesson_named(name).view} if name else {})
    if name:
        lesson, known = lesson_named(name), now.moment
        # Without a moment in the URL a lesson that was not shown before opens at its first one.
        if "moment" not in now.asked and (known is None or known[0] != name):
            st.session_state["moment"] = lesson.moment_text(0)
        restore("moment", "Moment", lesson.moment_text(0), partial(_checked_moment, lesson))
    else:
        restore("moment", "Moment", "1", str)
    restore("view", "View", usual["view"], _checked_view)
    restore("show", "Controls that are shown", "", _checked_controls)
    for choice, text in usual.items():
        write_to_url(choice, text)
    if not now.has_scripts:
        _open_groups_of(str(st.session_state["show"]).split("."))
    if name:
        now.lesson = _open_moment(name, url_path)


def _open_moment(name: str, url_path: str) -> ShownLesson:
    """Open a moment of a lesson. When it is new, all controls and all choices of its page that it
    does not name get their defaults.
    """
    now, lesson = session(), lesson_named(name)
    place = lesson.place_of(str(st.session_state["moment"]))
    is_new = now.moment != (name, place)
    shown = ShownLesson(lesson, name, place, str(st.session_state["view"]), is_new)
    if not url_path:
        there = parse_qs(
            urlsplit(moment_url(lesson, name, place, shown.view)).query, keep_blank_values=True
        )
        there |= {name: now.asked[name] for name in GOES_ON & now.asked.keys()}
        open_now(*page_now(shown.moment.page, there))
    if is_new:
        now.moment = (name, place)
        _reset_others(now.asked)
        now.taken_back += PLACES - now.asked.keys()
        _open_groups_of(shown.controls or ())
    return shown


def _open_groups_of(names: Sequence[str]) -> None:
    """Open the boxes with these controls."""
    named = [control for control in CONTROLS if control.name in names]
    session().open |= {f"group {control.group}": True for control in named}


def lesson_style() -> str:
    """The style sheet of the view "lesson": no chapters, and only the named controls."""
    shown: ShownLesson | None = session().lesson
    if st.session_state["view"] != "lesson":
        return ""
    named_in_url = tuple(str(st.session_state["show"]).split("."))
    controls = shown.moment.controls if shown else named_in_url
    hidden = ['[data-testid="stHeader"]', "#attention-book", "#attention-corner .link"]
    if any(controls):
        named = ", ".join(f".st-key-{OFFERED if name == HEADS else name}" for name in controls)
        hidden += [
            f'[data-testid="stSidebar"] [data-testid="stElementContainer"]:not({named})',
            f'[data-testid="stSidebar"] [data-testid="stExpander"]:not(:has({named}))',
        ]
    else:
        hidden.append('[data-testid="stSidebar"]')
    block = '[data-testid="stMainBlockContainer"]'
    return (
        f"@media screen {{ {', '.join(hidden)} {{ display: none !important; }}"
        f" {block} {{ padding-top: 0.2rem !important; }} :root {{ --bar: 0px; }}"
        " .lesson-bar { --at-end: 0px; } }"
    )


def _checked_name(name: str) -> str:
    if name and not check_lesson_pages(lesson_named(name)).moments:
        raise FileError("The lesson has no moments; add a view to it first")
    return name


def check_lesson_pages(lesson: Lesson) -> Lesson:
    """The lesson, if all its pages exist. Raises: SettingsError."""
    known = {page.url_path for page in PAGES}
    for moment in lesson.moments:
        if moment.page not in known:
            raise SettingsError(
                f"The moment “{moment.title}” has the page “{moment.page}”, which does not exist;"
                " choose a page of the menu"
            )
    return lesson


def _checked_moment(lesson: Lesson, text: str) -> str:
    return lesson.moment_text(lesson.place_of(text))


def _checked_view(text: str) -> str:
    if text in LESSON_VIEWS:
        return text
    raise SettingsError(f"A view is one of {', '.join(LESSON_VIEWS)}")


def _checked_controls(text: str) -> str:
    known = [control.name for control in CONTROLS]
    for name in text.split(".") if text else ():
        check_choice("show", name, known)
    return text


def _reset_others(asked: Mapping[str, list[str]]) -> None:
    """Set every control that the URL does not name to its default, and the notation, in which the
    words of the lesson are written. So a moment always looks the same.
    """
    if "notation" not in asked:
        st.session_state["notation"] = VIEW_DEFAULTS["notation"]
    for name, control in DECLARED.items():
        usual = control.held(control.default)
        if name not in asked and st.session_state.get(name, usual) != usual:
            st.session_state[name] = usual


def lesson_parts() -> dict[str, Any]:
    """What a view of the story holds of the lesson: which moment it is, and what is covered."""
    shown: ShownLesson | None = session().lesson
    if shown is None:
        return {}
    return {"lesson": _place_text(shown.name, shown.place), "covers": shown.moment.covered}


def _place_text(name: str, place: int) -> str:
    return f"{name}.{place + 1}"


def stage_place(page: Page) -> DeltaGenerator:
    """The place of the stage or the heading. In a lesson its bar is above: links to the previous
    and the next moment, the room, the text, the question, the note. Who is in a room has it on
    every other page, too; *Class* draws its own.
    """
    shown: ShownLesson | None = session().lesson
    if shown is not None:
        about = (shown.lesson, shown.name, shown.place, shown.view)
        with st.container(key="lesson"):
            st.html(lesson_bar_html(*about, path=page.url_path))
    elif st.session_state.get(ROOM_KEY) and page.url_path != CLASS:
        with st.container(key="lesson"):
            st.html(ROOM_BAR)
    return st.container(key="stage")


def class_picture() -> JSON | None:
    """For *Class*: the scene of the moment, which its question covers as at its step; None without
    one.
    """
    shown: ShownLesson | None = session().lesson
    if shown is None:
        return None
    place = _place_text(shown.name, shown.place)
    with suppress(AttentionError):  # of a lesson of one's own; its page says why
        if scene := moment_picture(shown.moment, place, shown.moment.covered):
            return scene | {"stage": scene["stage"] | WORDLESS}
    return None


def offer_question(page: Page, trace: Trace | None) -> None:
    """For the teacher of a room: the question of the page that a class may be asked, about the
    layer that is shown. That of a moment is in its bar.
    """
    shown: ShownLesson | None = session().lesson
    is_class = page.url_path == CLASS
    if is_class or not led_room() or (shown and _votable(shown.lesson, shown.place)):
        return
    if trace is not None and (asked := page_question(trace, page)):
        with session().stage_place:
            paths = f"/{page.url_path}" + " /" * (page == PAGES[0])
            st.html(f'<span class="class-ask" data-paths="{paths}" {_for_class(asked)}></span>')


def _votable(lesson: Lesson, place: int) -> Question | None:
    """The question of a moment as a class gets it; None without one with options."""
    asked = lesson.question_at(place)
    return class_question(asked) if asked and asked.options else None


def _for_class(asked: Question) -> str:
    """A question for the script that asks a class."""
    return f'data-of="{question_id(asked)}" data-ask="{escape(question_to_json(asked))}"'


def moment_url(lesson: Lesson, name: str, place: int, view: str) -> str:
    """The URL of a moment in a view. name: of the lesson in the URL."""
    return f"./{lesson.url(place, name, '' if view == lesson.view else view)}"


def lesson_bar_html(lesson: Lesson, name: str, place: int, view: str, path: str = "") -> str:
    """The bar at a moment: links to the previous and the next one, the room, the text, the
    question. path: of the page; on another one than its own, the bar is without text and question.
    """
    moment, count = lesson.moments[place], len(lesson.moments)
    other = "full" if view == "lesson" else "lesson"
    words = {"full": "All controls", "lesson": "Fewer controls"}[other]
    here = escape(moment_url(lesson, name, place, view))
    there, text = moment_url(lesson, name, place, other), lesson.moment_text(place)
    return (
        f'<nav class="lesson-bar" aria-label="Lesson" data-moment="{text}" data-at='
        f'"{escape(moment.at)}"><div class="lesson-line">'
        f"{_step(lesson, name, place - 1, view)}"
        f'<span class="lesson-count">{place + 1}/{count}</span>'
        f"{_step(lesson, name, place + 1, view, 'after')}"
        f'<b><a href="{here}">{escape(moment.title)}</a></b>'
        f'<span class="lesson-title">{escape(lesson.title)}</span>'
        f'<span class="lesson-room"></span>{_pace(lesson, name, place)}{_note(moment)}'
        f'<a class="lesson-act" href="{escape(there)}">{words}</a>'
        '<a class="lesson-act lesson-end" '
        f'href="{escape(_page_without_lesson(moment))}">End lesson</a></div>'
        f"{_words(lesson, name, place, path)}</nav>"
    )


def _words(lesson: Lesson, name: str, place: int, path: str) -> str:
    """The text and the question. *Class* shows the question large, so there it is not in sight."""
    moment, asked = lesson.moments[place], _question(lesson, place, _place_text(name, place))
    if path == CLASS:
        return f"<div hidden>{asked}</div>"
    if path not in ("", moment.page):
        return ""
    return (f'<p class="lesson-text">{escape(moment.text)}</p>' if moment.text else "") + asked


def _pace(lesson: Lesson, name: str, place: int) -> str:
    """The minutes that are planned up to the end of a moment; the script adds those that passed."""
    given = [moment.minutes for moment in lesson.moments]
    even = round(lesson.minutes * (place + 1) / len(given))
    plan = sum(given[: place + 1]) if all(given) else even
    return (
        f'<span class="lesson-pace" data-lesson="{escape(name)}" data-plan="{plan}"'
        ' title="Minutes since the lesson began, and planned up to the end of this moment"></span>'
    )


def _step(lesson: Lesson, name: str, place: int, view: str, kind: str = "before") -> str:
    sign, says = {"before": ("‹", "Previous moment"), "after": ("›", "Next moment")}[kind]
    if not 0 <= place < len(lesson.moments):
        return f'<span class="lesson-step {kind}" aria-hidden="true">{sign}</span>'
    there = escape(moment_url(lesson, name, place, view))
    return f'<a class="lesson-step {kind}" href="{there}" aria-label="{says}">{sign}</a>'


def _page_without_lesson(moment: Moment) -> str:
    kept = {name: text for name, text in moment.choices.items() if name not in CHOICES_OF_LESSONS}
    return f"./{moment.page}?{urlencode(kept)}"


def _note(moment: Moment) -> str:
    """The button that opens the note in a window of its own, which a projector need not show."""
    if not moment.note:
        return ""
    note = escape(moment.note)
    return (
        f'<button type="button" class="lesson-act lesson-note" data-note="{note}"'
        ' title="Opens in its own window, away from the projector">Note</button>'
    )


def _question(lesson: Lesson, number: int, place: str) -> str:
    """The question with its answers as buttons, and a button that shows the answer; until then the
    page covers what would tell it. number: of the moment; place: the lesson and its moment.
    """
    question, covered = lesson.question_at(number), lesson.moments[number].covered
    if question is None:
        return ""
    posed = _votable(lesson, number)
    buttons = "".join(
        f'<button type="button" data-right="{str(option.right).lower()}">{escape(option.label)}'
        "</button>"
        for option in question.options
    )
    return (
        f'<div class="lesson-question" data-moment="{escape(place)}" data-covers="{covered}"'
        f"{f' {_for_class(posed)}' if posed else ''}><span>{escape(question.text)}</span>{buttons}"
        '<button type="button" class="lesson-reveal">Show the answer</button>'
        f'<output aria-live="polite" hidden>{escape(question.why)}</output></div>'
    )
