"""A lesson as a JSON file, and as a short text for a link."""

from collections.abc import Mapping
from dataclasses import MISSING, asdict, fields, replace
from functools import lru_cache, partial
from inspect import Parameter, signature
from typing import Any, TypeVar

from attention_core.errors import FileError, SettingsError, short_repr

from ..files.json_file import JsonFile, check_entries
from ..files.packed_text import packed, unpacked
from ..home import ASSETS
from ..quiz import Question
from ..user_data.text_store import is_key, store_text, stored_text
from .lesson import Lesson, LessonTask, Moment, lesson_question

R = TypeVar("R", Lesson, LessonTask, Moment)
LESSON_FOLDER = ASSETS / "lessons"
LESSON_FILE = JsonFile(
    "lesson file",
    "Attention Lab lesson",
    1,
    "choose a lesson that was saved here",
    max_bytes=2**18,
    max_parts=4000,
)
LINK_MARK = "~"  # marks a lesson inside the URL
MAX_LINK = 6000  # characters; some browsers and servers cut longer URLs
_LISTS = ("goals", "controls", "numbered", "options")


def write_lesson(lesson: Lesson) -> bytes:
    """The lesson as JSON in UTF-8; `read_lesson` gives it back.

    >>> lesson = Lesson("Scores", (Moment("One pair", "scores", "n_heads=2"),))
    >>> read_lesson(write_lesson(lesson)) == lesson
    True
    """
    bare = replace(lesson, moments=tuple(replace(one, question=None) for one in lesson.moments))
    entries = asdict(bare)
    for moment, entry in zip(lesson.moments, entries["moments"], strict=True):
        if asked := moment.question:
            entry["question"] = _question_entries(asked)
    return LESSON_FILE.write(_without_empty(entries))


def read_lesson(data: bytes) -> Lesson:
    """The lesson in a file of `write_lesson`. The app checks that its pages exist.

    Raises: FileError for other files; SettingsError, TextError for impossible entries.
    """
    content = LESSON_FILE.read(data)
    del content["format"], content["version"]
    for name, read in (("moments", _moment), ("tasks", partial(_record, LessonTask, "a task"))):
        if name in content:
            content[name] = tuple(map(read, _list(name, content[name])))
    return _record(Lesson, "the lesson file", content)


def lesson_to_link(lesson: Lesson) -> str | None:
    """The lesson as a text for a URL; None if it is too long.

    >>> lesson = Lesson("Scores", (Moment("One pair", "scores", "n_heads=2"),))
    >>> lesson_from_link(lesson_to_link(lesson)) == lesson
    True
    """
    text = LINK_MARK + packed(write_lesson(lesson))
    return text if len(text) <= MAX_LINK else None


def lesson_from_link(text: str) -> Lesson:
    """The lesson inside a URL. Raises: AttentionError."""
    if len(text) > MAX_LINK:
        raise FileError(
            f"The lesson in the URL has {len(text):,} characters but may have at most"
            f" {MAX_LINK:,}; open it from its file"
        )
    try:
        data = unpacked(text.removeprefix(LINK_MARK), LESSON_FILE.max_bytes, lenient=True)
    except ValueError as error:
        said = "The lesson in the URL is cut off or damaged; copy the link again"
        raise FileError(said) from error
    return read_lesson(data)


@lru_cache(maxsize=1)
def shipped_lessons() -> dict[str, Lesson]:
    """The lessons that come with the app, by the name of their file, shortest first."""
    lessons = {path.stem: read_lesson(path.read_bytes()) for path in LESSON_FOLDER.glob("*.json")}
    return dict(sorted(lessons.items(), key=lambda entry: (entry[1].minutes, entry[0])))


def asked_in_lessons(misconception: str) -> list[tuple[str, int]]:
    """The moments of the shipped lessons whose question has a misconception among its options:
    names of lessons, with places from 0.
    """
    return [
        (name, place)
        for name, lesson in shipped_lessons().items()
        for place, moment in enumerate(lesson.moments)
        for option in (moment.question.options if moment.question else ())
        if misconception in option.misconceptions
    ]


def _without_empty(entries: dict[str, Any]) -> dict[str, Any]:
    """Entries without empty texts, empty lists and None."""
    kept: dict[str, Any] = {}
    for name, value in entries.items():
        if isinstance(value, list | tuple):
            value = [_without_empty(one) if isinstance(one, dict) else one for one in value]
        elif isinstance(value, dict):
            value = _without_empty(value)
        if value not in ("", None, [], {}):
            kept[name] = value
    return kept


def _question_entries(asked: Question) -> dict[str, Any]:
    return {
        "ask": asked.text,
        "why": asked.why,
        "options": [one.label for one in asked.options],
        "right": max(asked.right, 0),
        "misconceptions": {one.label: name for one in asked.options for name in one.misconceptions},
    }


def _moment(content: Any) -> Moment:
    if isinstance(content, dict) and "question" in content:
        content = content | {"question": _question(content["question"])}
    return _record(Moment, "a moment", content)


def _question(content: Any) -> Question:
    where, names = "a question", signature(lesson_question).parameters
    entries = dict(check_entries(where, content, list(names)))
    _check_given(
        where, entries, {name: one.default for name, one in names.items()}, Parameter.empty
    )
    beliefs = entries.get("misconceptions", {})
    if not isinstance(beliefs, dict) or not all(isinstance(one, str) for one in beliefs.values()):
        raise FileError("misconceptions must be an object with a text for each option")
    return lesson_question(**_with_tuples(entries))


def _check_given(where: str, entries: Any, defaults: Mapping[str, Any], needed: object) -> None:
    """Refuse entries without one that has no default. Raises: FileError."""
    for name, default in defaults.items():
        if name not in entries and default is needed:
            raise FileError(f"{where} has no {name}; add one")


def _with_tuples(entries: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: tuple(_list(name, value)) if name in _LISTS else value
        for name, value in entries.items()
    }


def _record(kind: type[R], where: str, content: Any) -> R:
    """A record from its entries. Raises: FileError for unknown entries, or if one without a default
    is missing; what the record raises.
    """
    entries = dict(check_entries(where, content, [one.name for one in fields(kind)]))
    _check_given(where, entries, {one.name: one.default for one in fields(kind)}, MISSING)
    return kind(**_with_tuples(entries))


def _list(name: str, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise FileError(f"{name} is {short_repr(value)} but must be a list")
    return value


@lru_cache(maxsize=32)
def lesson_named(name: str) -> Lesson:
    """The lesson that a URL names: a shipped one, one inside the URL, or one stored by
    `keep_lesson`. Raises: AttentionError.
    """
    if name.startswith(LINK_MARK):
        return lesson_from_link(name)
    if name in shipped_lessons():
        return shipped_lessons()[name]
    if not is_key(name):
        known = ", ".join(shipped_lessons())
        raise FileError(f"The lesson is {short_repr(name)} but must be one of {known}")
    try:
        return read_lesson(stored_text(name).encode())
    except SettingsError as error:
        raise FileError("This server no longer holds the lesson: open it from its file") from error


def keep_lesson(lesson: Lesson) -> str:
    """Store a lesson in this process; returns its name for the URL."""
    return store_text(write_lesson(lesson).decode())
