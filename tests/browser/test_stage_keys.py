"""A stage is led by keys: those of a reader; what is covered and asked for."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driving import (
    box_of,
    click_cell,
    expect_result,
    expect_url,
    hover_cell,
    one_by_one,
    opened,
    resized,
    settled,
)
from tests.browser.test_every_page import violations
from tests.browser.test_stage import FIRST

pytestmark = pytest.mark.browser


def test_a_covered_result_is_asked_for_by_its_labels(page: Page, app_url: str) -> None:
    result, labels = page.locator(".arithmetic .result"), page.locator(".ask")
    opened(page, f"{app_url}/scores?{FIRST}&query=8&key=1")
    page.get_by_role("button", name="Cover the result").click()
    expect_url(page, "hide=true")
    expect(result).to_have_count(0)
    settled(page).reload()
    settled(page)
    expect(result).to_have_count(0)
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
    opened(page, f"{app_url}/scores?{FIRST}")
    link = page.locator(".skip-to-board")
    expect(link).not_to_be_in_viewport()
    page.keyboard.press("Tab")
    expect(link).to_be_focused()
    expect(link).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("[data-role=result]")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".arithmetic .what")).to_contain_text("cat")
    page.locator(".strip a.here").focus()  # the strip is one stop
    page.keyboard.press("Tab")
    assert page.locator(".strip a:focus").count() == 0
    page.keyboard.press("Shift+Tab")
    expect(page.locator(".strip a.here")).to_be_focused()
    opened(page, f"{app_url}/seen")
    expect(link).to_have_count(0)


STATES = ("", "&hide=true", "&present=true")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_stage_has_no_serious_fault_for_a_reader(
    page: Page, app_url: str, scheme: str, request: pytest.FixtureRequest
) -> None:
    """Each step in another state, which the other scheme exchanges."""
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    steps, turned = ("scores", "projections", "overview"), scheme == "dark"
    found = {}
    for turn in range(3 if request.config.getoption("every_situation") else 1):
        asked = [STATES[(place + turn + turned) % 3] for place in range(3)]
        urls = [f"{app_url}/{one}?{FIRST}{more}" for one, more in zip(steps, asked, strict=True)]
        for at, url in zip(one_by_one(page, urls), urls, strict=True):
            if wrong := violations(at):
                found[url] = wrong
    assert found == {}


def test_the_arithmetic_opens_to_all_terms(page: Page, app_url: str) -> None:
    opened(page, f"{app_url}/projections?{FIRST}&present=true")
    resized(page, 1280, 720)
    arithmetic = page.locator(".arithmetic")
    line = box_of(arithmetic)
    assert line["height"] <= 48
    page.get_by_role("button", name="All terms in a column").click()
    column = box_of(arithmetic)
    assert column["height"] > 3 * line["height"]
    bar = "element => getComputedStyle(element).scrollbarColor"
    assert arithmetic.locator(".terms").evaluate(bar) == "auto"
    page.get_by_role("button", name="The arithmetic in one line").click()
    assert box_of(arithmetic) == line

    opened(page, f"{app_url}/tokens?{FIRST}&query=1&feature=0")  # whose terms are no products
    chips = arithmetic.locator(".chip b")
    for width, height in [(1280, 720), (390, 844)]:
        resized(page, width, height)
        expect(chips).to_have_count(2)
        expect(chips.filter(visible=True)).to_have_count(2)
