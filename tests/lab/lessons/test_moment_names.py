"""What a URL calls a moment: its name, or a number as in the first version."""

from __future__ import annotations

from urllib.parse import parse_qs

import pytest

from attention_core import SettingsError
from attention_lab.lessons.lesson import Lesson, Moment
from attention_lab.lessons.lesson_file import shipped_lessons
from tests.lab.refusal import refused

# The numbers that moments had in version 0.1.0, with the pages and the titles that they opened.
OLD_NUMBERS = {
    "masks": {
        1: ("mask", "No later word"),
        2: ("softmax", "Shares of what is seen"),
        3: ("what-changes", "Masked too late"),
        4: ("mask", "Filling up"),
        5: ("mask-workshop", "Put together"),
        6: ("encoder-decoder", "Three uses"),
    },
    "trained-heads": {
        3: ("", "One word changed"),
        4: ("", "Find a head"),
        5: ("", "From layer to layer"),
        6: ("", "A head is switched off"),
    },
    "why-scale": {
        1: ("scores", "Sixty-four products"),
        2: ("softmax", "Without the scaling"),
        3: ("", "With the scaling"),
        4: ("", "Both side by side"),
        5: ("", "Which number?"),
        6: ("what-changes", "The wrong root"),
    },
}


@pytest.mark.parametrize("name", OLD_NUMBERS)
def test_an_old_number_opens_the_moment_that_had_it(name: str) -> None:
    lesson = shipped_lessons()[name]
    for number, (page, title) in OLD_NUMBERS[name].items():
        found = lesson.moments[lesson.place_of(str(number))]
        assert (found.page if page else "", found.title) == (page, title)


def test_every_moment_of_the_app_has_a_name_in_its_url() -> None:
    for name, lesson in shipped_lessons().items():
        for place, moment in enumerate(lesson.moments):
            assert parse_qs(lesson.url(place, name))["moment"] == [moment.name]
            assert lesson.place_of(moment.name) == place


def test_a_moment_without_a_name_keeps_its_number() -> None:
    moments = (Moment("New", "scores"), Moment("One", "scores", name="one"), Moment("B", "mask"))
    lesson = Lesson("Mixed", moments, numbered=("b", "gone"))
    assert [lesson.place_of(text) for text in ("1", "2", "3", "4", "one")] == [0, 1, 2, 2, 1]
    for text in ("0", "", "New", "41", "٣", "1e0"):
        with refused(SettingsError):
            lesson.place_of(text)
    for names in (("a", "a"), ("A",), ("2",), ("a b",)):
        with refused(SettingsError):
            Lesson("Names", tuple(Moment("M", "scores", name=one) for one in names))
