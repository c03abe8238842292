"""Lessons in a browser: every shipped one from its first moment to its last, by link and by key."""

from __future__ import annotations

from urllib.parse import parse_qs

import pytest
from playwright.sync_api import Page, expect

from attention_lab.lessons.lesson_file import shipped_lessons
from tests.browser.driving import box_of, parameters, path_of, press_and_see, settled

NOTICES = "[data-testid=stToast], [data-testid=stException], [data-testid=stAlertContentError]"


def expect_moment(page: Page, name: str, place: int) -> None:
    """Wait until a moment is drawn: the page and all that its state names, with no notice."""
    lesson = shipped_lessons()[name]
    moment = lesson.moments[place]
    count = f"{place + 1}/{len(lesson.moments)}"
    expect(page.locator(".lesson-count")).to_have_text(count)
    settled(page)
    assert path_of(page) == moment.page
    held = parameters(page)
    assert (held["lesson"], held["moment"]) == (name, moment.name)
    named = {key: values[-1] for key, values in parse_qs(moment.state).items()}
    assert {key: text for key, text in held.items() if named.get(key, text) != text} == {}
    assert set(held) - set(named) <= {"lesson", "moment", "feature", "th_model"}
    expect(page.locator(NOTICES)).to_have_count(0)
    if moment.at:  # below the bar
        expect(
            page.locator("h2, h3, .title").get_by_text(moment.at, exact=True)
        ).to_be_in_viewport()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """The lessons that are gone through: one of them, or all."""
    if "name" in metafunc.fixturenames:
        every = metafunc.config.getoption("every_situation")
        metafunc.parametrize("name", list(shipped_lessons()) if every else ["masks"])


@pytest.mark.every_situation
def test_a_lesson_from_its_first_moment_to_its_last(page: Page, app_url: str, name: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(f"{app_url}/?lesson={name}")
    lesson = shipped_lessons()[name]
    for place, moment in enumerate(lesson.moments):
        expect_moment(page, name, place)
        expect(page.locator("[data-testid=stHeader]")).to_be_hidden()
        sidebar = page.locator("[data-testid=stSidebar]")
        expect(sidebar).to_be_visible(visible=bool(moment.controls))
        # The answer, the cell with it where the result is covered, its row, all of it.
        covered = moment.choices.get("hide") == "true"
        presses = 3 if covered else int(moment.question is not None)
        for _ in range(presses + (place + 1 < len(lesson.moments))):
            press_and_see(page, "PageDown")
    expect(page.locator(".lesson-bar a.after")).to_have_count(0)


@pytest.mark.every_situation
def test_a_lesson_is_led_by_links_and_keys_with_its_notes_and_left(
    page: Page, app_url: str
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{app_url}/?lesson=masks&moment=1")
    expect_moment(page, "masks", 0)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    notes = [moment.note for moment in shipped_lessons()["masks"].moments]
    with page.expect_popup() as opened:
        page.get_by_role("button", name="Note").click()
    expect(opened.value.locator("p")).to_have_text(notes[0])
    page.locator(".lesson-bar a.after").click()
    expect_moment(page, "masks", 1)
    expect(opened.value.locator("p")).to_have_text(notes[1])
    opened.value.close()
    page.keyboard.press("PageUp")
    expect_moment(page, "masks", 0)
    page.set_viewport_size({"width": 1280, "height": 720})
    result, why = page.locator("[data-role=result]").first, page.locator(".lesson-question output")
    box = box_of(result)
    assert box["y"] + box["height"] <= 720
    expect(why).to_be_hidden()
    bar = page.get_by_role("navigation", name="Lesson")
    bar.get_by_role("button", name="12", exact=True).focus()
    page.keyboard.press("Enter")
    expect(why).to_be_visible()
    expect(page.locator(".lesson-question .wrong")).to_have_text("12")
    expect(page.locator(".lesson-question .right")).to_have_text("3")
    page.get_by_role("link", name="All controls").click()
    expect(page.locator("[data-testid=stHeader]")).to_be_visible()
    settled(page)
    assert parameters(page)["view"] == "full"
    page.get_by_role("link", name="End lesson").click()
    expect(page.locator(".lesson-bar")).to_have_count(0)
    settled(page)
    assert parameters(page)["mask"] == "causal"
    assert not {"lesson", "hide"} & set(parameters(page))
