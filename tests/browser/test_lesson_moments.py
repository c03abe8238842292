"""Every moment of every lesson at a step, as its file shows it: nothing tells the answer before it
is opened, and then the cell that the question speaks of is framed, in the window.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from attention_lab.lessons.lesson_file import shipped_lessons
from attention_viz.story.stages import STEPS_OF_STORY
from attention_viz.story.story_file import lesson_file
from tests.browser.driving import settled
from tests.browser.test_on_paper import at_home

# In the gate the first one: what is in it is in a larger one, too.
WINDOWS = [(1280, 720), (1920, 1080)]
each_window = pytest.mark.parametrize(
    "window", [WINDOWS[0], pytest.param(WINDOWS[1], marks=pytest.mark.every_situation)]
)
# What a visitor may read: the bar without its answers, and the words of the stage; the names of
# words, features and pages are the same whatever the answer is.
SAID = """() => {
  const hidden = "button, .lesson-step, .lesson-count, output, .arc-words, .choice, .soft";
  const copy = (one) => { const made = one.cloneNode(true);
    made.querySelectorAll(hidden).forEach((part) => part.remove()); return made.textContent; };
  const board = document.querySelector(".board");
  const parts = [".words", ".arithmetic", ".arcs"].map((name) => board.querySelector(name));
  return [document.getElementById("lesson"), ...parts].map(copy).join(" · ");
}"""
COVERED = """() => [...document.querySelectorAll(".soft.over")].length"""
SIZES = """() => [...document.querySelectorAll(".panel[data-covered] .badge .sizes")]
    .filter((one) => one.checkVisibility({ visibilityProperty: true })).length"""
ARCS = """() => document.querySelectorAll(".arcs:not([hidden]) path").length"""
RESULT = """() => {
  const shown = document.querySelector(".arithmetic");
  return { text: shown.textContent, low: shown.getBoundingClientRect().bottom };
}"""
# The answers that stand in the framed cell, as its number or as its place.
FRAMED = {
    ("multi-head-attention", 7): ("number", "0.87"),
    ("multi-head-attention", 9): ("column", "4"),
    ("by-hand", 2): ("number", "−3"),
    ("by-hand", 4): ("number", "6"),
    ("by-hand", 5): ("number", "0.98"),
    ("by-hand", 6): ("number", "−2.9"),
    ("by-hand", 7): ("column", "2"),
    ("reshape-transpose", 4): ("column", "5"),
    ("order-values-update", 6): ("number", "0"),
    ("order-values-update", 7): ("number", "1"),
}

# Where one reads, types or drags, of the moments on other pages: places of a lesson, as selectors.
IN_SIGHT = {
    ("diagonal", 3): "[data-testid=stTextInput] input, .board [data-panel]",
    ("diagonal", 4): ".js-plotly-plot, [data-testid=stSlider]",
    ("diagonal", 5): ".js-plotly-plot",
    ("multi-head-attention", 11): ".arithmetic .result",
}


@each_window
@pytest.mark.parametrize("name", shipped_lessons())
def test_no_moment_tells_its_answer_and_each_frames_its_cell(
    context: BrowserContext, tmp_path: Path, name: str, window: tuple[int, int]
) -> None:
    lesson = shipped_lessons()[name]
    file = tmp_path / "lesson.html"
    file.write_text(lesson_file(lesson), encoding="utf-8")
    wrong = []
    with at_home(context, file) as page:
        page.set_viewport_size({"width": window[0], "height": window[1]})
        for place, moment in enumerate(lesson.moments, 1):
            if moment.page not in STEPS_OF_STORY:
                continue
            page.evaluate("place => { window.location.hash = place; }", str(place))
            count = f"{place}/{len(lesson.moments)}"
            expect(page.locator(".lesson-count")).to_have_text(count)
            page.locator(".board.fits, .board.step").first.wait_for()
            asked = lesson.question_at(place - 1)
            found = []
            if asked:
                found += before(page, asked.answer, [one.label for one in asked.options])
                page.locator(".lesson-reveal").click()
            found += after(page, window[1], FRAMED.get((name, place)))
            wrong += [(place, one) for one in found]
    assert wrong == []


@each_window
@pytest.mark.parametrize(("name", "place"), IN_SIGHT)
def test_what_is_read_and_typed_is_in_the_window(
    page: Page, app_url: str, name: str, place: int, window: tuple[int, int]
) -> None:
    page.set_viewport_size({"width": window[0], "height": window[1]})
    page.goto(f"{app_url}/?lesson={name}&moment={place}")
    settled(page)
    if shipped_lessons()[name].question_at(place - 1):
        page.locator(".lesson-reveal").click()
    for one in IN_SIGHT[name, place].split(", "):
        expect(page.locator(one).last).to_be_in_viewport(ratio=0.99)


def before(page: Page, right: str, options: list[str]) -> list[str]:
    """What tells the answer too early."""
    found = [] if page.evaluate(COVERED) else ["nothing is covered"]
    found += ["arcs"] * bool(page.evaluate(ARCS))
    found += ["sizes"] * bool(page.evaluate(SIZES))
    found += ["arithmetic"] * (page.evaluate(RESULT)["text"] != "?")
    said = page.evaluate(SAID)
    told = {one for one in options if re.search(rf"(?<![\w.]){re.escape(one)}(?![\w.])", said)}
    return found + [f"says {right}: {said}"] * (right in told and told != set(options))


def after(page: Page, height: int, framed: tuple[str, str] | None) -> list[str]:
    """What is missing of the framed cell."""
    found = [] if not page.evaluate(COVERED) else ["still covered"]
    shown = page.evaluate(RESULT)
    found += ["no arithmetic"] * (shown["text"] in ("", "?"))
    found += [f"ends at {shown['low']}"] * (shown["low"] > height)
    kind, answer = framed or ("", "")
    if kind == "column":
        found += [shown["text"]] * (not re.search(rf"column {answer}(?!\d)", shown["text"]))
    if kind == "number":
        result = page.locator(".arithmetic .result").first.inner_text()
        found += [result] * (not result.startswith(answer))
    return found
