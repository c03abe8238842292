"""Presentation: larger type for the back of the room, in which nothing is cut or covered."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from playwright.sync_api import FloatRect, Page

from attention_ui.registry import strip_pages
from tests.browser.driving import box_of, resized

pytestmark = pytest.mark.browser
Go = Callable[[str], Page]
SIDEWAYS = """() => Math.max(...[document.documentElement,
  document.querySelector('[data-testid=stMain]')]
  .map(part => part.scrollWidth - part.clientWidth))"""
FORMULAS_CUT = """() => [...document.querySelectorAll('.katex-display')].filter(formula => {
  const place = formula.closest('[data-testid=stMarkdownContainer]').getBoundingClientRect();
  return [...formula.querySelectorAll('.base')].some(part => {
    const {left, right} = part.getBoundingClientRect();
    return left < place.left - 1 || right > place.right + 1;
  });
}).map(formula => formula.textContent)"""
SIZE = "(element) => parseFloat(getComputedStyle(element).fontSize)"


def right_of(box: FloatRect) -> float:
    """Where an area ends."""
    return box["x"] + box["width"]


def test_steps_in_larger_type(go: Go, page: Page) -> None:
    sizes = {}
    for path in ("scores", "lexicon?present=true", "scores?present=true", "lexicon"):
        go(path)
        parts = page.locator("h1"), page.locator(".board .title").first
        sizes[path] = [part.evaluate(SIZE) for part in parts]
    for path in ("scores", "lexicon"):
        both = zip(sizes[path], sizes[f"{path}?present=true"], strict=True)
        assert all(large >= 1.1 * small for small, large in both)

    way = page.get_by_role("navigation", name="Steps of the story")
    go("projections?present=true&query=4&key=1&feature=1")
    for width in (1440, 1280):
        resized(page, width, 900)
        before, *steps, after = [box_of(link) for link in way.get_by_role("link").all()]
        assert len(steps) == len(strip_pages())
        assert len({box["y"] for box in steps}) == 1
        assert all(right_of(before) <= box["x"] <= right_of(box) <= after["x"] for box in steps)
        assert all(right_of(one) <= other["x"] for one, other in pairwise(steps))
    resized(page, 320, 640)  # the arithmetic leaves half of the window
    for path in ("scores", "projections", "softmax"):
        go(f"{path}?present=true&query=4&key=1&feature=1")
        assert 0 < box_of(page.locator(".board .dock").first)["height"] < 320


def test_pages_in_larger_type(go: Go, page: Page) -> None:
    for path in ("propositions", "stiefel"):
        go(f"{path}?present=true")
        assert page.locator(".katex-display").count() > 1
        assert page.evaluate(FORMULAS_CUT) == []
    go("shared-keys?present=true")
    table, choice = page.locator("table").last, page.get_by_text("Growing size")
    assert right_of(box_of(table)) < box_of(choice)["x"]
    resized(page, 1024, 768)
    for path in ("claims", "growth"):  # columns too narrow stand below each other
        go(f"{path}?present=true")
        assert page.evaluate(SIDEWAYS) <= 0
        assert box_of(page.locator(".chart .names button").first)["height"] < 40
        assert box_of(page.locator(".chart").first)["width"] > 500
    resized(page, 320, 700)
    go("one-matrix-or-many?present=true&query=4&key=1")
    wide = "table => table.scrollWidth - table.clientWidth"
    assert page.locator("table").first.evaluate(wide) > 0  # it is scrolled by itself
    assert page.evaluate(SIDEWAYS) <= 0
    speed, dock = page.get_by_label("Speed").first, page.locator(".board .dock").first
    assert right_of(box_of(speed)) <= right_of(box_of(dock))
