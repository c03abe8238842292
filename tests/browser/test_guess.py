"""A step asks one thing before it shows it: on its lit cell, in the place of the arithmetic."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, ViewportSize, expect

from attention_lab.scenario import Scenario, trace_of
from attention_ui.registry import story_steps
from tests.browser.conftest import watched
from tests.browser.driving import expect_url, format_number, hover_cell, resized, settled
from tests.browser.test_every_page import violations
from tests.browser.test_stage import FIRST, SHOWN, overlap

pytestmark = pytest.mark.browser

STEPS = [page.url_path for page in story_steps() if page.fields and page.url_path != "overview"]
AT = "head=0&query=8&key=1"
CAT = Scenario(
    weights="by hand", d_model=8, n_heads=2, text="the cat saw the old box and then it ran"
)


def tab(context: BrowserContext, **kind: Any) -> Iterator[Page]:
    """A tab of a visitor who is asked."""
    assert context.browser
    asked = context.browser.new_context(**kind)
    asked.set_default_timeout(20_000)
    page = asked.new_page()
    with watched(page) as faults:
        yield page
    asked.close()
    assert faults == []


@pytest.fixture
def asked(context: BrowserContext) -> Iterator[Page]:
    """A tab of a laptop."""
    yield from tab(context, viewport=ViewportSize(width=1280, height=720))


@pytest.fixture
def phone(context: BrowserContext) -> Iterator[Page]:
    """A tab of a phone."""
    size = ViewportSize(width=390, height=844)
    yield from tab(context, viewport=size, has_touch=True, is_mobile=True)


def opened(page: Page, app_url: str, path: str = f"scores?{FIRST}&{AT}") -> Page:
    """A page that is drawn."""
    page.goto(f"{app_url}/{path}")
    return settled(page)


def guess(page: Page, text: str) -> None:
    """Type a guess and press Enter."""
    page.locator(".guess .typed").fill(text)
    page.locator(".guess .typed").press("Enter")


def test_every_step_asks_and_moves_nothing(asked: Page, app_url: str) -> None:
    """The question stands where the arithmetic does, on no matrix, in the window; every matrix is
    where it is without one.
    """
    wrong = {}
    for step in STEPS:
        opened(asked, app_url, f"{step}?{FIRST}&{AT}")
        for window in ((1280, 720), (1366, 768)):
            shown = resized(asked, *window).evaluate(SHOWN)
            box = asked.locator(".guess").bounding_box()
            if not box or box["y"] + box["height"] > window[1] or box["width"] < 150:
                wrong[step, window] = box
            elif any(overlap(box, matrix) for matrix in shown["matrices"]):
                wrong[step, window] = "on a matrix"
            inner = asked.locator(".guess").evaluate("e => [e.scrollHeight, e.clientHeight]")
            if inner[0] > inner[1] + 1:
                wrong[step, window] = ("cut", inner)
        opened(asked, app_url, f"{step}?{FIRST}&{AT}&guess=false")
        expect(asked.locator(".guess")).to_be_hidden()
        if resized(asked, 1366, 768).evaluate(SHOWN)["matrices"] != shown["matrices"]:
            wrong[step, "moved"] = True
    assert wrong == {}


def test_a_guess_is_taken_by_enter_and_told_with_the_arithmetic(asked: Page, app_url: str) -> None:
    """Until then the number is nowhere; then it stands beside the guess, with its terms; reasons
    are chosen by keys, and the why follows.
    """
    opened(asked, app_url)
    score = trace_of(CAT).scores[0, 0, 8, 1]
    expect(asked.locator(".arithmetic")).to_be_hidden()
    guess(asked, "12")
    expect(asked.locator(".guess .truth")).to_have_text(re.compile(f"^{score:g}"))
    expect(asked.locator(".guess .given")).to_have_text("12")
    expect(asked.locator(".arithmetic .result").first).to_have_text(format_number(score, 0))
    expect(asked.locator(".guess summary")).to_be_focused()
    asked.keyboard.press("Enter")
    asked.keyboard.press("Tab")
    asked.keyboard.press("Enter")
    expect(asked.locator(".guess .why")).to_be_visible()
    assert violations(asked) == []
    asked.locator(".guess .close").click()
    expect(asked.locator(".guess")).to_be_hidden()


def test_other_cells_are_explained_while_a_guess_waits(asked: Page, app_url: str) -> None:
    """Nobody has to guess: pointing elsewhere explains that cell, and the question comes back."""
    opened(asked, app_url)
    hover_cell(asked, "scores", (0, 0, 8, 5))
    expect(asked.locator(".arithmetic .result").first).to_have_text("10")
    expect(asked.locator(".guess")).to_be_hidden()
    asked.mouse.move(5, 5)
    expect(asked.locator(".guess .typed")).to_be_visible()
    asked.get_by_role("button", name="Show the answer without a guess").click()
    expect(asked.locator(".guess .truth")).to_be_visible()


def test_no_guesses_is_one_click_and_stands_in_the_url(asked: Page, app_url: str) -> None:
    """Off here is off everywhere, also after the page is loaded again."""
    opened(asked, app_url)
    asked.locator(".guess .off").click()
    expect_url(asked, "guess=false")
    expect(asked.locator(".guess")).to_be_hidden()
    asked.reload()
    settled(asked)
    expect(asked.locator(".arithmetic .result").first).to_be_visible()
    expect(asked.locator(".guess")).to_be_hidden()


def test_the_end_of_the_story_tells_what_was_guessed(asked: Page, app_url: str) -> None:
    """One right, one wrong: both counts, and the step that surprised; a step asks once."""
    opened(asked, app_url)
    guess(asked, "14")
    opened(asked, app_url, f"scale?{FIRST}&{AT}")
    guess(asked, "1.4")
    opened(asked, app_url)
    expect(asked.locator(".guess")).to_be_hidden()
    opened(asked, app_url, f"seen?{FIRST}")
    told = asked.locator(".guessed")
    expect(told).to_contain_text(re.compile(r"\b2\b.*\b1\b.*Scale"))
    told.get_by_role("button").click()
    expect(told).to_be_hidden()


def test_a_clicker_shows_the_answer_first(asked: Page, app_url: str) -> None:
    """In a lecture the first key shows what was asked, the next ones go on."""
    opened(asked, app_url, f"scores?{FIRST}&{AT}&present=true")
    expect(asked.locator(".guess .typed")).to_be_visible()
    asked.keyboard.press("PageDown")
    expect(asked.locator(".guess .truth")).to_be_visible()
    for _ in range(3):
        asked.keyboard.press("PageDown")
    expect(asked.locator("h1")).to_have_text("Scores")


def test_a_guess_on_a_phone(phone: Page, app_url: str) -> None:
    """The question is in sight without scrolling, takes a finger, and is no dialog."""
    opened(phone, app_url)
    box = phone.locator(".guess").bounding_box()
    assert box
    assert box["y"] + box["height"] <= 844
    assert box["x"] + box["width"] <= 390
    phone.locator(".guess .typed").fill("10")
    phone.locator(".guess .go").tap()
    expect(phone.locator(".guess .truth")).to_be_visible()
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    assert violations(phone) == []
