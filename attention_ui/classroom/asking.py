"""The questions for a class: of a page, of *Practice*, of *Guess first*, of lessons."""

import re
from contextlib import suppress
from dataclasses import replace
from functools import cache

from attention_core import Trace
from attention_core.errors import SettingsError
from attention_lab.classroom.class_question import class_question
from attention_lab.guesses import ITEMS, Guess, guess_in_turn, guess_of, items_of
from attention_lab.lessons.lesson_file import shipped_lessons
from attention_lab.notation.notation import Notation
from attention_lab.page_list import Page, step_of
from attention_lab.practice import practice_question
from attention_lab.quiz import Question
from attention_viz.practice import in_words


def class_practice_question(trace: Trace, number: int, field: str, notation: Notation) -> Question:
    """A question of *Practice*, to work out by hand. Raises: SettingsError if no step is short
    enough, or if its numbers are too long for a class.
    """
    return class_question(in_words(practice_question(trace, number, field), trace, notation))


def class_guess_question(trace: Trace, item: str, number: int) -> Question:
    """A question to guess at, with the answers of misconceptions among its options.

    Raises: SettingsError if this layer has no cell for it, or if its pictures are too large.
    """
    return _of_guess(trace, guess_of(trace, item, number))


def _of_guess(trace: Trace, guess: Guess) -> Question:
    places = trace.axes(guess.field)
    is_of_head = len(places) == len(guess.index) > 1 and places[1] in ("H", "G")
    names_head = is_of_head and guess.item.kind not in ("shape", "place")
    head = f"Head {guess.index[1]}: " * names_head
    return class_question(replace(guess, text=f"{head}{guess.text}"))


def page_question(trace: Trace, page: Page) -> Question | None:
    """The question of a page: the first one on its matrices that this layer has a cell for, or on
    any matrix where the page has none; None without one.
    """
    for field in page.fields:
        for item in items_of(field):
            with suppress(SettingsError):
                return _of_guess(trace, guess_of(trace, item.id, 1, field))
    with suppress(SettingsError):
        if guess := guess_in_turn(trace, 1):
            return _of_guess(trace, guess)
    return None


@cache
def lesson_questions() -> dict[str, dict[str, Question]]:
    """The questions with options of all shipped lessons, by the titles of lesson and moment."""
    by_lesson: dict[str, dict[str, Question]] = {}
    for lesson in shipped_lessons().values():
        for place, moment in enumerate(lesson.moments):
            asked = lesson.question_at(place)
            if asked and asked.options:
                of_lesson = by_lesson.setdefault(lesson.title, {})
                of_lesson[f"{place + 1} {moment.title}"] = class_question(asked)
    return by_lesson


def item_name(item: str) -> str:
    """The name of a question in the list: its step, and its text without the numbers.

    >>> item_name("scores-number")
    'Scores: What is the score of the query … with the key …?'
    """
    asked = ITEMS[item]
    text = re.sub(r"\{\w+\}", "…", asked.prompt)
    return f"{step_of(asked.fields[0]).title}: {text}"
