"""A step on a phone: a finger explores it, and what explains it leaves it in sight."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, CDPSession, Page, expect

from attention_ui.registry import MENU, PAGES, story_steps
from tests.browser.conftest import NO_GUESSES, watched
from tests.browser.driving import cell_at, naming, one_by_one, settled
from tests.browser.test_every_page import violations
from tests.browser.test_stage import FIRST

pytestmark = pytest.mark.browser

HEIGHTS = (844, 664)
SHARE = 0.25  # of the height, which what explains a cell takes at most
STEPS = [page.url_path for page in story_steps() if page.fields and page.url_path != "overview"]
BUTTONS = ".board .dock :is(button, select, summary)"


@pytest.fixture
def phone(context: BrowserContext) -> Iterator[Page]:
    """A tab of a phone, with a finger instead of a mouse."""
    assert context.browser
    handheld = context.browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    handheld.add_init_script(NO_GUESSES)
    handheld.set_default_timeout(20_000)
    page = handheld.new_page()
    with watched(page) as faults:
        yield page
    handheld.close()
    assert faults == []


def finger(session: CDPSession, kind: str, *places: tuple[float, float]) -> None:
    """Put a finger down, move it, or lift it."""
    points = [{"x": x, "y": y} for x, y in places]
    session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Draw a finger from a place to another, in small steps, and leave it there."""
    session = page.context.new_cdp_session(page)
    finger(session, "touchStart", start)
    for i in range(1, 11):
        share = i / 10
        place = (start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1]))
        finger(session, "touchMove", place)
    session.detach()


def test_what_explains_a_cell_leaves_the_matrices_in_sight(phone: Page, app_url: str) -> None:
    found = {}
    for page in one_by_one(phone, [f"{app_url}/{step}?{FIRST}" for step in STEPS]):
        for height in HEIGHTS:
            page.set_viewport_size({"width": 390, "height": height})
            settled(page)
            dock = page.locator(".board .dock").first.bounding_box()
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert dock
            if dock["height"] > SHARE * height or wide > 390:
                found[page.url, height] = (dock["height"], wide)
    assert found == {}


@pytest.mark.parametrize("asked", ["", "&hide=true"])
def test_a_reader_finds_no_serious_fault_on_a_phone(phone: Page, app_url: str, asked: str) -> None:
    steps = ("split", "scores", "mask", "softmax", "overview")
    for page in one_by_one(phone, [f"{app_url}/{step}?{FIRST}{asked}" for step in steps]):
        assert violations(page) == []


def test_a_finger_that_moves_across_explores(phone: Page, app_url: str) -> None:
    phone.goto(f"{app_url}/scores?{FIRST}")
    settled(phone)
    phone.locator("[data-role=result]").scroll_into_view_if_needed()
    phone.mouse.wheel(0, 200)
    start, end = (cell_at(phone, "scores", (0, 0, 2, key)) for key in (1, 5))
    before = phone.url
    drag(phone, start, end)
    expect(phone.locator(".arithmetic .what")).to_contain_text("box")
    expect(phone.locator(".arithmetic .what")).to_contain_text("saw")
    assert phone.url == before


def test_small_cells_are_magnified_under_a_finger(phone: Page, app_url: str) -> None:
    phone.goto(f"{app_url}/{naming('projections?n_tokens=16&d_model=64&n_heads=8')}")
    settled(phone)
    phone.locator("[data-role=result]").scroll_into_view_if_needed()
    start = cell_at(phone, "inputs", (0, 2, 3))
    session = phone.context.new_cdp_session(phone)
    glass = phone.locator(".glass")
    expect(glass).to_be_hidden()
    finger(session, "touchStart", start)
    for step in range(1, 6):
        finger(session, "touchMove", (start[0] + 6 * step, start[1]))
    expect(glass).to_be_visible()
    frame = glass.bounding_box()
    assert frame
    assert frame["x"] >= 0
    assert frame["x"] + frame["width"] <= 390
    assert not frame["y"] <= start[1] <= frame["y"] + frame["height"], "the finger hides it"
    finger(session, "touchEnd")
    expect(glass).to_be_hidden()
    phone.goto(f"{app_url}/scores?{FIRST}")
    settled(phone)
    start = cell_at(phone, "scores", (0, 0, 2, 3))
    finger(session, "touchStart", start)
    for step in range(1, 6):
        finger(session, "touchMove", (start[0] + 6 * step, start[1]))
    expect(glass).to_be_hidden()
    finger(session, "touchEnd")


def test_terms_that_do_not_fit_are_added_up(phone: Page, app_url: str) -> None:
    phone.goto(f"{app_url}/{naming('scores?n_tokens=16&d_model=64&n_heads=4')}")
    settled(phone)
    terms = phone.locator(".arithmetic .terms")
    fits = "element => element.scrollWidth <= element.clientWidth + 1"
    chips = terms.locator(".chip")
    assert terms.evaluate(fits)
    assert chips.count() < 16
    phone.get_by_role("button", name="All terms in a column").tap()
    expect(chips).to_have_count(16)
    assert terms.evaluate(fits)
    opened = phone.locator(".board .arithmetic").first.bounding_box()
    assert opened
    assert opened["height"] <= SHARE * 844


def test_the_strip_of_steps_is_drawn_by_a_finger(phone: Page, app_url: str) -> None:
    phone.goto(f"{app_url}/scores?{FIRST}")
    settled(phone)
    steps = phone.locator(".strip .steps")
    frame = steps.bounding_box()
    assert frame
    assert frame["height"] >= 24
    at = steps.evaluate("element => element.scrollLeft")
    middle = frame["y"] + frame["height"] / 2
    drag(phone, (300, middle), (120, middle))
    phone.wait_for_function(
        "([element, at]) => element.scrollLeft > at", arg=[steps.element_handle(), at]
    )
    assert phone.evaluate("document.documentElement.scrollLeft") == 0


def test_the_menu_shows_its_sections_first(phone: Page, app_url: str) -> None:
    phone.goto(f"{app_url}/{naming('scores')}")
    settled(phone)
    phone.get_by_test_id("stExpandSidebarButton").click()
    headings = phone.get_by_test_id("stNavSectionHeader")
    links = phone.get_by_test_id("stSidebarNavLink")
    expect(headings).to_have_text([re.compile(re.escape(heading)) for heading in MENU.values()])
    expect(links).to_have_count(0)
    expect(headings.last).to_be_in_viewport()
    headings.nth(1).tap()
    heads = [page.title for page in PAGES if page.heading == MENU["heads"]]
    expect(links).to_have_text(heads)
    headings.nth(5).focus()
    phone.keyboard.press("Enter")
    expect(headings.nth(5)).to_have_attribute("aria-expanded", "true")
    expect(links.filter(has_text="why several heads")).to_be_visible()
    phone.reload()
    settled(phone)
    phone.get_by_test_id("stExpandSidebarButton").click()
    expect(links.filter(has_text="why several heads")).to_be_visible()
