"""A stage is led by keys: those of a clicker in a lecture, those of a reader; what is covered."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driving import (
    click_cell,
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
from tests.browser.test_every_page import violations
from tests.browser.test_stage import FIRST

pytestmark = pytest.mark.browser


def test_no_press_of_a_clicker_is_without_effect(page: Page, app_url: str) -> None:
    """In a lecture through the whole story and back: each press changes the picture. A step is
    covered at first, then shows a cell, its row, all of it; the overview has nothing to cover.
    """
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(f"{app_url}/overview?{FIRST}&present=true&guess=false")
    settled(page)
    n_presses = 0
    while path_of(page) != "practice":
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
    """The question comes first; with its answer one cell is shown, the others stay covered."""
    page.goto(f"{app_url}/scores?{FIRST}&present=true&guess=true&query=6&key=1")
    settled(page)
    expect(page.locator(".arithmetic .result")).to_have_count(0)
    page.keyboard.press("PageDown")
    expect_result(page, 10)
    hover_cell(page, "scores", (0, 0, 6, 4))
    expect(page.locator(".arithmetic .result")).to_have_count(0)


def test_what_follows_from_a_covered_result_is_covered(page: Page, app_url: str) -> None:
    """On Scale the softmax of the scaled row: it shows when its whole row does."""
    page.goto(f"{app_url}/scale?{FIRST}&present=true&guess=false&query=6&key=1")
    settled(page)
    result = page.locator(".arithmetic .result")
    for shown in (0, 0, 1):
        hover_cell(page, "scaled_shares", (0, 0, 6, 1))
        expect(result).to_have_count(shown)
        page.keyboard.press("PageDown")


def test_arrow_keys_turn_the_steps_where_nothing_else_needs_them(page: Page, app_url: str) -> None:
    """Outside a lecture, too, as the README says; not while a matrix or a control has the focus."""
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
    """It names the step, and nothing else of the stage lies on it."""
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
    """A key in a matrix may change the head."""
    page.goto(f"{app_url}/scores?{FIRST}&head=0")
    settled(page)
    pressed = page.locator("[data-head][aria-pressed=true]")
    expect(pressed).to_have_text("0")
    page.locator("[data-role=result]").focus()
    page.keyboard.press("PageDown")
    expect(pressed).to_have_text("1")


def test_a_black_screen(page: Page, app_url: str) -> None:
    """b makes the screen black, and b again brings the step back."""
    page.goto(f"{app_url}/scores?seed=0&present=true")
    settled(page)
    page.keyboard.press("b")
    expect(page.locator(".black")).to_be_visible()
    page.keyboard.press("b")
    expect(page.locator(".black")).to_be_hidden()


def test_a_covered_result_is_in_the_url(page: Page, app_url: str) -> None:
    """The result is covered by a button, the URL says so, and a cell that is asked for shows."""
    page.goto(f"{app_url}/scores?seed=0")
    settled(page)
    page.get_by_role("button", name="Cover the result").click()
    page.wait_for_url("**hide=true**")
    assert parameters(settled(page))["hide"] == "true"
    expect(page.locator(".arithmetic .result")).to_have_count(0)
    page.goto(f"{app_url}/scores?seed=0&hide=true")
    settled(page)
    expect(page.locator(".arithmetic .result")).to_have_count(0)


def test_the_end_of_a_lecture(page: Page, app_url: str) -> None:
    """A button of the stage ends the lecture: menu and sidebar are there again."""
    page.goto(f"{app_url}/scores?seed=0&present=true")
    settled(page)
    page.get_by_role("button", name="End the lecture mode").click()
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    assert "present" not in parameters(settled(page))


def test_a_label_asks_for_its_row(page: Page, app_url: str) -> None:
    """Of a covered result a click or Enter on the label of a row shows that row, on a cell the
    cell; the others stay covered.
    """
    page.goto(f"{app_url}/scores?{FIRST}&hide=true&query=6&key=1")
    settled(page)
    labels, result = page.locator(".ask"), page.locator(".arithmetic .result")
    expect(labels).to_have_count(8)
    labels.nth(2).click()
    expect(labels).to_have_count(7)
    hover_cell(page, "scores", (0, 0, 2, 1))
    expect_result(page, 6)
    hover_cell(page, "scores", (0, 0, 6, 1))
    expect(result).to_have_count(0)
    click_cell(page, "scores", (0, 0, 6, 1))
    expect_result(page, 10)
    hover_cell(page, "scores", (0, 0, 6, 4))
    expect(result).to_have_count(0)
    page.mouse.move(0, 0)
    labels.first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(labels).to_have_count(6)
    assert [label.get_attribute("data-row") for label in labels.all()] == list("034567")
    expect(labels.nth(1)).to_be_focused()


def test_a_link_leads_past_the_controls(page: Page, app_url: str) -> None:
    """Among the first stops of the Tab key one leads to the result, in which arrow keys move."""
    page.goto(f"{app_url}/scores?{FIRST}")
    settled(page)
    link = page.locator(".skip-to-board")
    expect(link).not_to_be_in_viewport()
    page.keyboard.press("Tab")
    expect(link).to_be_focused()
    expect(link).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("[data-role=result]")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".arithmetic .what")).to_contain_text("cat")
    page.goto(f"{app_url}/seen")
    settled(page)
    expect(link).to_have_count(0)


@pytest.mark.parametrize("height", [664, 900])
def test_the_strip_is_one_stop_of_the_tab_key(page: Page, app_url: str, height: int) -> None:
    """From the strip one Tab leads to what stands behind it, whatever the window."""
    page.goto(f"{app_url}/scores?{FIRST}")
    resized(page, 1280, height)
    page.locator(".strip a.here").focus()
    page.keyboard.press("Tab")
    assert page.locator(".strip a:focus").count() == 0
    page.keyboard.press("Shift+Tab")
    expect(page.locator(".strip a.here")).to_be_focused()


@pytest.mark.parametrize("state", ["", "&hide=true", "&present=true"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_stage_has_no_serious_fault_for_a_reader(
    page: Page, app_url: str, state: str, scheme: str
) -> None:
    """axe-core finds none, covered, in a lecture, in the light and in the dark."""
    page.emulate_media(color_scheme=scheme)
    for step in ("scores", "projections", "overview"):
        page.goto(f"{app_url}/{step}?{FIRST}{state}")
        settled(page)
        assert violations(page) == []


def test_more_keys_of_a_lecture(page: Page, app_url: str) -> None:
    """Space goes on, Home begins anew, f asks for the full screen, a full stop makes all black; in
    a field they write.
    """
    page.goto(f"{app_url}/scores?{FIRST}&present=true&hide=true&query=6&key=1")
    settled(page)
    result = page.locator(".arithmetic .result")
    expect(result).to_have_count(0)
    page.keyboard.press("Space")
    expect_result(page, 10)
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


def test_the_arithmetic_opens_to_all_terms(page: Page, app_url: str) -> None:
    """In one line at first, on demand all terms in a column, and in one line again; what scrolls
    has a bar that is not transparent.
    """
    page.goto(f"{app_url}/scores?{FIRST}&present=true")
    resized(page, 1280, 720)
    arithmetic = page.locator(".arithmetic")
    line = arithmetic.bounding_box()
    assert line
    assert line["height"] <= 48
    page.get_by_role("button", name="All terms in a column").click()
    opened = arithmetic.bounding_box()
    assert opened
    assert opened["height"] > 3 * line["height"]
    bar = "element => getComputedStyle(element).scrollbarColor"
    assert arithmetic.locator(".terms").evaluate(bar) == "auto"
    page.get_by_role("button", name="The arithmetic in one line").click()
    assert arithmetic.bounding_box() == line


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (390, 844)])
def test_a_term_that_is_no_product_shows_its_number(
    page: Page, app_url: str, width: int, height: int
) -> None:
    """In one line, too: a word's vector plus its position, and the bias of a sum."""
    page.goto(f"{app_url}/tokens?{FIRST}&query=1&feature=0")
    chips = resized(page, width, height).locator(".arithmetic .chip b")
    expect(chips).to_have_count(2)
    for chip in chips.all():
        expect(chip).to_be_visible()
