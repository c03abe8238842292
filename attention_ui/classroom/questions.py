"""What a teacher can ask: questions of *Practice* on the layer that is set."""

from __future__ import annotations

from attention_core import Trace
from attention_lab.classroom.posed import Posed
from attention_lab.notation.notation import Notation
from attention_lab.practice import ask
from attention_viz.practice import worded


def from_practice(trace: Trace, number: int, field: str, notation: Notation) -> Posed:
    """A question of *Practice* with the numbers of a layer. Raises: SettingsError where no step can
    be worked out by hand, or where the numbers are too long for a class.
    """
    question = ask(trace, number, field)
    asked = worded(question, trace, notation)
    return Posed(
        "number",
        asked.question,
        question.answer,
        asked.answer,
        given=asked.given,
        tolerance=question.tolerance,
    )
