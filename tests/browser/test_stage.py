"""A step stands whole in one window: operands, result and arithmetic in sight, none on another,
nothing cut; keys and labels lead through it.
"""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
from playwright.sync_api import Page, ViewportSize, expect

from attention_lab.page_list import story_steps
from attention_lab.presets import PRESET_FILE
from attention_lab.scenario import Scenario, trace_of
from tests.browser.driving import (
    StepAt,
    box_of,
    click_cell,
    expect_result,
    hover_cell,
    opened,
    resized,
    settled,
)

WINDOWS = [(1366, 768), (1280, 640), (1920, 1080), (1280, 720), (1366, 640)]
LECTURE = [(1280, 720), (1920, 1080)]
ZOOMED: ViewportSize = {"width": 683, "height": 384}  # a laptop's window at 200 %
FIRST = urlencode(json.loads(PRESET_FILE.read_text("utf-8"))[0]["scenario"])
SIZES = {
    "first example": FIRST,
    "12 tokens, 16 features, 4 heads": "seed=0",
    "16 tokens, 64 features, 8 heads": "n_tokens=16&d_model=64&n_heads=8",
    "trained layer": "weights=trained&layer=3&head=1",
}
NAMES = list(SIZES)
STEPS = [page.url_path for page in story_steps() if page.fields or page.url_path == "block"]
# What a stage shows: the areas of its matrices, of the lines of the memory, of its arithmetic and
# its words, and the type of its numbers.
SHOWN = """() => {
  const stage = everyElement().find(element => element.matches('[data-stage]'));
  const area = element => {
    const {x, y, width, height} = element.getBoundingClientRect();
    const {matrix, ribbon, role} = element.dataset;
    return {name: matrix ?? ribbon ?? element.className, role: role ?? '', x, y, width, height};
  };
  const [matrices, ribbons] = ['matrix', 'ribbon']
    .map(kind => [...stage.querySelectorAll(`[data-${kind}]`)].map(area));
  const [arithmetic, words, controls] = ['[data-arithmetic]', '.words', '.controls']
    .map(part => area(stage.querySelector(part)));
  const sizes = matrices.map(({name}) => [name, stage.numbers(name)?.letters]);
  const letters = Object.fromEntries(sizes);
  const scrolled = document.querySelector('[data-testid=stMain]')?.scrollTop ?? scrollY;
  return {matrices, ribbons, arithmetic, words, controls, letters, scrolled};
}"""
# What of the arithmetic and of a formula reaches out of its place; or what is missing.
CUT = """root => {
  const inside = (part, frame) => {
    const [a, b] = [part, frame].map(one => one.getBoundingClientRect());
    return a.left >= b.left - 1 && a.right <= b.right + 1 && a.bottom <= b.bottom + 1;
  };
  const terms = root.querySelector('.terms');
  const chips = [...terms.children].filter(one => getComputedStyle(one).display !== 'none');
  const cut = [...chips.filter(one => !inside(one, terms) || !inside(one, root)),
    ...[...root.querySelectorAll('.result, .what .name')].filter(one => !inside(one, root)),
    ...[...root.closest('.board').querySelectorAll('.formula')]
      .filter(one => one.scrollWidth > one.clientWidth)];
  const place = [...root.querySelectorAll('.at')].map(one => one.textContent).join();
  return [...cut.map(one => one.textContent), ...(place.includes('position') ? [] : ['no place'])];
}"""
WRITTEN = "[data-arithmetic]:visible"
# What is cut where a page is seen twice as large, and what lies on a cell of the result.
CUT_WORDS = """all => all.filter(e => e.scrollWidth > e.clientWidth + 1 && e.clientWidth)
  .map(e => e.textContent)"""
