"""The lesson that a URL opens: which one, which moment, and how its bar stands above the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from urllib.parse import urlencode

import streamlit as st

from attention_core import FileError, SettingsError
from attention_lab.lessons.lesson import MAX_MOMENTS, VIEWS, Lesson, Moment, Question
from attention_lab.lessons.lesson_file import lesson_named

from .address import adopt, mirror
from .control_list import CONTROLS, DEFAULTS, widget_value
from .facts import fact
from .registry import PAGES
from .visit import visit


@dataclass(frozen=True)
class ShownLesson:
    """A lesson, what the URL calls it, the place of its moment from 0, and the view (`VIEWS`)."""

    lesson: Lesson
    name: str
    place: int
    view: str

    @property
    def moment(self) -> Moment:
        """The moment that is shown."""
        return self.lesson.moments[self.place]

    def url(self, place: int, view: str = "") -> str:
        """The URL of another moment, in the same view or another one."""
        view = view or self.view
        named = "" if view == self.lesson.view else view
        return f"./{self.lesson.url(place, self.name, named)}"

    @property
    def controls(self) -> tuple[str, ...] | None:
        """The controls that are shown; None where all are."""
        return self.moment.controls if self.view == "lesson" else None


def read_shown_lesson() -> ShownLesson | None:
    """The lesson that the URL opens; None where it opens none. On arrival at a moment the controls
    that it does not name get their defaults.
    """
    now = visit()
    adopt("lesson", "Lesson", "", _checked_name)
    name = str(st.session_state["lesson"])
    adopt("moment", "Moment", "1", _checked_place)
    mirror("lesson", "")
    if not name:
        adopt("view", "View", "full", _checked_view)
        mirror("view", "full")
        mirror("moment", "1")
        now.lesson = None
        return None
    lesson = lesson_named(name)
    adopt("view", "View", lesson.view, _checked_view)
    mirror("view", lesson.view)
    mirror("moment", "")
    place = min(int(st.session_state["moment"]), len(lesson.moments)) - 1
    shown = now.lesson = ShownLesson(lesson, name, place, str(st.session_state["view"]))
    if now.moment != (name, place):
        now.moment = (name, place)
        _reset_others(now.asked)
        now.open |= {
            f"group {control.group}": True
            for control in CONTROLS
            if control.name in (shown.controls or ())
        }
    return shown


def lesson_style() -> str:
    """The style sheet of the view "lesson": no menu, and no controls but those that are named."""
    shown = visit().lesson
    if shown is None or shown.controls is None:
        return ""
    hidden = ['[data-testid="stHeader"]']
    if shown.controls:
        named = ", ".join(f".st-key-{name}" for name in shown.controls)
        hidden += [
            f'[data-testid="stSidebar"] [data-testid="stElementContainer"]:not({named})',
            f'[data-testid="stSidebar"] [data-testid="stExpander"]:not(:has({named}))',
        ]
    else:
        hidden.append('[data-testid="stSidebar"]')
    block = '[data-testid="stMainBlockContainer"]'
    return (
        f"@media screen {{ {', '.join(hidden)} {{ display: none !important; }}"
        f" {block} {{ padding-top: 0.2rem !important; }} }}"
    )


def _checked_name(name: str) -> str:
    lesson = checked_lesson(lesson_named(name)) if name else None
    if lesson and not lesson.moments:
        raise FileError("The lesson has no moments; add a view to it first")
    return name


def checked_lesson(lesson: Lesson) -> Lesson:
    """The lesson, all pages of which exist. Raises: SettingsError."""
    known = {page.url_path for page in PAGES}
    for moment in lesson.moments:
        if moment.page not in known:
            raise SettingsError(
                f"The moment “{moment.title}” has the page “{moment.page}”, which does not exist;"
                " name one of the menu"
            )
    return lesson


def _checked_place(text: str) -> str:
    if text.isascii() and text.isdigit() and 1 <= int(text[:4]) <= MAX_MOMENTS:
        return str(int(text[:4]))
    raise SettingsError(f"A moment is a number from 1 to {MAX_MOMENTS}, so the first one is shown")


def _checked_view(text: str) -> str:
    if text in VIEWS:
        return text
    raise SettingsError(f"A view is one of {', '.join(VIEWS)}")


def _reset_others(asked: Mapping[str, list[str]]) -> None:
    """Give every control that the URL does not name its default: a moment looks the same on
    whatever path it is reached.
    """
    for control in CONTROLS:
        usual = widget_value(control, DEFAULTS[control.name])
        if control.name not in asked and st.session_state.get(control.name, usual) != usual:
            st.session_state[control.name] = usual
    for name in ("edits", "own", "painted"):
        if name not in asked and st.session_state.get(name):
            st.session_state[name] = ""


def open_lesson_url(url_path: str) -> None:
    """Where the bare URL names a lesson, go on to the page of its moment, and end this run."""
    shown = visit().lesson
    if shown is None or url_path:
        return
    there = shown.url(shown.place).replace("<", "%3C")
    st.html(
        "<script>history.replaceState(history.state, '', "
        f"{escape_script(there)}); dispatchEvent(new PopStateEvent('popstate'));</script>",
        unsafe_allow_javascript=True,
    )
    st.stop()


def escape_script(text: str) -> str:
    """A text as a JavaScript string that cannot end its script."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("</", "<\\/") + "'"


