"""A class in a lesson: the clicker alone asks, reveals, uncovers and goes on, in one tab."""

from __future__ import annotations

import re
from urllib.parse import urlencode

from playwright.sync_api import BrowserContext, Page, expect

from attention_lab.lessons.lesson_file import shipped_lessons
from tests.browser.driving import box_of, parameters, path_of, press_and_see, settled
from tests.browser.test_class import Class, a_class  # noqa: F401

LESSON = shipped_lessons()["masks"]


def opened_lesson(page: Page) -> None:
    """The lesson, opened by its link on *For teachers*, in the tab that holds the room."""
    page.evaluate("attentionClass.open('/for-teachers')")
    link = page.locator("a[href*='lesson=masks']").last
    link.dispatch_event("click")
    expect(page.locator(".lesson-count")).to_have_text(f"1/{len(LESSON.moments)}")
    settled(page)


def test_the_clicker_alone_leads_a_class(
    a_class: Class,  # noqa: F811
    context: BrowserContext,
) -> None:
    teacher, student = a_class.teacher, a_class.student
    a_class.open()
    a_class.join()
    n_tabs = sum(len(one.pages) for one in teacher.context.browser.contexts)
    opened_lesson(teacher)
    assert sum(len(one.pages) for one in teacher.context.browser.contexts) == n_tabs
    here = {**parameters(teacher), "present": "true"}
    teacher.evaluate(
        "there => attentionClass.open(there)", f"/{path_of(teacher)}?{urlencode(here)}"
    )
    settled(teacher)
    question = LESSON.question_at(0)
    assert question is not None
    expect(teacher.locator(".lesson-room")).to_contain_text("1 in")
    expect_nothing_covered(teacher)
    teacher.keyboard.press("PageDown")
    options = student.locator(".classroom button.option")
    expect(options).to_have_text([re.compile(re.escape(one.label)) for one in question.options])
    wrong = (question.right + 1) % len(question.options)
    options.nth(wrong).click()
    expect(teacher.locator(".lesson-room .count")).to_have_text("1 of 1")
    expect(teacher.locator(".lesson-bar [data-votes]")).to_have_count(0)
    expect(teacher.locator(".lesson-question output")).to_be_hidden()
    expect_nothing_covered(teacher)
    teacher.keyboard.press("PageDown")
    expect(teacher.locator(".lesson-question.answered output")).to_be_visible()
    voted = teacher.locator(".lesson-question [data-votes='1']")
    expect(voted).to_have_text(question.options[wrong].label)
    expect(student.locator(".status")).to_have_attribute("data-state", "wrong")
    student.wait_for_url(f"**/{LESSON.moments[0].page}?*", timeout=30_000)
    expect(student.locator(".lesson-question.answered")).to_be_visible()
    for hidden in (".lesson-act", ".lesson-step", ".lesson-note", ".lesson-reveal"):
        for one in student.locator(f".lesson-bar {hidden}").all():
            expect(one).to_be_hidden()
    for _ in range(4):
        if parameters(teacher)["moment"] == "2":
            break
        press_and_see(teacher, "PageDown")
    settled(teacher)
    assert (parameters(teacher)["moment"], parameters(teacher)["present"]) == ("2", "true")
    student.wait_for_url("**/class?*")  # the next question is not asked yet
    teacher.get_by_role("link", name="End lesson").click()
    thanks = student.locator(".classroom a")
    expect(thanks).to_have_attribute("href", "/?lesson=masks")


def expect_nothing_covered(page: Page) -> None:
    """No part of the bar lies over another one, and the bar over nothing of the page."""
    bar = box_of(page.locator(".lesson-bar"))
    stage = box_of(page.locator(".st-key-stage"))
    assert bar["y"] + bar["height"] <= stage["y"] + 1
    parts = ".lesson-line > :is(a, b, .lesson-note), .lesson-room .class > *"
    boxes = [box_of(one) for one in page.locator(parts).all() if one.is_visible()]
    assert len(boxes) > 6
    for place, one in enumerate(boxes):
        for other in boxes[place + 1 :]:
            assert is_apart(one, other, "x", "width") or is_apart(one, other, "y", "height")


def is_apart(one: dict[str, float], other: dict[str, float], at: str, size: str) -> bool:
    """Whether two boxes share no more than a pixel along a side."""
    first, second = sorted((one, other), key=lambda box: float(box[at]))
    return float(first[at] + first[size]) <= second[at] + 1


def test_a_class_is_asked_about_the_step_that_is_shown(a_class: Class) -> None:  # noqa: F811
    teacher, student = a_class.teacher, a_class.student
    a_class.open()
    a_class.join()
    teacher.evaluate("attentionClass.open('/softmax?mask=causal&n_heads=2')")
    ask = teacher.get_by_role("button", name="Ask the class")
    ask.click()
    expect(student.locator(".classroom h2")).not_to_be_empty()
    asked = student.locator(".classroom h2").inner_text()
    expect(teacher.locator(".asked b")).to_have_text(asked)
    teacher.get_by_role("button", name="Close", exact=True).click()
    teacher.get_by_role("button", name="Vote again").click()
    expect(teacher.locator(".lesson-room .count")).to_have_text("0 of 1")
    teacher.get_by_role("button", name=a_class.room).click()
    expect(teacher.locator(".classroom h2")).to_have_text(asked)
    assert parameters(teacher)["mask"] == "causal"  # a question here is about the same layer
