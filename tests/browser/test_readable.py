"""Larger type, forced colours and keys: nothing is cut or covered."""

from __future__ import annotations

from io import BytesIO
from itertools import pairwise

import pytest
from PIL import Image
from playwright.sync_api import FloatRect, Locator, Page, expect

from attention_lab.page_list import page_row
from tests.browser.driving import BOARD, Visit, box_of, resized
from tests.browser.test_every_page import SIDEWAYS

FORMULAS_CUT = """() => [
  ...document.querySelectorAll('[data-testid=stMarkdownContainer] .katex')
].filter(formula => {
  const place = formula.closest('[data-testid=stMarkdownContainer]').getBoundingClientRect();
  return [...formula.querySelectorAll('.base')].some(part => {
    const {left, right} = part.getBoundingClientRect();
    return left < place.left - 1 || right > place.right + 1;
  });
}).map(formula => formula.textContent)"""
SIZE = "(element) => parseFloat(getComputedStyle(element).fontSize)"
TOP = "document.querySelector('[data-testid=stMain]').scrollTo(0, 0)"
BOTTOM = "document.querySelector('[data-testid=stMain]').scrollTo(0, 1e6)"


def right_of(box: FloatRect) -> float:
    """Where an area ends."""
    return box["x"] + box["width"]


@pytest.mark.every_situation
def test_steps_in_larger_type(go: Visit, page: Page) -> None:
    page.set_viewport_size(
        {"width": 1280, "height": 720}
    )  # in larger windows pictures have large letters anyway
    sizes = {}
    for path in ("scores", "convolution?present=true", "scores?present=true", "convolution"):
        go(path)
        parts = page.locator("h1"), page.locator(".board .title").first
        sizes[path] = [part.evaluate(SIZE) for part in parts]
    for path in ("scores", "convolution"):
        both = zip(sizes[path], sizes[f"{path}?present=true"], strict=True)
        assert all(large >= 1.1 * small for small, large in both)

    way = page.get_by_role("navigation", name="Pages of this chapter")
    go("projections?present=true&query=4&key=1&feature=1")
    for width in (1440, 1280):
        resized(page, width, 900)
        before, *steps, after = [box_of(link) for link in way.get_by_role("link").all()]
        del steps[len(page_row("story").lecture) :]  # what goes further may be scrolled to
        assert len({box["y"] for box in steps}) == 1
        assert all(right_of(before) <= box["x"] <= right_of(box) <= after["x"] for box in steps)
        assert all(right_of(one) <= other["x"] for one, other in pairwise(steps))
    resized(page, 320, 640)  # the arithmetic leaves half of the window
    for path in ("scores", "projections", "softmax"):
        go(f"{path}?present=true&query=4&key=1&feature=1")
        assert 0 < box_of(page.locator(".board .dock").first)["height"] < 320


@pytest.mark.every_situation
def test_pages_in_larger_type(go: Visit, page: Page) -> None:
    for path in ("propositions", "stiefel"):
        go(f"{path}?present=true")
        assert page.locator(".katex").count() > 1
        assert page.evaluate(FORMULAS_CUT) == []
    go("shared-keys?present=true")
    table, choice = page.locator("table").last, page.get_by_text("Growing size")
    assert right_of(box_of(table)) < box_of(choice)["x"]
    resized(page, 1024, 768)
    for path in (
        "questions?verdict=false&",
        "growth?",
    ):  # columns too narrow stand below each other
        go(f"{path}present=true")
        assert page.evaluate(SIDEWAYS) <= 0
        assert box_of(page.locator(".chart .names button").first)["height"] < 40
        assert box_of(page.locator(".chart").first)["width"] > 500
    resized(page, 320, 700)
    go("one-matrix-or-many?present=true&query=4&key=1")
    table = page.locator("[class*=wide-table]").first
    assert table.evaluate("box => box.scrollWidth - box.clientWidth") > 0  # scrolled by itself
    assert page.evaluate(SIDEWAYS) <= 0
    shown = page.locator(f"{BOARD} .dock").first, page.get_by_label("Speed").filter(visible=True)
    dock, speed = shown[0], shown[1].first
    assert right_of(box_of(speed)) <= right_of(box_of(dock))


def sides(part: Locator) -> tuple[float, float]:
    """Where the upper and the lower side of an element are in the window."""
    box = box_of(part)
    return box["y"], box["y"] + box["height"]


def walk(page: Page, panel: str, *keys: str) -> None:
    """Press keys on a matrix that the window may show in part or not at all."""
    page.get_by_role("application", name=panel).evaluate(
        "panel => panel.focus({preventScroll: true})"
    )
    for key in keys:
        page.keyboard.press(key)


@pytest.mark.every_situation
def test_a_cell_reached_by_keys_is_in_sight_and_what_was_said_is_forgotten(visit: Visit) -> None:
    page = visit("scores?query=4&key=1")
    spot, dock = page.locator(".board .spot").first, page.locator(".board .dock").first
    way = page.get_by_role("navigation", name="Pages of this chapter")
    page.evaluate(BOTTOM)
    walk(page, "Sₕ scores", "ArrowUp")
    assert sides(spot)[0] >= sides(way)[1]
    said = page.locator(".board [aria-live]")
    expect(said).to_contain_text("key position 1 animal")
    page.get_by_label("Speed").focus()
    expect(said).to_be_empty()
    for width, height in [(844, 390), (360, 225)]:
        resized(page, width, height)
        page.evaluate(TOP)
        walk(page, "Sₕ scores", *["ArrowDown"] * 3, "ArrowUp")
        top, bottom = sides(spot)
        assert 0 < top < bottom < height
        around = [part for part in (way, dock) if part.is_visible()]
        assert all(sides(part)[1] <= top or sides(part)[0] >= bottom for part in around)


def colours(part: Locator) -> list[tuple[int, int]]:
    """The colours of a part of the page as it is seen, each with how many pixels have it, the
    most frequent first.
    """
    seen = Image.open(BytesIO(part.screenshot())).convert("P", palette=Image.Palette.WEB)
    return sorted(
        ((colour, count) for count, colour in seen.getcolors() or []), key=lambda one: -one[1]
    )


@pytest.mark.every_situation
def test_what_is_chosen_is_seen_and_formulas_keep_their_letters(go: Visit, page: Page) -> None:
    page.emulate_media(forced_colors="active", color_scheme="dark")
    go("stiefel")
    chosen, other = (page.get_by_role("radio", name=name) for name in ("manual", "code"))
    assert colours(chosen)[0][0] != colours(other)[0][0]
    assert len(colours(page.locator("[data-testid=stCheckbox] label > div").first)) > 2
    go("mask")
    for track in page.get_by_test_id("stSlider").locator("[role=group]:visible").all():
        assert len(colours(track)) > 2
    # No ground is painted behind an accent, where it would hide the letter below.
    accent = go("glossary").locator(".katex-html .accent").first.locator(".accent-body")
    expect(accent).to_have_css("forced-color-adjust", "none")
