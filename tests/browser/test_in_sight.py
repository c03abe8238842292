"""What the keyboard reaches is in sight: behind nothing that stays while the page scrolls,
however low the window.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page

from tests.browser.driving import box_of, resized

pytestmark = pytest.mark.browser
Visit = Callable[[str], Page]
TOP = "document.querySelector('[data-testid=stMain]').scrollTo(0, 0)"
BOTTOM = "document.querySelector('[data-testid=stMain]').scrollTo(0, 1e6)"


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


def test_a_cell_reached_by_keys_is_in_sight(visit: Visit) -> None:
    page = visit("scores?query=4&key=1")
    spot, dock = page.locator(".board .spot").first, page.locator(".board .dock").first
    way = page.get_by_role("navigation", name="Steps of the story")
    page.evaluate(BOTTOM)
    walk(page, "Sₕ scores", "ArrowUp")
    assert sides(spot)[0] >= sides(way)[1]
    for width, height in [(844, 390), (360, 225)]:
        resized(page, width, height)
        page.evaluate(TOP)
        walk(page, "Sₕ scores", *["ArrowDown"] * 3, "ArrowUp")
        top, bottom = sides(spot)
        assert 0 < top < bottom < height
        assert all(sides(part)[1] <= top or sides(part)[0] >= bottom for part in (way, dock))


def test_where_the_keys_are_is_seen(go: Visit, page: Page) -> None:
    go("break-it")
    spot = page.get_by_text("Spot the mistake")
    outline = "element => getComputedStyle(element.closest('a, label')).outline"
    assert "solid 2px" not in spot.evaluate(outline)
    page.get_by_role("combobox", name="Field").focus()
    page.keyboard.press("Tab")
    assert "solid 2px" in spot.evaluate(outline)
    go("arrays")
    page.get_by_role("button", name="NPY").focus()
    page.keyboard.press("Tab")
    assert "solid 2px" in page.get_by_text("See how it is computed").evaluate(outline)
