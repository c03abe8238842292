"""The bar of a lesson above the page, as HTML; assets/page/lesson.js handles its links."""

from __future__ import annotations

from html import escape
from urllib.parse import urlencode

from attention_lab.lessons.lesson import Lesson, LessonQuestion, Moment

# Choices of a moment that end with the lesson: its covered result, and no questions of the app.
CHOICES_OF_LESSONS = ("hide", "guess")


def moment_url(lesson: Lesson, name: str, place: int, view: str) -> str:
    """The URL of a moment in a view. name: of the lesson in the URL."""
    return f"./{lesson.url(place, name, '' if view == lesson.view else view)}"


def lesson_bar_html(lesson: Lesson, name: str, place: int, view: str) -> str:
    """The bar at a moment: links to the previous and the next one, the text, the question."""
    moment, count = lesson.moments[place], len(lesson.moments)
    other = "full" if view == "lesson" else "lesson"
    words = {"full": "All controls", "lesson": "Fewer controls"}[other]
    text = f'<p class="lesson-text">{escape(moment.text)}</p>' if moment.text else ""
    there = moment_url(lesson, name, place, other)
    return (
        f'<nav class="lesson-bar" aria-label="Lesson" data-moment="{place}" data-at='
        f'"{escape(moment.at)}"><div class="lesson-line">'
        f"{_step(lesson, name, place - 1, view)}"
        f'<span class="lesson-count">{place + 1}/{count}</span>'
        f"{_step(lesson, name, place + 1, view, 'after')}"
        f"<b>{escape(moment.title)}</b>"
        f'<span class="lesson-title">{escape(lesson.title)}</span>'
        f"{_note(moment)}"
        f'<a class="lesson-act" href="{escape(there)}">{words}</a>'
        f'<a class="lesson-act" href="{escape(_page_without_lesson(moment))}">End lesson</a></div>'
        f"{text}{_question(lesson.question_at(place))}</nav>"
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


def _question(question: LessonQuestion | None) -> str:
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
