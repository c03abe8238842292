"""A stage is led by keys: those of a reader; what is covered and asked for."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driving import (
    click_cell,
    expect_result,
    hover_cell,
    parameters,
    resized,
    settled,
)
from tests.browser.test_every_page import violations
from tests.browser.test_stage import FIRST

pytestmark = pytest.mark.browser


def test_a_covered_result_is_in_the_url(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/scores?seed=0")
    settled(page)
    page.get_by_role("button", name="Cover the result").click()
    page.wait_for_url("**hide=true**")
    assert parameters(settled(page))["hide"] == "true"
    expect(page.locator(".arithmetic .result")).to_have_count(0)
    page.goto(f"{app_url}/scores?seed=0&hide=true")
    settled(page)
    expect(page.locator(".arithmetic .result")).to_have_count(0)


def test_a_label_asks_for_its_row(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/scores?{FIRST}&hide=true&query=8&key=1")
    settled(page)
    labels, result = page.locator(".ask"), page.locator(".arithmetic .result")
    expect(labels).to_have_count(10)
    labels.nth(2).click()
    expect(labels).to_have_count(9)
    hover_cell(page, "scores", (0, 0, 2, 1))
    expect_result(page, 6)
    hover_cell(page, "scores", (0, 0, 8, 1))
    expect(result).to_have_count(0)
    click_cell(page, "scores", (0, 0, 8, 1))
    expect_result(page, 14)
    hover_cell(page, "scores", (0, 0, 8, 5))
    expect(result).to_have_count(0)
    page.mouse.move(0, 0)
    labels.first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(labels).to_have_count(8)
    assert [label.get_attribute("data-row") for label in labels.all()] == list("03456789")
    expect(labels.nth(1)).to_be_focused()


def test_a_link_leads_past_the_controls(page: Page, app_url: str) -> None:
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
    page.emulate_media(color_scheme=scheme)
    for step in ("scores", "projections", "overview"):
        page.goto(f"{app_url}/{step}?{FIRST}{state}")
        settled(page)
        assert violations(page) == []


def test_the_arithmetic_opens_to_all_terms(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/projections?{FIRST}&present=true")
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
    page.goto(f"{app_url}/tokens?{FIRST}&query=1&feature=0")
    chips = resized(page, width, height).locator(".arithmetic .chip b")
    expect(chips).to_have_count(2)
    for chip in chips.all():
        expect(chip).to_be_visible()
