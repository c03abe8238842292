"""The keys of a lecture: what each press shows, and where it leads."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driving import (
    expect_result,
    expect_title,
    hover_cell,
    parameters,
    path_of,
    press_and_see,
    resized,
    settled,
    slider,
)
from tests.browser.test_guess import asked_for
from tests.browser.test_stage import FIRST

pytestmark = pytest.mark.browser


def test_no_press_of_a_clicker_is_without_effect(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(f"{app_url}/overview?{FIRST}&present=true&guess=false")
    settled(page)
    n_presses = 0
    while path_of(page) != "practice":
        here = re.compile(rf"^\./{path_of(page)}\b")
        expect(page.locator(".strip a.here")).to_have_attribute("href", here)
        press_and_see(page, "PageDown")
        n_presses += 1
    assert n_presses == 1 + 10 * 4 + 1
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    expect(page.get_by_role("button", name="End the lecture mode")).to_be_visible()
    page.keyboard.press("PageUp")
    expect_title(page, "What you have seen")
    page.keyboard.press("PageUp")
    expect_title(page, "Output")


def test_a_lecture_asks_before_it_shows(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/scores?{FIRST}&present=true&guess=true&query=8&key=1")
    settled(page)
    expect(page.locator(".arithmetic .result")).to_have_count(0)
    page.keyboard.press("PageDown")
    expect_result(page, asked_for("scores")[1])
    hover_cell(page, "scores", (0, 0, 8, 5))
    expect(page.locator(".arithmetic .result")).to_have_count(0)


def test_what_follows_from_a_covered_result_is_covered(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/scale?{FIRST}&present=true&guess=false&query=8&key=1")
    settled(page)
    result = page.locator(".arithmetic .result")
    for shown in (0, 0, 1):
        hover_cell(page, "scaled_shares", (0, 0, 8, 1))
        expect(result).to_have_count(shown)
        page.keyboard.press("PageDown")


def test_arrow_keys_turn_the_steps_where_nothing_else_needs_them(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/scores?{FIRST}")
    settled(page)
    page.keyboard.press("ArrowRight")
    expect_title(page, "Scale")
    settled(page)
    page.keyboard.press("ArrowLeft")
    expect_title(page, "Scores")
    settled(page)
    page.keyboard.press("PageDown")
    for part in (
        page.locator("[data-role=result]"),
        slider(page, "Heads"),
        page.get_by_label("Speed"),
    ):
        part.focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowLeft")
        expect_title(settled(page), "Scores")


@pytest.mark.parametrize(("width", "height"), [(1366, 768), (1280, 720), (390, 844)])
def test_each_step_ends_with_a_link_to_the_next(
    page: Page, app_url: str, width: int, height: int
) -> None:
    page.goto(f"{app_url}/output?head=0&n_heads=4")
    link = resized(page, width, height).locator(".onward a")
    expect(link).to_contain_text("What you have seen")
    if width > 400:
        box = link.bounding_box()
        others = page.locator(".controls > *, .player > *").all()
        assert box
        assert box["x"] + box["width"] <= width
        boxes = [other.bounding_box() for other in others if other.is_visible()]
        assert all(one and one["x"] + one["width"] <= box["x"] for one in boxes)
    link.click()
    expect_title(page, "What you have seen")


def test_the_button_of_the_head_that_is_shown_is_pressed(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/scores?{FIRST}&head=0")
    settled(page)
    pressed = page.locator("[data-head][aria-pressed=true]")
    expect(pressed).to_have_text("0")
    page.locator("[data-role=result]").focus()
    page.keyboard.press("PageDown")
    expect(pressed).to_have_text("1")


def test_a_black_screen(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/scores?seed=0&present=true")
    settled(page)
    page.keyboard.press("b")
    expect(page.locator(".black")).to_be_visible()
    page.keyboard.press("b")
    expect(page.locator(".black")).to_be_hidden()


def test_the_end_of_a_lecture(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/scores?seed=0&present=true")
    settled(page)
    page.get_by_role("button", name="End the lecture mode").click()
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    assert "present" not in parameters(settled(page))


def test_more_keys_of_a_lecture(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/scores?{FIRST}&present=true&hide=true&query=8&key=1")
    settled(page)
    result = page.locator(".arithmetic .result")
    expect(result).to_have_count(0)
    page.keyboard.press("Space")
    expect_result(page, 14)
    page.keyboard.press("Home")
    expect(result).to_have_count(0)
    page.evaluate(
        "() => { window.asked = 0;"
        " document.documentElement.requestFullscreen = () => { window.asked += 1; }; }"
    )
    page.keyboard.press("f")
    assert page.evaluate("asked") == 1
    page.keyboard.press(".")
    expect(page.locator(".black")).to_be_visible()
    page.keyboard.press(".")
    page.locator("[data-role=result]").focus()
    for key in ("b", "f", "Space", "Home", "PageDown"):
        page.keyboard.press(key)
    expect(page.locator(".black")).to_be_hidden()
    assert page.evaluate("asked") == 1
    expect(page.locator("h1")).to_have_text("Scores")
    page.evaluate("document.body.append(document.createElement('input'))")
    field = page.locator("body > input")
    field.focus()
    for key in ("b", "f", "Space", "PageDown"):
        page.keyboard.press(key)
    expect(field).to_have_value("bf ")
    expect(page.locator(".black")).to_be_hidden()
