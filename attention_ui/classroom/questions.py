"""What a teacher can ask: questions of *Practice* and those that are asked before a step is shown,
about the layer that is set, and questions of lessons.
"""

from __future__ import annotations

from functools import cache

from attention_core import Trace
from attention_lab.classroom.posed import Posed
from attention_lab.guesses import guess_of
from attention_lab.lessons.lesson_file import shipped_lessons
from attention_lab.notation.notation import Notation
from attention_lab.practice import practice_question
from attention_viz.practice import question_text


def from_practice(trace: Trace, number: int, field: str, notation: Notation) -> Posed:
    """A question of *Practice*, to be worked out by hand. Raises: SettingsError where no step is
    short enough, or where its numbers are too long for a class.
    """
    question = practice_question(trace, number, field)
    asked = question_text(question, trace, notation)
    return Posed(
        "number",
        asked.question,
        question.answer,
        asked.answer,
        given=asked.numbers,
        tolerance=question.tolerance,
    )


def from_guess(trace: Trace, item: str, number: int) -> Posed:
    """A question to guess at, with the answers of misconceptions among its options.

    Raises: SettingsError where this layer has no cell for it, or where pictures are too large.
    """
    guess = guess_of(trace, item, number)
    places = trace.axes(guess.field)
    is_of_head = len(places) == len(guess.index) > 1 and places[1] in ("H", "G")
    head = f"Head {guess.index[1]}: " if is_of_head and guess.item.kind != "shape" else ""
    return Posed(
        "choice",
        f"{head}{guess.prompt}",
        float([option.right for option in guess.options].index(True)),
        f"{guess.answer}. {guess.why}",
        options=tuple(option.label for option in guess.options),
        pictures=tuple(
            tuple(tuple(round(cell, 2) for cell in row) for row in option.picture)
            for option in guess.options
            if option.picture
        ),
    )


@cache
def lesson_questions() -> dict[str, dict[str, Posed]]:
    """The questions with options of all lessons that come with the app, by the titles of lesson and
    moment.
    """
    found: dict[str, dict[str, Posed]] = {}
    for lesson in shipped_lessons().values():
        for place, moment in enumerate(lesson.moments, start=1):
            asked = moment.question
            if asked and asked.options:
                right = asked.options[asked.right]
                options = tuple(sorted(asked.options))  # in its file the right one is often first
                found.setdefault(lesson.title, {})[f"{place} {moment.title}"] = Posed(
                    "choice",
                    asked.ask,
                    float(options.index(right)),
                    f"{right}. {asked.why}",
                    options=options,
                )
    return found
