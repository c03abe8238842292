"""Questions that a teacher can ask a class: from *Practice* and from *Guess first*, about the layer
of the controls, and from lessons.
"""

from __future__ import annotations

from functools import cache

from attention_core import Trace
from attention_lab.classroom.class_question import ClassQuestion
from attention_lab.guesses import guess_of
from attention_lab.lessons.lesson_file import shipped_lessons
from attention_lab.notation.notation import Notation
from attention_lab.practice import practice_question
from attention_viz.practice import question_text


def class_practice_question(
    trace: Trace, number: int, field: str, notation: Notation
) -> ClassQuestion:
    """A question of *Practice*, to work out by hand. Raises: SettingsError if no step is short
    enough, or if its numbers are too long for a class.
    """
    question = practice_question(trace, number, field)
    asked = question_text(question, trace, notation)
    return ClassQuestion(
        "number",
        asked.question,
        question.answer,
        asked.answer,
        given=asked.numbers,
        tolerance=question.tolerance,
    )


def class_guess_question(trace: Trace, item: str, number: int) -> ClassQuestion:
    """A question to guess at, with the answers of misconceptions among its options.

    Raises: SettingsError if this layer has no cell for it, or if its pictures are too large.
    """
    guess = guess_of(trace, item, number)
    places = trace.axes(guess.field)
    is_of_head = len(places) == len(guess.index) > 1 and places[1] in ("H", "G")
    names_head = is_of_head and guess.item.kind not in ("shape", "place")
    head = f"Head {guess.index[1]}: " * names_head
    return ClassQuestion(
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
def lesson_questions() -> dict[str, dict[str, ClassQuestion]]:
    """The questions with options of all shipped lessons, by the titles of lesson and moment."""
    found: dict[str, dict[str, ClassQuestion]] = {}
    for lesson in shipped_lessons().values():
        for place, moment in enumerate(lesson.moments):
            asked = lesson.question_at(place)
            if asked and asked.options:
                found.setdefault(lesson.title, {})[f"{place + 1} {moment.title}"] = ClassQuestion(
                    "choice",
                    asked.ask,
                    float(asked.right),
                    f"{asked.options[asked.right]}. {asked.why}",
                    options=asked.options,
                )
    return found
