"""The page for teachers: lessons to take along, links, the two forms of a test and their gain."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest

from attention_core import SettingsError
from attention_lab.before_and_after import FORMS, form_questions
from attention_lab.guesses import ITEMS, MISCONCEPTIONS
from attention_lab.lessons.lesson_file import read_lesson, shipped_lessons
from attention_lab.page_list import page_now, step_of
from attention_lab.scenario import Scenario
from attention_viz import blocks as b
from attention_viz.course_package import course_package
from attention_viz.page_choices import Select
from attention_viz.sheets import form_sheet
from attention_viz.story.story_file import lesson_file
from attention_viz.story.story_view import StoryView
from attention_viz.teach.for_teachers_page import FOR_TEACHERS
from attention_viz.teach.form_page import ANSWERS, FORM_CHOICES
from tests.lab.test_before_and_after import form_result
from tests.viz.reading_blocks import all_of, blocks_of, words_of
from tests.viz.reading_site import answer_to, sent_blocks


def written(content: str | bytes) -> bytes:
    """A file as it is saved."""
    return content.encode() if isinstance(content, str) else content


def form(name: str, **chosen: str) -> list[b.Block]:
    """The test with a form and some answers."""
    return list(blocks_of(FOR_TEACHERS, Scenario(), teach="test", form=name, **chosen))


@pytest.mark.parametrize("name", FORMS)
def test_answers_make_a_code_and_say_how_many_are_right(name: str) -> None:
    assert "without an answer: 10." in words_of(form(name))
    wanted = form_result(name, "diagonal")
    given = dict(zip(ANSWERS, map(str, wanted.answers), strict=True))
    (code,) = all_of(form(name, **given), b.Code)
    assert code.text == wanted.code
    assert f"**Right: {sum(wanted.right)} of 10.**" in words_of(form(name, **given))
    asked = [one.choice for one in all_of(form(name), b.Field) if one.choice.key in ANSWERS]
    for choice, guess in zip(asked, form_questions(name), strict=True):
        labels = [option.label for option in guess.options]
        assert isinstance(choice, Select)
        assert list(choice.options.items())[1:] == list(zip("1234", labels, strict=False))


def test_an_answer_that_a_question_does_not_offer_counts_as_none() -> None:
    """Of form A, as some URL may hold it; a fifth answer no form has."""
    few = min(range(10), key=lambda one: len(form_questions("A")[one].options))
    beyond = len(form_questions("A")[few].options) + 1
    if beyond <= 4:
        (code,) = all_of(form("A", **{ANSWERS[few]: str(beyond)}), b.Code)
        assert code.text == "A-0000000000"
    answer = next(one for one in FORM_CHOICES if one.key == ANSWERS[few])
    with pytest.raises(SettingsError):
        answer.read("5")


def test_two_codes_give_the_gain() -> None:
    before, after = form_result("A", "diagonal"), form_result("B")
    said = words_of(form("A", code_before=before.code, code_after=after.code))
    expected = f"Right before: {sum(before.right)} of 10. Right after: 10 of 10. **Gain: 1.00.**"
    assert expected in said
    (refused,) = all_of(form("A", code_before=before.code, code_after=before.code), b.Note)
    assert "form A" in refused.text


@pytest.mark.parametrize("name", FORMS)
def test_the_sheet_has_every_question_and_a_key(name: str) -> None:
    page = form_sheet(name)
    asked, key = page.split('class="key"')
    assert len(re.findall(r'class="options"', asked)) == 10
    assert key.count("<li>") == 10
    for place, guess in zip(form_result(name).answers, form_questions(name), strict=True):
        assert f"<li>{place}: {guess.answer}" in key


def test_the_old_page_of_the_test_opens_it_with_its_form() -> None:
    page, choices = page_now("before-and-after", {"form": ["B"], "code_after": ["A-1"]})
    assert page.url_path == "for-teachers"
    assert choices == {"teach": ["test"], "form": ["B"], "code_after": ["A-1"]}


def test_a_lesson_is_offered_as_a_page_as_a_package_and_as_a_file() -> None:
    view = StoryView(home="http://school.example/")
    for name, lesson in shipped_lessons().items():
        box = next(
            one
            for one in all_of(blocks_of(FOR_TEACHERS, view), b.Folded)
            if one.label.startswith(lesson.title)
        )
        files = {one.name: one.make for one in all_of(box.inside, b.File)}
        assert files[f"{name}-page.html"]() == lesson_file(lesson)
        assert files[f"{name}.zip"]() == course_package(lesson)
        assert read_lesson(written(files[f"{name}.json"]())) == lesson
        assert f"http://school.example/?lesson={name}" in str(files[f"{name}.html"]())


def test_a_link_holds_the_page_and_its_looks() -> None:
    chosen = {"link_page": "softmax", "link_look": ("Lecture mode", "Result hidden")}
    found = blocks_of(FOR_TEACHERS, Scenario(), teach="links", **chosen)
    (link,) = all_of(found, b.ShareLink)
    assert (link.page, link.sets) == ("softmax", {"present": "true", "hide": "true"})


def test_on_the_site_a_lesson_is_a_page_of_its_own() -> None:
    boxes = [one["label"] for one in sent_blocks(answer_to("for-teachers", ""), "folded")]
    found = answer_to("for-teachers", "", open=boxes)
    named = {f"lessons/{name}.html" for name in shipped_lessons()}
    assert {one["file"] for one in sent_blocks(found, "share")} == named
    assert named <= {urlsplit(one).path for one in re.findall(r"'href': '([^']+)'", str(found))}


def test_the_index_names_each_misconception_and_where_it_is_asked() -> None:
    (table,) = all_of(blocks_of(FOR_TEACHERS, Scenario(), teach="misconceptions"), b.Table)
    assert [row[0] for row in table.rows] == [one.text for one in MISCONCEPTIONS.values()]
    for name, row in zip(MISCONCEPTIONS, table.rows, strict=True):
        links = re.findall(r"lesson=([a-z-]+)&moment=([a-z0-9-]+)", row[1])
        for lesson, moment in links:
            shown = shipped_lessons()[lesson]
            asked = shown.moments[shown.place_of(moment)].question
            assert asked is not None
            assert any(name in option.misconceptions for option in asked.options)
        steps = set(re.findall(r"\]\(([a-z-]+)\)", row[2]))
        items = [item for item in ITEMS.values() if name in item.misconceptions]
        assert steps == {step_of(field).url_path for item in items for field in item.fields}
        assert links or steps
