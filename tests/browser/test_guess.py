"""A step shows its example and invites to a question on another cell; whoever accepts is asked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import cycle

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from attention_lab.guesses import guess_beside
from attention_lab.page_list import story_steps
from attention_lab.scenario import Scenario, trace_of
from tests.browser.conftest import another_tab
from tests.browser.driving import StepAt, click_cell, format_number, hover_cell, opened, resized
from tests.browser.test_every_page import violations
from tests.browser.test_stage import FIRST, SHOWN, overlap

STEPS = [page.url_path for page in story_steps() if page.fields and page.url_path != "overview"]
AT = "head=0&query=8&key=1"
WINDOWS = ((1280, 720), (1366, 768))
CAT = Scenario(
    weights="by hand", d_model=8, n_heads=2, text="the cat saw the old box and then it ran"
)


@pytest.fixture
def asked(context: BrowserContext) -> Iterator[Page]:
    """A tab of a visitor who is asked."""
    with another_tab(context, script="", viewport={"width": 1280, "height": 720}) as tab:
        yield tab


def asked_for(field: str) -> tuple[tuple[int, ...], float]:
    """The index and the number that a step of the first example asks for."""
    guess = guess_beside(trace_of(CAT), field, (0, 0, 8, 1))
    assert guess
    assert guess.number is not None
    return guess.index, guess.number


def guess(page: Page, text: str) -> None:
    """Type a guess and press Enter."""
    page.locator(".guess .typed").fill(text)
    page.locator(".guess .typed").press("Enter")


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


def test_every_step_invites_and_asks_in_its_place(
    asked: Page, step_at: StepAt, request: pytest.FixtureRequest
) -> None:
    """Each state of a question in one of the windows, which the next step exchanges."""
    wrong: dict[tuple[str, ...], object] = {}
    windows = cycle(WINDOWS)
    every = request.config.getoption("every_situation")
    for step in STEPS if every else ("projections", "split", "softmax", "output"):

        def look(state: str, step: str = step) -> None:
            for window in WINDOWS if every else [next(windows)]:
                wrong[step, state, str(window)] = faults_of(asked, window)

        step_at(asked, f"{step}?{FIRST}&{AT}")
        expect(asked.locator(".arithmetic .result").first).to_be_visible()
        before = resized(asked, 1366, 768).evaluate(SHOWN)["matrices"]
        look("invited")
        asked.locator(".guess .invite").click()
        expect(asked.locator(".arithmetic")).to_be_hidden()
        look("open")
        asked.get_by_role("button", name="Show the answer without a guess").click()
        look("told")
        asked.locator(".guess .because").click()
        look("why")
        if resized(asked, 1366, 768).evaluate(SHOWN)["matrices"] != before:
            wrong[step, "moved"] = True
        next(windows)
        asked.evaluate("sessionStorage.clear()")  # as if nothing had been asked yet
    assert {place: fault for place, fault in wrong.items() if fault} == {}


def test_a_visitor_guesses_goes_on_and_is_told_at_the_end(asked: Page, step_at: StepAt) -> None:
    index, score = asked_for("scores")
    result = asked.locator(".arithmetic .result").first
    step_at(asked, f"scores?{FIRST}&{AT}")
    expect(result).to_have_text("14")
    asked.locator(".guess .invite").click()
    expect(asked.locator(".guess .typed")).to_be_focused()
    asked.locator(".guess .typed").blur()
    hover_cell(asked, "scores", (0, 0, 8, 5))  # other cells are explained meanwhile
    expect(result).to_have_text("10")
    expect(asked.locator(".guess")).to_be_hidden()
    click_cell(asked, "scores", index)
    expect(asked.locator(".guess .typed")).to_be_focused()
    guess(asked, "12")
    expect(asked.locator(".guess .truth")).to_have_text(re.compile(f"^{score:g}"))
    expect(result).to_have_text(format_number(score, 0))
    expect(asked.locator(".guess .because")).to_be_focused()
    asked.keyboard.press("Enter")
    assert violations(asked) == []
    asked.locator(".guess .close").click()
    expect(result).to_have_text("14")

    step_at(asked, f"scale?{FIRST}&{AT}")  # which asks first from now on
    guess(asked, "77")
    step_at(asked, f"mixing?{FIRST}&{AT}")
    asked.locator(".guess .off").click()
    expect(asked.locator(".guess")).to_be_hidden()
    step_at(asked, f"seen?{FIRST}")
    told = asked.locator(".guessed")
    expect(told).to_contain_text(re.compile(r"\b2\b.*Scale"))
    told.get_by_role("button").click()
    expect(told).to_be_hidden()


@pytest.mark.every_situation
def test_questions_that_are_switched_off_stay_off(asked: Page, app_url: str) -> None:
    opened(asked, f"{app_url}/mixing?{FIRST}&{AT}&guess=true")
    asked.locator(".guess .off").click()
    asked.wait_for_url(re.compile("^(?!.*guess=)"))
    asked.reload()
    expect(asked.locator(".arithmetic .result").first).to_be_visible()
    expect(asked.locator(".guess")).to_be_hidden()
