"""The story and a lesson as one file hold the scenes of the app, and load nothing."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Collection
from dataclasses import replace
from functools import cache
from typing import Any
from xml.etree.ElementTree import ParseError, fromstring

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core.errors import SettingsError
from attention_lab.focus import Focus
from attention_lab.lessons.lesson import Lesson, Moment, lesson_question
from attention_lab.lessons.lesson_file import shipped_lessons
from attention_lab.page_list import page_of, page_row
from attention_lab.scenario import Scenario
from attention_viz.course_package import CONTENT, MANIFEST, course_package
from attention_viz.scene_formats import scene_to_text
from attention_viz.story.stages import OPTION_CHOICES, STEPS_OF_STORY, step_scene
from attention_viz.story.story_file import OF_THREE, lesson_file, pooled, seen_sentences, story_file
from attention_viz.story.story_view import StoryView
from tests.viz.reading_files import scene_in, story_in, whole

VIEW = StoryView(focus=Focus(1, 8, 1, 2))  # 12 tokens, 16 features, 4 heads
MODERN = replace(VIEW, scenario=replace(VIEW.scenario, rotary="halves", qk_norm=True))
MAX_BYTES = 1_000_000
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=40),
    lambda one: st.lists(one, max_size=4) | st.dictionaries(st.sampled_from("abc"), one),
    max_leaves=20,
)


def plain(scene: dict[str, Any]) -> dict[str, Any]:
    """A scene as JSON, without what a file leaves out."""
    found: dict[str, Any] = json.loads(scene_to_text(scene))
    for panel in found["panels"]:
        panel.pop("editable", None)
    for note in found["stage"]["notes"]:
        for name in ("label", "act", "value"):
            note.pop(name, None)
    tries = found["stage"]["reasons"]["tries"]
    tries[:] = [one for one in tries if one["act"] in ("pin", "which", "head")]
    choices = found["stage"]["choices"]
    found["stage"]["choices"] = [one for one in choices if one["name"] == "which"]
    return found


@settings(max_examples=30)
@given(st.lists(VALUES, max_size=5))
def test_a_pool_gives_every_value_back(values: list[Any]) -> None:
    pool, places = pooled(values)
    assert [whole(pool, pool[place]) for place in places] == values
    assert len({json.dumps(entry) for entry in pool}) == len(pool)


@cache
def held(view: StoryView) -> dict[str, Any]:
    """What the file of a view holds."""
    return story_in(story_file(view))


@pytest.fixture
def story() -> dict[str, Any]:
    """What the file of the usual view holds."""
    return held(VIEW)


@pytest.mark.parametrize(
    ("view", "left_out"),
    [(VIEW, OPTION_CHOICES), (MODERN, ["next-token"])],
    ids=["plain", "modern"],
)
def test_every_scene_is_that_of_the_app(view: StoryView, left_out: Collection[str]) -> None:
    story = held(view)
    steps = [one["path"] for one in story["steps"]]
    assert steps == [name for name in STEPS_OF_STORY if name not in left_out] + ["seen"]
    for path in steps[:-1]:
        head = "1" if "head" in page_of(path).looks_into else ""
        for which in OF_THREE.get(path, ("",)):
            expected = plain(step_scene(replace(view, which=which or view.which), path))
            assert scene_in(story, path, f"{which}.{head}") == expected, path


def test_another_head_looks_at_the_key_that_it_reads_most(story: dict[str, Any]) -> None:
    assert story["heads"] == [0, 1, 2, 3]
    for head in (0, 2, 3):
        key = int(VIEW.trace.probabilities[0, head, 8].argmax())
        view = replace(VIEW, focus=Focus(head, 8, key, 2))
        assert scene_in(story, "scores", f".{head}") == plain(step_scene(view, "scores"))


def test_the_file_is_small_and_holds_one_head_of_a_large_layer() -> None:
    assert len(story_file(VIEW).encode()) < MAX_BYTES / 4
    large = Scenario("word " * 64, d_model=64, n_heads=16)
    story = story_in(story_file(replace(VIEW, scenario=large)))
    assert story["heads"] == [1]
    scene = scene_in(story, "softmax", ".1")
    assert scene["stage"]["heads"]["count"] == 1


def test_the_overview_opens_steps_of_the_file(story: dict[str, Any]) -> None:
    scene = scene_in(story, "overview", ".1")
    links = {part["link"] for part in (*scene["panels"], *scene["sentence"]["chain"])}
    assert links <= story["links"].keys()
    paths = {step["path"] for step in story["steps"]}
    assert {path for path, _ in story["links"].values()} <= paths
    assert story["links"]["keys"] == ["projections", "keys"]


@pytest.mark.parametrize("text", ["</script><b>x</b>", "שלום עולם", "a “b” & <i>"])
def test_a_hostile_sentence_stays_text(text: str) -> None:
    html = story_file(StoryView(Scenario(text, n_heads=1)))
    assert len(re.findall("</script>", html)) == 3
    assert "<i>" not in html
    assert not re.search(r"(?:src|href)=|https?://|url\(", html)
    assert "default-src 'none'" in html


def test_the_file_tells_what_the_token_became(story: dict[str, Any]) -> None:
    assert story["steps"][-1]["says"] == list(seen_sentences(VIEW))
    below = whole(story["pool"], {"$": story["steps"][-1]["below"]})
    assert {panel["array"] for panel in below["panels"]} >= {"inputs", "output"}


@pytest.mark.parametrize("name", shipped_lessons())
def test_a_lesson_has_its_moments_without_notes(name: str) -> None:
    lesson = shipped_lessons()[name]
    html = lesson_file(lesson)
    story = story_in(html)
    assert [one["title"] for one in story["steps"]] == [one.title for one in lesson.moments]
    assert not [one.note for one in lesson.moments if one.note and one.note in json.dumps(story)]
    for place, (step, moment) in enumerate(zip(story["steps"], lesson.moments, strict=True)):
        asked = lesson.question_at(place)
        assert step.get("question", {}).get("options") == (
            [one.label for one in asked.options] if asked else None
        )
        is_step = moment.page in STEPS_OF_STORY
        assert bool(scene_in(story, step["path"], ".")["panels"]) == is_step
        assert (page_of(moment.page).title in step["away"]) != is_step
    assert len(html.encode()) < MAX_BYTES / 4


def test_a_moment_that_makes_no_layer_says_why() -> None:
    moments = (Moment("No", "scores", "n_heads=3"), Moment("Yes", "tokens"))
    story = story_in(lesson_file(Lesson("Three", moments)))
    assert "3" in story["steps"][0]["away"]
    assert story["steps"][1]["away"] == ""


def test_a_package_has_a_manifest_that_names_its_page() -> None:
    asked = lesson_question("Why?", "So.", ("a", "b"))
    lesson = Lesson("<Masks> & “more”", (Moment("One", "mask", question=asked),))
    data = course_package(lesson)
    assert data == course_package(lesson)
    package = zipfile.ZipFile(io.BytesIO(data))
    manifest = fromstring(package.read(MANIFEST))
    names = {"": CONTENT}
    assert manifest.find("organizations/organization/item/title", names).text == lesson.title
    (resource,) = manifest.findall("resources/resource", names)
    listed = {file.get("href") for file in resource.findall("file", names)}
    assert listed | {MANIFEST} == set(package.namelist())
    assert package.read(resource.get("href")).decode() == lesson_file(lesson)
    (item,) = manifest.findall("organizations/organization/item", names)
    assert item.get("identifierref") == resource.get("identifier")


@pytest.mark.parametrize(
    "character", ["\x00", "\x08", "\x0c", "\x1f", "\x7f", "\u200d", "\ufffe", "😀"]
)
def test_a_title_that_is_no_xml_is_refused(character: str) -> None:
    title = f"One {character} lesson"
    try:
        lesson = Lesson(title, (Moment("One", "mask"),))
    except SettingsError:
        with pytest.raises(ParseError):
            fromstring(f"<title>{title}</title>")
        return
    manifest = fromstring(zipfile.ZipFile(io.BytesIO(course_package(lesson))).read(MANIFEST))
    assert title in [found.text for found in manifest.iter()]


def test_the_story_leaves_practice_to_the_app() -> None:
    left_out = {page.url_path for page in page_row("story").lecture} - {*STEPS_OF_STORY, "seen"}
    assert left_out == {"practice"}
