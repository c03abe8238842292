"""A step stands whole in one window: operands, result and arithmetic in sight, none on another."""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from attention_lab.scenario import Scenario, trace_of
from attention_ui.presets import PRESET_FILE
from attention_ui.registry import story_steps
from tests.browser.driving import (
    hover_cell,
    one_by_one,
    resized,
    settled,
)

pytestmark = pytest.mark.browser

WINDOWS = [(1280, 640), (1280, 720), (1366, 640), (1366, 768), (1920, 1080)]
LECTURE = [(1280, 720), (1920, 1080)]
FIRST = urlencode(json.loads(PRESET_FILE.read_text("utf-8"))[0]["scenario"])
SIZES = {
    "first example": FIRST,
    "12 tokens, 16 features, 4 heads": "seed=0",
    "16 tokens, 64 features, 8 heads": "n_tokens=16&d_model=64&n_heads=8",
    "trained layer": "weights=trained&layer=3&head=1",
}
STEPS = [page.url_path for page in story_steps() if page.fields]
# What a stage shows: the areas of its matrices, its arithmetic and its words, and the type of its
# numbers.
SHOWN = """() => {
  const all = (root, selector) => [...root.querySelectorAll('*')].flatMap(element => [
    ...(element.matches(selector) ? [element] : []),
    ...(element.shadowRoot ? all(element.shadowRoot, selector) : []),
  ]);
  const [stage] = all(document, '[data-stage]');
  const area = element => {
    const {x, y, width, height} = element.getBoundingClientRect();
    return {name: element.dataset.matrix ?? element.className, role: element.dataset.role ?? '',
      x, y, width, height};
  };
  const matrices = [...stage.querySelectorAll('[data-matrix]')].map(area);
  const [arithmetic, words, controls] = ['[data-arithmetic]', '.words', '.controls']
    .map(part => area(stage.querySelector(part)));
  const sizes = matrices.map(({name}) => [name, stage.numbers(name)?.letters]);
  const letters = Object.fromEntries(sizes);
  const scrolled = document.querySelector('[data-testid=stMain]').scrollTop;
  return {matrices, arithmetic, words, controls, letters, scrolled};
}"""

# What lies above the middle of a cell of a matrix that is in sight.
UNDER = """name => {
  const all = (root, selector) => [...root.querySelectorAll('*')].flatMap(element => [
    ...(element.matches(selector) ? [element] : []),
    ...(element.shadowRoot ? all(element.shadowRoot, selector) : []),
  ]);
  const [panel] = all(document, `[data-matrix="${name}"][data-role=result]`);
  const {x, y, width} = panel.getBoundingClientRect();
  const [across, down] = [x + width / 2, y + 90];
  let found = document.elementFromPoint(across, down);
  while (found?.shadowRoot) found = found.shadowRoot.elementFromPoint(across, down);
  return found?.closest('.stage') ? 'stage' : found?.outerHTML.slice(0, 80);
}"""
CLOSE_UP = """name => {
  const hosts = [...document.querySelectorAll('*')].filter(({shadowRoot}) => shadowRoot);
  const stages = hosts.map(({shadowRoot}) => shadowRoot.querySelector('[data-stage]'));
  return stages.find(Boolean).numbers(name).closeUp;
}"""


def at_size(page: Page, window: tuple[int, int]) -> dict[str, Any]:
    """What the stage shows in a window."""
    found: dict[str, Any] = resized(page, *window).evaluate(SHOWN)
    return found


def overlap(one: dict[str, float], other: dict[str, float]) -> bool:
    """Whether two areas share more than an edge."""
    return all(
        one[start] < other[start] + other[size] - 1 and other[start] < one[start] + one[size] - 1
        for start, size in (("x", "width"), ("y", "height"))
    )


def too_small(shown: dict[str, Any], least: int, name: str) -> dict[str, float]:
    """Numbers below a size in px. Those of the first example are always written; others may be
    colours, where their decimals have no room.
    """
    sizes = {array: letters or 0 for array, letters in shown["letters"].items()}
    if name != "first example":
        sizes = {array: letters for array, letters in sizes.items() if letters}
    return {array: letters for array, letters in sizes.items() if letters < least}


def faults(shown: dict[str, Any], window: tuple[int, int]) -> list[str]:
    """What is out of sight, or lies on something else."""
    areas = [*shown["matrices"], shown["arithmetic"], shown["words"], shown["controls"]]
    found = [
        f"{area['name']} reaches out of the window: {area}"
        for area in areas
        if area["x"] < 0
        or area["y"] < 0
        or area["x"] + area["width"] > window[0] + 1
        or area["y"] + area["height"] > window[1] + 1
    ]
    found += [
        f"{a['name']} lies on {b['name']}" for a, b in combinations(areas, 2) if overlap(a, b)
    ]
    roles = {area["role"] for area in shown["matrices"]}
    if not {"operand", "result"} <= roles and len(shown["matrices"]) > 1:
        found.append(f"only {roles} are shown")
    return found + (["the page is scrolled"] if shown["scrolled"] else [])