def show_lesson_bar() -> None:
    """The bar above the page: going on and back, what to look at, the question, the note."""
    shown = visit().lesson
    if fact("lesson", shown and (shown.name, shown.place, shown.view)) is None:
        return
    with st.container(key="lesson"):
        st.html(bar_html(shown))


def bar_html(shown: ShownLesson) -> str:
    """The bar as HTML. Its links are followed, and its questions judged, by assets/lesson.js."""
    moment, count = shown.moment, len(shown.lesson.moments)
    before, after = shown.place - 1, shown.place + 1
    other = "full" if shown.view == "lesson" else "lesson"
    words = {"full": "All controls", "lesson": "Fewer controls"}[other]
    text = f'<p class="lesson-text">{escape(moment.text)}</p>' if moment.text else ""
    return (
        '<nav class="lesson-bar" aria-label="Lesson"><div class="lesson-line">'
        f"{_step(shown, before, 'before', '‹', 'Previous moment')}"
        f'<span class="lesson-count">{after}/{count}</span>'
        f"{_step(shown, after, 'after', '›', 'Next moment')}"
        f"<b>{escape(moment.title)}</b>"
        f'<span class="lesson-title">{escape(shown.lesson.title)}</span>'
        f"{_note(moment)}"
        f'<a class="lesson-act" href="{escape(shown.url(shown.place, other))}">{words}</a>'
        f'<a class="lesson-act" href="{escape(_without(shown))}">End lesson</a></div>'
        f"{text}{_question(moment.question)}</nav>"
    )


def _step(shown: ShownLesson, place: int, kind: str, sign: str, says: str) -> str:
    if not 0 <= place < len(shown.lesson.moments):
        return f'<span class="lesson-step {kind}" aria-hidden="true">{sign}</span>'
    there = escape(shown.url(place))
    return f'<a class="lesson-step {kind}" href="{there}" aria-label="{says}">{sign}</a>'


def _without(shown: ShownLesson) -> str:
    return f"./{shown.moment.page}?{urlencode(shown.moment.choices)}"


def _note(moment: Moment) -> str:
    if not moment.note:
        return ""
    return (
        '<details class="lesson-note"><summary>Note</summary>'
        f"<p>{escape(moment.note)}</p></details>"
    )


def _question(question: Question | None) -> str:
    """The question with its answers as buttons; without answers, a button that shows the answer."""
    if question is None:
        return ""
    options = question.options or ("Show the answer",)
    buttons = "".join(
        f'<button type="button" data-right="{str(place == question.right).lower()}">'
        f"{escape(option)}</button>"
        for place, option in enumerate(options)
    )
    kind = "choice" if question.options else "open"
    return (
        f'<div class="lesson-question" data-kind="{kind}"><span>{escape(question.ask)}</span>'
        f"{buttons}"
        f'<output aria-live="polite" hidden>{escape(question.why)}</output></div>'
    )