TO_THE_TOP = "(document.querySelector('[data-testid=stMain]') ?? window).scrollTo(0, 0)"
ON_THE_RESULT = """panel => {
  const isLow = panel.offsetHeight < 180;  // a single row
  panel.scrollIntoView({block: isLow ? 'center' : 'start'});
  const {x, y, width, height} = panel.getBoundingClientRect();
  const found = seenAt(x + width / 2, isLow ? y + height / 2 : y + 90);
  return found?.closest('.stage') ? [] : [`on the result: ${found?.outerHTML.slice(0, 80)}`];
}"""
CLOSE_UP = "(stage, name) => stage.numbers(name).closeUp"


def overlap(one: dict[str, float], other: dict[str, float]) -> bool:
    """Whether two areas share more than an edge."""
    return all(
        one[start] < other[start] + other[size] - 1 and other[start] < one[start] + one[size] - 1
        for start, size in (("x", "width"), ("y", "height"))
    )


def too_small(shown: dict[str, Any], least: int, name: str) -> list[str]:
    """Numbers below a size in px. Those of the first example are always written; others may be
    colours, where their decimals have no room; of large layers nothing is asked.
    """
    if name not in NAMES[:2]:
        return []
    sizes = {array: letters or 0 for array, letters in shown["letters"].items()}
    return [
        f"numbers of {array} are {letters} px"
        for array, letters in sizes.items()
        if letters < least and (letters or name == NAMES[0])
    ]


def beyond(areas: list[dict[str, Any]], window: tuple[int, int]) -> list[str]:
    """The areas that are not in the window."""
    return [
        f"out of the window: {area}"
        for area in areas
        if min(area["x"], area["y"]) < 0
        or area["x"] + area["width"] > window[0] + 1
        or area["y"] + area["height"] > window[1]
    ]


def faults(shown: dict[str, Any], window: tuple[int, int]) -> list[str]:
    """What is out of sight, or lies on something else."""
    parts = [shown[part] for part in ("arithmetic", "words", "controls")]
    areas = [*shown["matrices"], *shown["ribbons"], *parts]
    found = beyond(areas, window)
    found += [
        f"{a['name']} lies on {b['name']}" for a, b in combinations(areas, 2) if overlap(a, b)
    ]
    roles = {area["role"] for area in shown["matrices"]}
    if not {"operand", "result"} <= roles and len(shown["matrices"]) > 1:
        found.append(f"only {roles} are shown")
    return found + (["the page is scrolled"] if shown["scrolled"] else [])


def faults_of_the_overview(shown: dict[str, Any], window: tuple[int, int]) -> list[str]:
    """The thumbnails that are missing or out of the window."""
    missing = {"inputs", "probabilities", "head_outputs", "output"}
    found = missing.difference(area["name"] for area in shown["matrices"])
    return [*found, *beyond(shown["matrices"], window)]


def faults_twice_as_large(page: Page) -> list[str]:
    """What of a step is covered or cut at 200 %."""
    width, height = ZOOMED["width"], ZOOMED["height"]
    found: list[str] = page.locator("[data-role=result]").evaluate(ON_THE_RESULT)
    found += page.locator(".words :is(h1, .question, .sentence), .dock button").evaluate_all(
        CUT_WORDS
    )
    dock = box_of(page.locator(".board .dock").first)
    wide = page.evaluate("document.documentElement.scrollWidth")
    page.evaluate(TO_THE_TOP)
    return found + ["dock"] * (dock["height"] > height / 4) + ["sideways"] * (wide > width)


each_layer = pytest.mark.parametrize(
    "name",
    [NAMES[0], *(pytest.param(name, marks=pytest.mark.every_situation) for name in NAMES[1:])],
)


def places(part: str) -> tuple[int, int]:
    """The first and the last place that a close-up says it shows; of all it says nothing."""
    first, last = (part or "0–13 of 14").removesuffix(" of 14").split("–")
    return int(first), int(last)


