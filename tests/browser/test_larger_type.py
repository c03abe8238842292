"""Presentation: larger type for the back of the room, in which nothing is cut or covered."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from playwright.sync_api import Page

from attention_ui.registry import strip_pages

pytestmark = pytest.mark.browser
Visit = Callable[[str], Page]
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


@pytest.mark.parametrize(("path", "factor"), [("scores", 1.1), ("lexicon", 1.1)])
def test_presentation_enlarges_the_type(visit: Visit, path: str, factor: float) -> None:
    size = "(element) => parseFloat(getComputedStyle(element).fontSize)"
    page = visit(path)
    before = page.locator("h1").evaluate(size), page.locator(".board .title").first.evaluate(size)
    page = visit(f"{path}?present=true")
    after = page.locator("h1").evaluate(size), page.locator(".board .title").first.evaluate(size)
    assert after[0] >= factor * before[0]
    assert after[1] >= factor * before[1]
    assert page.evaluate(SIDEWAYS) <= 0


@pytest.mark.parametrize("page_of_charts", ["claims", "growth"])
def test_columns_too_narrow_for_larger_type_stand_below_each_other(
    visit: Visit, page: Page, page_of_charts: str
) -> None:
    page.set_viewport_size({"width": 1024, "height": 768})
    name = visit(f"{page_of_charts}?present=true").locator(".chart .names button").first
    main = page.get_by_test_id("stMain").evaluate("(main) => main.scrollWidth - main.clientWidth")
    assert main <= 0
    frame, chart = name.bounding_box(), page.locator(".chart").first.bounding_box()
    assert frame
    assert chart
    assert frame["height"] < 40
    assert chart["width"] > 500


@pytest.mark.parametrize("path", ["propositions", "stiefel"])
def test_no_formula_runs_out_of_its_place(visit: Visit, path: str) -> None:
    page = visit(f"{path}?present=true")
    assert page.locator(".katex-display").count() > 1
    assert page.evaluate(FORMULAS_CUT) == []


@pytest.mark.parametrize(("width", "lines"), [(1440, 1), (1280, 1)])
def test_the_names_of_the_steps_are_whole_in_larger_type(
    visit: Visit, page: Page, width: int, lines: int
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    way = visit("projections?present=true").get_by_role("navigation", name="Steps of the story")
    boxes = [link.bounding_box() for link in way.get_by_role("link").all()]
    before, *steps, after = [box for box in boxes if box]
    assert len(steps) == len(strip_pages())
    assert len({box["y"] for box in steps}) == lines
    assert all(
        before["x"] + before["width"] <= box["x"] and box["x"] + box["width"] <= after["x"]
        for box in steps
    )
    assert all(
        one["x"] + one["width"] <= other["x"] or one["y"] + one["height"] <= other["y"]
        for one, other in pairwise(steps)
    )


def test_a_table_leaves_the_chart_beside_it_free_in_larger_type(visit: Visit) -> None:
    page = visit("shared-keys?present=true")
    table, choice = (
        page.locator("table").last.bounding_box(),
        page.get_by_text("Growing size").bounding_box(),
    )
    assert table
    assert choice
    assert table["x"] + table["width"] < choice["x"]


def test_a_wide_table_is_scrolled_by_itself(visit: Visit, page: Page) -> None:
    page.set_viewport_size({"width": 320, "height": 700})
    visit("one-matrix-or-many?present=true&query=4&key=1")
    assert (
        page.locator("table").first.evaluate("table => table.scrollWidth - table.clientWidth") > 0
    )
    assert page.evaluate(SIDEWAYS) <= 0
    speed, dock = (
        page.get_by_label("Speed").first.bounding_box(),
        page.locator(".board .dock").first.bounding_box(),
    )
    assert speed
    assert dock
    assert speed["x"] + speed["width"] <= dock["x"] + dock["width"]
