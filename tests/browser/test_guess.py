"""A step shows its example and invites to a question on another cell; whoever accepts is asked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, ViewportSize, expect

from attention_lab.guesses import guess_beside
from attention_lab.scenario import Scenario, trace_of
from attention_ui.registry import story_steps
from tests.browser.conftest import watched
from tests.browser.driving import click_cell, format_number, hover_cell, resized, settled
from tests.browser.test_every_page import violations
from tests.browser.test_stage import FIRST, SHOWN, overlap

pytestmark = pytest.mark.browser

STEPS = [page.url_path for page in story_steps() if page.fields and page.url_path != "overview"]
AT = "head=0&query=8&key=1"
WINDOWS = ((1280, 720), (1366, 768))
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


def asked_for(field: str) -> tuple[tuple[int, ...], float]:
    """The index and the number that a step of the first example asks for."""
    guess = guess_beside(trace_of(CAT), field, (0, 0, 8, 1))
    assert guess
    assert guess.number is not None
    return guess.index, guess.number


def fresh(page: Page, app_url: str, path: str) -> Page:
    """A page in a new visit."""
    opened(page, app_url, path).evaluate("sessionStorage.clear()")
    page.reload()
    return settled(page)


def faults_of(page: Page, window: tuple[int, int]) -> object:
    """What is wrong with the place of the question, if anything."""
    shown = resized(page, *window).evaluate(SHOWN)
    box = page.locator(".guess").bounding_box()
    if not box or box["y"] + box["height"] > window[1] or box["x"] + box["width"] > window[0]:
        return box or "missing"
    if any(overlap(box, matrix) for matrix in shown["matrices"]):
        return "on a matrix"
    inner = page.locator(".guess").evaluate(
        "e => [e.scrollHeight - e.clientHeight, e.scrollWidth - e.clientWidth]"
    )
    return inner if max(inner) > 1 else None


def test_every_step_invites_and_asks_in_its_place(asked: Page, app_url: str) -> None:
    wrong = {}
    for step in STEPS:
        fresh(asked, app_url, f"{step}?{FIRST}&{AT}")
        expect(asked.locator(".arithmetic .result").first).to_be_visible()
        before = resized(asked, 1366, 768).evaluate(SHOWN)["matrices"]
        wrong |= {(step, "invited", w): faults_of(asked, w) for w in WINDOWS}
        asked.locator(".guess .invite").click()
        expect(asked.locator(".arithmetic")).to_be_hidden()
        wrong |= {(step, "open", w): faults_of(asked, w) for w in WINDOWS}
        asked.get_by_role("button", name="Show the answer without a guess").click()
        wrong |= {(step, "told", w): faults_of(asked, w) for w in WINDOWS}
        asked.locator(".guess .because").click()
        wrong |= {(step, "why", w): faults_of(asked, w) for w in WINDOWS}
        if resized(asked, 1366, 768).evaluate(SHOWN)["matrices"] != before:
            wrong[step, "moved"] = True
    assert {place: fault for place, fault in wrong.items() if fault} == {}


def test_a_guess_is_taken_by_enter_and_told_beside_the_arithmetic(
    asked: Page, app_url: str
) -> None:
    _, score = asked_for("scores")
    opened(asked, app_url)
    expect(asked.locator(".arithmetic .result").first).to_have_text("14")
    asked.locator(".guess .invite").click()
    expect(asked.locator(".guess .typed")).to_be_focused()
    guess(asked, "12")
    expect(asked.locator(".guess .truth")).to_have_text(re.compile(f"^{score:g}"))
    expect(asked.locator(".guess .given")).to_have_text("12")
    expect(asked.locator(".arithmetic .result").first).to_have_text(format_number(score, 0))
    expect(asked.locator(".guess .because")).to_be_focused()
    asked.keyboard.press("Enter")
    expect(asked.locator(".guess .why")).to_be_visible()
    assert violations(asked) == []
    asked.locator(".guess .close").click()
    expect(asked.locator(".guess")).to_be_hidden()
    expect(asked.locator(".arithmetic .result").first).to_have_text("14")


def test_other_cells_are_explained_while_a_question_waits(asked: Page, app_url: str) -> None:
    index, _ = asked_for("scores")
    opened(asked, app_url)
    asked.locator(".guess .invite").click()
    asked.locator(".guess .typed").blur()
    hover_cell(asked, "scores", (0, 0, 8, 5))
    expect(asked.locator(".arithmetic .result").first).to_have_text("10")
    expect(asked.locator(".guess")).to_be_hidden()
    click_cell(asked, "scores", index)
    expect(asked.locator(".guess .typed")).to_be_focused()
    click_cell(asked, "scores", (0, 0, 8, 5))
    expect(asked.locator(".guess .invite")).to_be_visible()
    expect(asked.locator(".arithmetic .result").first).to_have_text("10")


def test_the_next_steps_ask_first_until_one_button_stops_it(asked: Page, app_url: str) -> None:
    opened(asked, app_url)
    asked.locator(".guess .invite").click()
    expect(asked.locator(".guess .typed")).to_be_visible()
    opened(asked, app_url, f"scale?{FIRST}&{AT}")
    expect(asked.locator(".guess .typed")).to_be_visible()
    opened(asked, app_url, f"mixing?{FIRST}&{AT}&guess=true")
    asked.locator(".guess .off").click()
    expect(asked.locator(".guess")).to_be_hidden()
    asked.wait_for_url(re.compile("^(?!.*guess=)"))
    asked.reload()
    settled(asked)
    expect(asked.locator(".arithmetic .result").first).to_be_visible()
    expect(asked.locator(".guess")).to_be_hidden()


def test_the_end_of_the_story_tells_what_was_guessed(asked: Page, app_url: str) -> None:
    opened(asked, app_url, f"scores?{FIRST}&{AT}&guess=true")
    guess(asked, format_number(asked_for("scores")[1], 0))
    opened(asked, app_url, f"scale?{FIRST}&{AT}&guess=true")
    guess(asked, "77")
    opened(asked, app_url, f"scores?{FIRST}&{AT}&guess=true")
    expect(asked.locator(".guess")).to_be_hidden()
    opened(asked, app_url, f"seen?{FIRST}")
    told = asked.locator(".guessed")
    expect(told).to_contain_text(re.compile(r"\b2\b.*\b1\b.*Scale"))
    told.get_by_role("button").click()
    expect(told).to_be_hidden()


def test_a_clicker_is_held_up_by_an_open_question_only(asked: Page, app_url: str) -> None:
    opened(asked, app_url, f"scores?{FIRST}&{AT}&present=true")
    expect(asked.locator(".guess .invite")).to_be_visible()
    asked.keyboard.press("PageDown")
    expect(asked.locator(".guess .truth")).to_be_hidden()
    opened(asked, app_url, f"scores?{FIRST}&{AT}&present=true&guess=true")
    expect(asked.locator(".guess .typed")).to_be_visible()
    asked.keyboard.press("PageDown")
    expect(asked.locator(".guess .truth")).to_be_visible()
    expect(asked.locator("h1")).to_have_text("Scores")


def test_a_question_on_a_phone(phone: Page, app_url: str) -> None:
    opened(phone, app_url)
    phone.locator(".guess .invite").tap()
    box = phone.locator(".guess").bounding_box()
    assert box
    assert box["y"] + box["height"] <= 844
    assert box["x"] + box["width"] <= 390
    phone.locator(".guess .typed").fill("10")
    phone.locator(".guess .go").tap()
    expect(phone.locator(".guess .truth")).to_be_visible()
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    assert violations(phone) == []
