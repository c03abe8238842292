"""The keys of a lecture: what each press shows, and where it leads."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from attention_lab.page_list import page_of
from tests.browser.driving import (
    StepAt,
    expect_result,
    expect_title,
    hover_cell,
    opened,
    parameters,
    path_of,
    press_and_see,
    settled,
    slider,
)
from tests.browser.test_guess import asked_for
from tests.browser.test_stage import FIRST

COUNT_FULL_SCREENS = """() => {
  window.asked = 0;
  document.documentElement.requestFullscreen = () => { window.asked += 1; };
}"""


@pytest.mark.every_situation
def test_no_press_of_a_clicker_is_without_effect(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    for first, last, n_presses in (
        ("overview", "projections", 1 + 4),
        ("output", "practice", 4 + 3 + 1),
    ):
        opened(page, f"{app_url}/{first}?{FIRST}&present=true&guess=false")
        for _ in range(n_presses):
            here = re.compile(rf"^\./{path_of(page)}\b")
            expect(page.locator(".strip a.here")).to_have_attribute("href", here)
            press_and_see(page, "PageDown")
            expect_title(page, page_of(path_of(page)).title)  # which follows its URL
            settled(page)
        assert path_of(page) == last
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    for title in ("What you have seen", "Block"):
        page.keyboard.press("PageUp")
        expect_title(page, title)
        settled(page)
    page.get_by_role("button", name="End the lecture mode").click()
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    assert "present" not in parameters(settled(page))


def test_a_lecture_covers_asks_and_turns_black(page: Page, step_at: StepAt) -> None:
    result, black = page.locator(".arithmetic .result"), page.locator(".black")
    step_at(page, f"scores?{FIRST}&present=true&guess=true&query=8&key=1")
    expect(result).to_have_count(0)
    page.keyboard.press("PageDown")  # an open question is answered first
    expect_result(page, asked_for("scores")[1])
    hover_cell(page, "scores", (0, 0, 8, 5))
    expect(result).to_have_count(0)

    step_at(page, f"scale?{FIRST}&present=true&guess=false&query=8&key=1")
    for shown in (0, 0, 1):  # what follows from a covered result is covered
        hover_cell(page, "scaled_shares", (0, 0, 8, 1))
        expect(result).to_have_count(shown)
        page.keyboard.press("PageDown")

    step_at(page, f"scores?{FIRST}&present=true&guess=false&query=8&key=1")
    page.mouse.move(0, 0)
    page.keyboard.press("Home")
    expect(result).to_have_count(0)
    page.keyboard.press("Space")
    expect_result(page, 14)
    page.keyboard.press("Home")
    expect(result).to_have_count(0)
    page.evaluate(COUNT_FULL_SCREENS)
    page.keyboard.press("f")
    assert page.evaluate("asked") == 1
    for key in ("b", "."):
        page.keyboard.press(key)
        expect(black).to_be_visible()
        page.keyboard.press(key)
        expect(black).to_be_hidden()
    page.locator("[data-role=result]").focus()  # what uses a key keeps it
    for key in ("b", "f", "Space", "Home", "PageDown"):
        page.keyboard.press(key)
    page.evaluate("document.body.append(document.createElement('input'))")
    field = page.locator("body > input")
    field.focus()
    for key in ("b", "f", "Space", "PageDown"):
        page.keyboard.press(key)
    expect(field).to_have_value("bf ")
    expect(black).to_be_hidden()
    assert page.evaluate("asked") == 1
    expect(page.locator("h1")).to_have_text("Scores")


def test_arrow_keys_turn_the_steps_where_nothing_else_needs_them(
    page: Page, step_at: StepAt
) -> None:
    step_at(page, f"scores?{FIRST}&head=0")
    for key, title in (("ArrowRight", "Scale"), ("ArrowLeft", "Scores")):
        page.keyboard.press(key)
        expect_title(page, title)
        settled(page)
    page.keyboard.press("PageDown")
    parts = [page.locator("[data-role=result]"), page.get_by_label("Speed")]
    for part in [*parts, *slider(page, "Heads").all()]:
        part.focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowLeft")
        expect_title(settled(page), "Scores")
    pressed = page.locator("[data-head][aria-pressed=true]")
    expect(pressed).to_have_text("0")
    page.locator("[data-role=result]").focus()
    page.keyboard.press("PageDown")
    expect(pressed).to_have_text("1")