@pytest.mark.parametrize("name", SIZES)
def test_a_step_fits_its_window(page: Page, app_url: str, name: str) -> None:
    found = {}
    urls = [f"{app_url}/{step}?{SIZES[name]}" for step in STEPS if step != "overview"]
    for at in one_by_one(page, urls):
        for window in WINDOWS:
            shown = at_size(at, window)
            wrong = faults(shown, window)
            if name in list(SIZES)[:2]:
                small = too_small(shown, 11, name)
                wrong += [f"numbers of {array} are {size} px" for array, size in small.items()]
            if wrong:
                found[at.url.split("/")[-1].split("?")[0], window] = wrong
    assert found == {}


@pytest.mark.parametrize("name", list(SIZES)[:2])
def test_a_lecture_fills_the_window(page: Page, app_url: str, name: str) -> None:
    found = {}
    urls = [f"{app_url}/{step}?{SIZES[name]}&present=true" for step in STEPS if step != "overview"]
    for at in one_by_one(page, urls):
        expect(at.get_by_test_id("stSidebar")).not_to_be_visible()
        expect(at.get_by_test_id("stHeader")).not_to_be_visible()
        for window in LECTURE:
            shown = at_size(at, window)
            wrong = faults(shown, window)
            least = 18 if name == "first example" else 11
            small = too_small(shown, least, name)
            wrong += [f"numbers of {array} are {size} px" for array, size in small.items()]
            if wrong:
                found[at.url.split("/")[-1].split("?")[0], window] = wrong
    assert found == {}


def test_the_overview_stands_in_one_window(page: Page, app_url: str) -> None:
    for at in one_by_one(page, [f"{app_url}/overview?{asked}" for asked in SIZES.values()]):
        for window in WINDOWS:
            shown = at_size(at, window)
            names = {area["name"] for area in shown["matrices"]}
            assert {"inputs", "probabilities", "head_outputs", "output"} <= names
            for area in shown["matrices"]:
                assert area["y"] + area["height"] <= window[1], (window, area)
                assert area["x"] + area["width"] <= window[0] + 1, (window, area)


def test_numbers_without_room_stand_beside_their_matrix(page: Page, app_url: str) -> None:
    trace = trace_of(Scenario(weights="trained", layer=3))
    page.goto(f"{app_url}/scores?{SIZES['trained layer']}")
    settled(page)
    before = page.evaluate(SHOWN)["matrices"]
    for query, key in ((0, 0), (3, 5), (9, 13), (13, 0)):
        hover_cell(page, "scores", (0, 1, query, key))
        scores = trace.scores[0, 1]
        shown = [page.evaluate(CLOSE_UP, name) for name in ("scores", "query_heads", "key_heads")]
        of_row, of_column = shown[0]["row"], shown[0]["column"]
        assert len(of_row) >= 4
        assert f"{scores[query, key]:.2f}".replace("-", "−") in of_row
        assert f"{scores[query, key]:.2f}".replace("-", "−") in of_column
        assert set(of_row) <= {f"{n:.2f}".replace("-", "−") for n in scores[query]}
        assert set(of_column) <= {f"{n:.2f}".replace("-", "−") for n in scores[:, key]}
        assert len(shown[1]["row"]) >= 8
        assert len(shown[2]["column"]) >= 8
    assert page.evaluate(SHOWN)["matrices"] == before
    page.goto(f"{app_url}/scores?{FIRST}")
    settled(page)
    assert page.evaluate(CLOSE_UP, "scores") == {}


def test_twice_as_large(page: Page, app_url: str) -> None:
    found = {}
    urls = [f"{app_url}/{step}?{FIRST}" for step in STEPS if step != "overview"]
    page.set_viewport_size({"width": 683, "height": 384})
    for at in one_by_one(page, urls):
        result = at.locator("[data-role=result]")
        result.evaluate("element => element.scrollIntoView({block: 'start'})")
        dock = at.locator(".board .dock").first.bounding_box()
        assert dock
        wide = at.evaluate("document.documentElement.scrollWidth")
        cut = at.locator(".words :is(h1, .question, .sentence), .dock button").evaluate_all(
            "all => all.filter(e => e.scrollWidth > e.clientWidth + 1 && e.clientWidth)"
            ".map(e => e.textContent)"
        )
        name = result.get_attribute("data-matrix")
        over = at.evaluate(UNDER, name)
        if dock["height"] > 384 / 4 or wide > 683 or cut or over != "stage":
            found[at.url] = (dock["height"], wide, cut, over)
    assert found == {}
