"""Lessons in the app: opened by URL, made by a teacher, refused where they are hostile."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from attention_lab.before_and_after import FORMS
from attention_lab.control_list import CONTROLS
from attention_lab.lessons.lesson import Lesson, Moment
from attention_lab.lessons.lesson_file import (
    keep_lesson,
    lesson_named,
    lesson_to_link,
    shipped_lessons,
    write_lesson,
)
from attention_lab.page_list import page_of
from attention_lab.scenario import Scenario
from attention_ui.lesson import lesson_bar_html
from attention_ui.uneven_heads import OFFERED
from attention_viz.teach.for_teachers_page import LESSON_PLANS, PART
from tests.ui.app import opened, page_context, refused, title

MINE = Lesson("Mine", (Moment("One", "scores", "n_heads=2&mask=causal"), Moment("Two", "mask")))


def shown(app: AppTest) -> tuple[str, int] | None:
    """The lesson that is shown, and which of its moments."""
    lesson = app.session_state["session"].lesson
    return lesson and (lesson.name, lesson.place)


def draft(app: AppTest) -> Lesson:
    """The lesson of the teacher, as the URL holds it."""
    return lesson_named(str(app.query_params["draft"]))


def lesson_style_of(app: AppTest) -> str:
    """The rules for the view of a lesson in the style sheet that the browser was told."""
    _, style = app.session_state["session"].sent_look
    return str(style).partition('@media screen { [data-testid="stHeader"]')[2]


HOSTILE = Lesson(
    "<img src=x onerror=alert(1)>",
    (Moment("</script><b>", "scores", "head=0", text='"><script>', note="<i>"),),
)


@pytest.mark.parametrize("lesson", shipped_lessons().values(), ids=shipped_lessons())
def test_every_control_of_a_shipped_lesson_exists(lesson: Lesson) -> None:
    names = {control.name for control in CONTROLS}
    assert {name for moment in lesson.moments for name in moment.controls} <= names


@pytest.mark.parametrize("name", shipped_lessons())
def test_every_moment_of_a_shipped_lesson_is_shown(name: str) -> None:
    found = {}
    lesson = shipped_lessons()[name]
    for place, moment in enumerate(lesson.moments):
        there = {"lesson": name, "moment": lesson.moment_text(place)}
        app = opened(moment.page, **there, **moment.choices)
        wrong = [*app.exception, *app.error, *refused(app)]
        if wrong or shown(app) != (name, place):
            found[moment.title] = (wrong, shown(app))
    assert found == {}


def test_the_bare_url_opens_the_page_of_the_moment() -> None:
    app = opened("overview", bare=True, lesson="masks", moment=1)
    assert shown(app) == ("masks", 0)
    app = opened("mask", lesson="masks", moment=1, mask="causal", n_heads=4)
    assert title(app) == page_of("mask").title
    assert page_context(app).scenario == Scenario(mask="causal")


def test_a_moment_beyond_the_last_is_the_last_one() -> None:
    app = opened("mask", lesson="masks", moment=40)
    assert shown(app) == ("masks", len(shipped_lessons()["masks"].moments) - 1)


def test_a_new_moment_resets_what_it_does_not_name() -> None:
    app = opened("scores", lesson=keep_lesson(MINE), moment=1, n_heads=2, mask="causal")
    assert page_context(app).scenario.n_heads == 2
    app.query_params.clear()
    app.query_params["lesson"] = keep_lesson(MINE)
    app.query_params["moment"] = "2"
    app.run()
    assert page_context(app).scenario == Scenario()
    page = "self-attention-mass"
    draft = keep_lesson(MINE)
    app = opened(page, lesson="diagonal", moment=3, lab_tokens="numbers", draft=draft)
    app.query_params.clear()
    app.query_params |= {"lesson": "diagonal", "moment": "2"}
    app.run()
    assert app.session_state["lab_tokens"] == "sentence"
    assert app.session_state["draft"] == draft
    app = opened(
        "mask",
        lesson="diagonal",
        moment=3,
        unmasked="true",
        batch="a dog",
        sentence=1,
        notation="columns",
    )
    app.query_params.clear()
    app.query_params |= {"lesson": "diagonal", "moment": "2", "batch": "a dog"}
    app.run()
    assert (app.session_state["unmasked"], app.session_state["sentence"]) == ("", 0)
    assert page_context(app).notation.key == "ours"


def test_the_bar_holds_the_texts_escaped() -> None:
    html = lesson_bar_html(HOSTILE, lesson_to_link(HOSTILE) or "", 0, "full")
    assert "<script" not in html
    assert "<img" not in html
    assert "<i>" not in html
    known = {"nav", "div", "span", "a", "b", "p", "output", "button"}
    assert set(re.findall(r"<(\w+)", html)) <= known


def test_a_page_that_does_not_exist_is_refused() -> None:
    lost = Lesson("Lost", (Moment("One", "nowhere", "head=0"),))
    app = opened("scores", lesson=lesson_to_link(lost))
    assert shown(app) is None
    assert len(refused(app)) == 1


def test_a_teacher_adds_views_in_order() -> None:
    app = opened("for-teachers", teach="own")
    app.button(key="begin draft").click().run()
    app.button(key="add view").click().run()
    app.button(key="add view").click().run()
    lesson = draft(app)
    assert {(one.page, one.title) for one in lesson.moments} == {("for-teachers", title(app))}
    assert all("draft" not in moment.choices for moment in lesson.moments)
    app.button(key="draft Remove").click().run()
    assert len(draft(app).moments) == 1
    assert draft(app) == replace(lesson, moments=lesson.moments[:1])


@pytest.mark.parametrize("data", [b"{}", b"no json", write_lesson(MINE)[:-5]])
def test_a_file_that_is_no_lesson_changes_nothing(data: bytes) -> None:
    app = opened("for-teachers", teach="own", draft=keep_lesson(MINE))
    app.file_uploader(key="lesson file").upload("x.json", data, "application/json").run()
    assert len(app.error) == 1
    assert draft(app) == MINE


def test_a_lesson_file_is_opened() -> None:
    app = opened("for-teachers", teach="own")
    file = ("x.json", write_lesson(MINE), "application/json")
    app.file_uploader(key="lesson file").upload(*file).run()
    assert not app.error
    assert draft(app) == MINE


def test_the_plans_fit_their_periods() -> None:
    lessons = shipped_lessons()
    for minutes, plans in LESSON_PLANS.items():
        assert all(sum(lessons[one].minutes for one in names) <= minutes for names in plans)
    planned = {one for plans in LESSON_PLANS.values() for names in plans for one in names}
    assert planned == set(lessons)


def test_a_page_can_be_shown_without_menu_and_with_named_controls() -> None:
    app = opened("scores", view="lesson", show="mask.n_heads")
    style = lesson_style_of(app)
    assert ".st-key-mask" in style
    assert f".st-key-{OFFERED}" in style  # the slider of the heads that is seen
    assert lesson_style_of(opened("scores")) == ""
    (asked,) = refused(opened("scores", view="lesson", show="mask.x{}"))
    assert asked[0] == "Controls that are shown"


@pytest.mark.parametrize("part", PART.options)
def test_each_part_for_teachers_is_shown(part: str) -> None:
    app = opened("for-teachers", teach=part)
    assert not app.exception
    assert not app.toast


@pytest.mark.parametrize("form", FORMS)
def test_a_form_is_shown_whole_and_takes_an_answer(form: str) -> None:
    """Two of its questions have the same matrix."""
    app = opened("for-teachers", teach="test", form=form)
    app.button_group(key=f"choose form_10 {form}").set_value("2").run()
    assert not app.exception
    assert f"{form}-0000000002" in [code.value for code in app.code]