@each_layer
def test_the_way_through_a_layer(
    page: Page, step_at: StepAt, name: str, request: pytest.FixtureRequest
) -> None:
    found, every = {}, request.config.getoption("every_situation")
    for place, step in enumerate(STEPS):
        at = step_at(page, f"{step}?{SIZES[name]}")
        if page.viewport_size == ZOOMED and (wrong := faults_twice_as_large(at)):
            found[step, "zoomed"] = wrong
        for window in WINDOWS if every else [WINDOWS[place % len(WINDOWS)]]:
            shown = resized(at, *window).evaluate(SHOWN)
            if step == "overview":
                wrong = faults_of_the_overview(shown, window)
            else:
                expect(at.locator(f"{WRITTEN} .result").first).to_be_visible()
                wrong = faults(shown, window) + at.locator(WRITTEN).first.evaluate(CUT)
                wrong += too_small(shown, 11, name)
            if step in ("split", "merge") and name in NAMES[:2] and len(shown["ribbons"]) != 2:
                wrong.append("not two lines of the memory")
            if wrong:
                found[step, str(window)] = wrong
        if name == NAMES[0]:
            page.set_viewport_size(ZOOMED)
    assert found == {}


@each_layer
def test_a_lecture_fills_the_window(
    page: Page, step_at: StepAt, name: str, request: pytest.FixtureRequest
) -> None:
    found, every = {}, request.config.getoption("every_situation")
    steps = [step for step in STEPS if step != "overview"]
    for place, step in enumerate(steps):
        at = step_at(page, f"{step}?{SIZES[name]}&present=true")
        expect(at.get_by_test_id("stSidebar")).not_to_be_visible()
        expect(at.get_by_test_id("stHeader")).not_to_be_visible()
        for window in LECTURE if every else [LECTURE[place % 2]]:
            at.keyboard.press("Home")  # the result is covered at first
            shown = resized(at, *window).evaluate(SHOWN)
            wrong = faults(shown, window)
            wrong += too_small(shown, 18 if name == NAMES[0] else 11, name)
            at.keyboard.press("PageDown")
            expect(at.locator(f"{WRITTEN} .result").first).to_be_visible()
            if wrong := wrong + at.locator(WRITTEN).first.evaluate(CUT):
                found[step, window] = wrong
    assert found == {}


@pytest.mark.every_situation
def test_a_trained_layer_shows_numbers_beside_its_matrices(page: Page, app_url: str) -> None:
    trace = trace_of(Scenario(weights="trained", layer=3))
    page.goto(f"{app_url}/scores?{SIZES['trained layer']}")
    stage = settled(page).locator("[data-stage]").first
    before = page.evaluate(SHOWN)["matrices"]
    for query, key in ((0, 0), (3, 5), (9, 13), (13, 0)):
        hover_cell(page, "scores", (0, 1, query, key))
        names = ("scores", "query_heads", "key_heads")
        shown, left, right = (stage.evaluate(CLOSE_UP, name) for name in names)
        written = np.vectorize(lambda n: f"{n:.2f}".replace("-", "−"))(trace.scores[0, 1])
        first, last = places(shown["rowPart"])
        assert first + 3 <= last
        assert first <= key <= last
        assert shown["row"] == [*written[query, first : last + 1]]
        first, last = places(shown["columnPart"])
        assert first <= query <= last
        assert shown["column"] == [*written[first : last + 1, key]]
        assert min(len(left["row"]), len(right["column"])) >= 8
    assert page.evaluate(SHOWN)["matrices"] == before
    opened(page, f"{app_url}/scale?{FIRST}")
    assert stage.evaluate(CLOSE_UP, "scaled_scores") == {}
    for more in ("", "&present=true"):
        page.goto(f"{app_url}/one-head?th_model=MiniLM&head=0{more}")
        for window in [(1366, 768), (1280, 720)]:
            resized(settled(page), *window)
            expect(page.locator(f"{WRITTEN} .result").first).to_be_visible()
            assert page.locator(WRITTEN).first.evaluate(CUT) == []


def test_a_covered_result_is_asked_for_by_its_labels(page: Page, step_at: StepAt) -> None:
    result, labels = page.locator(".arithmetic .result"), page.locator(".ask")
    step_at(page, f"scores?{FIRST}&query=8&key=1")
    page.get_by_role("button", name="Cover the result").click()
    expect(result).to_have_count(0)
    settled(page)
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
