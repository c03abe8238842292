"""A lesson: goals, moments in order, tasks. A moment is one view of the app with its texts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from urllib.parse import parse_qsl, urlencode

from attention_core.checks import check_choice, check_text, whole_number
from attention_core.errors import SettingsError, short_repr

from ..files.file_checks import fits_xml
from ..guesses import MISCONCEPTIONS
from ..page_list import PAGES
from ..quiz import Question, options_of

MAX_MOMENTS, MAX_GOALS, MAX_TASKS, MAX_OPTIONS = 40, 8, 10, 6
MAX_TITLE, MAX_TEXT, MAX_NOTE, MAX_STATE = 90, 400, 1500, 4000  # characters
MAX_MINUTES = 600
# lesson: without the menu, and only with the controls that the moment names
LESSON_VIEWS = ("full", "lesson")
# result: of a step, with arcs, frames and sums; numbers: all of a board; page: all below the bar
COVERS = ("result", "numbers", "page", "nothing")
STORY = "story"
_NAME = re.compile(r"[a-z][a-z0-9_]*", re.ASCII)  # of a URL parameter
_MOMENT_NAME = re.compile(r"[a-z][a-z0-9-]{0,39}", re.ASCII)
# URL parameters of lessons; the others belong to pages.
LESSON_PARAMETERS = ("lesson", "moment", "view", "show", "draft", "unset")


def lesson_question(
    ask: str,
    why: str,
    options: tuple[str, ...] = (),
    right: int = 0,
    misconceptions: Mapping[str, str] | None = None,
) -> Question:
    """A question of a moment to the class.

    options: answers to choose from, or none for an open question; right: the place of the right
    one. why: one or two sentences, shown with the answer. misconceptions: for an option the id of
    the misconception that gives it. Raises: SettingsError, TextError.
    """
    check_lesson_text("question.ask", ask, MAX_TEXT)
    check_lesson_text("question.why", why, MAX_TEXT)
    check_lesson_texts("question.options", options, MAX_OPTIONS)
    if len(options) == 1:
        raise SettingsError("question.options has 1 entry; give two or more, or none")
    whole_number("question.right", right, 0, max(len(options) - 1, 0))
    beliefs = misconceptions or {}
    for option, name in beliefs.items():
        wrong = [one for place, one in enumerate(options) if place != right]
        check_choice("question.misconceptions", option, wrong)
        check_choice("question.misconceptions", name, MISCONCEPTIONS)
    names = [beliefs.get(one, "") for one in options]
    return Question(ask, why, options_of(options, right, names))


@dataclass(frozen=True)
class Moment:
    """One view of the app.

    page: the URL path of a page. state: the parameters in its URL, such as "n_heads=2&mask=causal".
    text: for students; note: for the teacher. controls: the controls shown in the view "lesson".
    at: the heading of the page, or the title of a matrix, to which it is scrolled. covers: what is
    covered until the question is answered, one of `COVERS`, or "" for the usual. minutes: 0 to 600.
    name: what a URL calls it, wherever it stands in its lesson; "" for its number.
    Raises: SettingsError, TextError.
    """

    title: str
    page: str
    state: str = ""
    text: str = ""
    note: str = ""
    question: Question | None = None
    controls: tuple[str, ...] = ()
    at: str = ""
    covers: str = ""
    minutes: int = 0
    name: str = ""

    def __post_init__(self) -> None:
        whole_number("minutes", self.minutes, 0, MAX_MINUTES)
        check_moment_names("name", (self.name,) if self.name else ())
        check_lesson_text("title", self.title, MAX_TITLE)
        check_choice("covers", self.covers, ("", *COVERS))
        check_lesson_text("page", self.page, MAX_TITLE)
        check_lesson_text("at", self.at, MAX_TITLE, may_be_empty=True)
        for name, most in (("text", MAX_TEXT), ("note", MAX_NOTE), ("state", MAX_STATE)):
            check_lesson_text(name, getattr(self, name), most, may_be_empty=True)
        check_lesson_texts("controls", self.controls, MAX_MOMENTS)
        for name in self.controls:
            if not _NAME.fullmatch(name):
                raise SettingsError(
                    f"controls holds {short_repr(name)}, which is not a name of a control; remove"
                    " it"
                )
        _parse_state(self.state)

    @property
    def choices(self) -> dict[str, str]:
        """The parameters of the URL, by name."""
        return _parse_state(self.state)

    @property
    def covered(self) -> str:
        """What is covered until the question is answered, one of `COVERS`: of a step its result
        with what tells of it, of another page all of it; "" without a question.
        """
        if self.question is None:
            return ""
        steps = {page.url_path for page in PAGES if page.section == STORY}
        return self.covers or ("result" if self.page in steps else "page")


@dataclass(frozen=True)
class LessonTask:
    """A task for students, with the expected answer and typical mistakes."""

    task: str
    answer: str
    mistakes: str = ""

    def __post_init__(self) -> None:
        check_lesson_text("task", self.task, MAX_TEXT)
        check_lesson_text("answer", self.answer, MAX_TEXT)
        check_lesson_text("mistakes", self.mistakes, MAX_TEXT, may_be_empty=True)


@dataclass(frozen=True)
class Lesson:
    """Moments in order, with the goals of the lesson, and what it needs. minutes: 1 to 600.
    numbered: the names of the moments by the numbers that they had in URLs of an earlier version.

    Raises: SettingsError, TextError.
    """

    title: str
    moments: tuple[Moment, ...] = ()
    minutes: int = 20
    goals: tuple[str, ...] = ()
    tasks: tuple[LessonTask, ...] = ()
    view: str = "full"
    needs: str = ""
    numbered: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_lesson_text("title", self.title, MAX_TITLE)
        check_lesson_text("needs", self.needs, MAX_TEXT, may_be_empty=True)
        whole_number("minutes", self.minutes, 1, MAX_MINUTES)
        check_lesson_texts("goals", self.goals, MAX_GOALS)
        check_choice("view", self.view, LESSON_VIEWS)
        _at_most("moments", self.moments, MAX_MOMENTS)
        _at_most("tasks", self.tasks, MAX_TASKS)
        check_moment_names("numbered", self.numbered)
        check_moment_names("moments", [one.name for one in self.moments if one.name])

    def url(self, place: int, name: str, view: str = "") -> str:
        """The URL of a moment, relative to the app. place: from 0; name: of the lesson
        in the URL.

        >>> lesson = Lesson("Scores", (Moment("One pair", "scores", "n_heads=2"),))
        >>> lesson.url(0, "mine")
        'scores?n_heads=2&lesson=mine&moment=1'
        """
        moment = self.moments[place]
        held = {**moment.choices, "lesson": name, "moment": self.moment_text(place)}
        return f"{moment.page}?{urlencode(held | ({'view': view} if view else {}))}"

    def moment_text(self, place: int) -> str:
        """What a URL calls the moment at a place: its name, or its number from 1."""
        return self.moments[place].name or str(place + 1)

    def place_of(self, text: str) -> int:
        """The place of the moment that a URL calls so; beyond the last one the last. A number means
        the moment that had it when moments had no names. Raises: SettingsError.

        >>> moments = (Moment("Added", "scores", name="added"), Moment("One", "scores", name="one"))
        >>> lesson = Lesson("Scores", moments, numbered=("one",))
        >>> [lesson.place_of(text) for text in ("added", "one", "1", "2", "40")]
        [0, 1, 1, 1, 1]
        """
        known = [self.moment_text(place) for place in range(len(self.moments))]
        if text in known:
            return known.index(text)
        if not (text.isascii() and text.isdigit() and 1 <= int(text[:4]) <= MAX_MOMENTS):
            raise SettingsError(
                f"A moment is a name such as {known[0]}, or a number from 1 to {MAX_MOMENTS}, but"
                f" is {short_repr(text)}; open one of the lesson"
            )
        place = int(text[:4]) - 1
        if place < len(self.numbered) and self.numbered[place] in known:
            return known.index(self.numbered[place])
        return min(place, len(known) - 1)

    def question_at(self, place: int) -> Question | None:
        """The question of a moment with its answers in a drawn order, always the same one, because
        in a file the right answer often stands first; None if the moment asks nothing.

        >>> asked = lesson_question("How many?", "All.", ("8", "4", "2"))
        >>> drawn = Lesson("Heads", (Moment("One", "split", question=asked),)).question_at(0)
        >>> [option.label for option in drawn.options]
        ['8', '4', '2']
        """
        asked = self.moments[place].question
        if asked is None or not asked.options:
            return asked
        options = list(asked.options)
        Random(f"{self.title}#{place}").shuffle(options)
        return replace(asked, options=tuple(options))

    def with_moment(self, moment: Moment) -> Lesson:
        """The lesson with one more moment at its end. Raises: SettingsError if it is full."""
        return replace(self, moments=(*self.moments, moment))

    def without(self, place: int) -> Lesson:
        """The lesson without the moment at a place."""
        return replace(self, moments=self.moments[:place] + self.moments[place + 1 :])

    def moved(self, place: int, by: int) -> Lesson:
        """The lesson with a moment earlier (−1) or later (1); at an end it stays."""
        to = min(max(place + by, 0), len(self.moments) - 1)
        moments = list(self.moments)
        moments.insert(to, moments.pop(place))
        return replace(self, moments=tuple(moments))

    def with_changed(self, place: int, moment: Moment) -> Lesson:
        """The lesson with the moment at a place replaced."""
        moments = (*self.moments[:place], moment, *self.moments[place + 1 :])
        return replace(self, moments=moments)


def state_text(held: dict[str, str]) -> str:
    """The parameters of a page's URL as the state of a moment, without those of lessons.

    >>> state_text({"n_heads": "2", "lesson": "mine", "text": "a b"})
    'n_heads=2&text=a+b'
    """
    return urlencode({name: text for name, text in held.items() if name not in LESSON_PARAMETERS})


def _parse_state(state: str) -> dict[str, str]:
    try:
        pairs = parse_qsl(state, keep_blank_values=True, strict_parsing=True) if state else []
    except ValueError as error:
        raise SettingsError(
            f"state is {short_repr(state)} but must hold parameters of a page's URL, such as"
            " n_heads=2&mask=causal"
        ) from error
    for name, _ in pairs:
        if not _NAME.fullmatch(name) or name in LESSON_PARAMETERS:
            raise SettingsError(
                f"state holds the name {short_repr(name)}, which is not a parameter of a page;"
                " remove it"
            )
    return dict(pairs)


def check_lesson_text(name: str, text: object, most: int, may_be_empty: bool = False) -> None:
    """Refuse other values than texts of at most `most` characters. Raises: SettingsError,
    TextError.
    """
    check_text(name, text)
    words = str(text)
    if not words.strip() and not may_be_empty:
        raise SettingsError(f"{name} is empty; write one sentence")
    if len(words) > most:
        raise SettingsError(
            f"{name} has {len(words):,} characters but may have at most {most:,}; shorten it"
        )
    if not fits_xml(words):  # a package for learning platforms holds it
        raise SettingsError(
            f"{name} holds a control character or half a character: {short_repr(words)}; write it"
            " again"
        )


def check_lesson_texts(name: str, texts: tuple[str, ...], most: int) -> None:
    """Refuse more than `most` texts, or long ones. Raises: SettingsError, TextError."""
    _at_most(name, texts, most)
    for text in texts:
        check_lesson_text(f"an entry of {name}", text, MAX_TEXT)


def check_moment_names(name: str, names: Sequence[str]) -> None:
    """Refuse what a URL cannot call a moment, and a name that two have. Raises: SettingsError,
    TextError.
    """
    _at_most(name, names, MAX_MOMENTS)
    for one in names:
        check_text(name, one)
        if not _MOMENT_NAME.fullmatch(one) or names.count(one) > 1:
            raise SettingsError(
                f"{name} holds {short_repr(one)}; the name of a moment is its own, of small"
                " letters, digits and -, and begins with a letter"
            )


def _at_most(name: str, entries: Sequence[object], most: int) -> None:
    if len(entries) > most:
        raise SettingsError(f"{name} has {len(entries):,} entries but may have at most {most}")
