"""What a picture shows before the question of its moment is answered, worked out from its scene:
the numbers of what is not covered, and the words of the page above it.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

from attention_lab.lessons.lesson_file import shipped_lessons
from attention_lab.page_list import page_of
from attention_lab.quiz import Question
from attention_viz.payload import JSON
from attention_viz.story.stages import STEPS_OF_STORY
from attention_viz.story.story_file import moment_picture
from tests.viz.reading_scenes import sent

NUMBER = re.compile(r"([−-]?\d+(?:\.(\d+))?)( %)?")
PLACES = [
    (name, place)
    for name, lesson in shipped_lessons().items()
    for place in range(len(lesson.moments))
    if (asked := lesson.question_at(place)) and asked.options
]


def covered(scene: JSON, covers: str) -> set[str]:
    """The arrays that a question covers: all; those of a layer but its inputs; or the result of a
    step with all that is computed from it.
    """
    panels = scene["panels"]
    if covers == "nothing":
        return set()
    if covers in ("numbers", "page"):
        return set(scene["arrays"])
    if "flow" in scene:
        return {one["array"] for one in panels[1:]} - {panels[0]["array"]}
    found = {one["array"] for one in panels if one["role"] == "result"}
    grown = set[str]()
    while found != grown:
        grown = set(found)
        for result, rule in scene["rules"].items():
            found |= {result} if {one["array"] for one in rule.get("reads", ())} & grown else set()
    return found | {one["array"] for one in panels if one["role"] == "ribbon"}


def shown(scene: JSON, name: str) -> np.ndarray:
    """The numbers of the head that is shown."""
    found = sent(scene, name)
    for axis, letter in enumerate(scene["arrays"][name]["axes"]):
        if letter in "BHG":
            place = scene["stage"]["heads"]["chosen"] if letter == "H" else 0
            found = np.take(found, [min(place, found.shape[axis] - 1)], axis=axis)
    return found


def options_in_sight(asked: Question, scene: JSON, hidden: set[str]) -> set[str]:
    """The options that are numbers of a cell which is not covered, or a size of its matrix."""
    seen = [one for one in scene["panels"] if one["array"] not in hidden]
    found = set()
    for label in (one.label for one in asked.options):
        if not (number := NUMBER.fullmatch(label)):
            continue
        value, decimals = float(number[1].replace("−", "-")), len(number[2] or "")
        for panel in seen:
            array = scene["arrays"][panel["array"]]
            is_kind = not number[3] or array["kind"] == "probability"
            if "data" in array and is_kind and panel["size"] != "small":
                cells = shown(scene, panel["array"]) * (100 if number[3] else 1)
                found |= {label} if (np.round(cells, decimals) == value).any() else set()
            sizes = re.findall(r"\d+", str(panel.get("badge", "")).split(",")[0])
            found |= {label} if label in sizes else set()
    return found


def says(words: str, label: str) -> bool:
    """Whether words hold an option as it is, and not as a part of a longer word or number."""
    return bool(re.search(rf"(?<![\w.,−-]){re.escape(label)}(?![\w]|[.,]\d)", words))


@pytest.mark.parametrize(("name", "place"), PLACES)
def test_no_moment_shows_its_right_answer_before_the_vote(name: str, place: int) -> None:
    lesson = shipped_lessons()[name]
    moment, asked = lesson.moments[place], lesson.question_at(place)
    assert asked is not None
    assert moment.covered in ("result", "numbers", "page", "nothing")
    page = page_of(moment.page)
    told = f"{page.title} {page.question} {moment.title} {moment.text} {asked.text}"
    assert not says(told, asked.answer)
    if moment.page not in STEPS_OF_STORY:
        return
    scene = moment_picture(moment, name, moment.covered)
    assert scene is not None
    hidden = covered(scene, moment.covered)
    result = [one["array"] for one in scene["panels"] if one["role"] == "result"]
    assert moment.covered == "nothing" or hidden.issuperset(result)
    assert asked.answer not in options_in_sight(asked, scene, hidden)


def test_a_picture_that_is_not_covered_is_found_out() -> None:
    """The same moments without their covers: their right numbers are seen."""
    found = 0
    for name, place in PLACES:
        lesson = shipped_lessons()[name]
        moment, asked = lesson.moments[place], lesson.question_at(place)
        if asked and moment.page in STEPS_OF_STORY and NUMBER.fullmatch(asked.answer):
            scene = moment_picture(moment, name)
            assert scene is not None
            found += asked.answer in options_in_sight(asked, scene, set())
    assert found > 6
