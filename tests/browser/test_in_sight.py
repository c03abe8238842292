"""What the keyboard reaches is in sight: behind nothing that stays while the page scrolls,
however low the window.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.browser
Visit = Callable[[str], Page]
BOTTOM = "document.querySelector('[data-testid=stMain]').scrollTo(0, 1e6)"


def sides(part: Locator) -> tuple[float, float]:
    """Where the upper and the lower side of an element are in the window."""
    box = part.bounding_box()
    assert box
    return box["y"], box["y"] + box["height"]


def walk(page: Page, panel: str, *keys: str) -> None:
    """Press keys on a matrix that the window may show in part or not at all."""
    page.get_by_role("application", name=panel).evaluate(
        "panel => panel.focus({preventScroll: true})"
    )
    for key in keys:
        page.keyboard.press(key)


def test_a_cell_reached_by_keys_is_not_behind_the_way(visit: Visit) -> None:
    page = visit("scores?query=4&key=1")
    page.evaluate(BOTTOM)
    walk(page, "Sₕ scores", "ArrowUp")
    way = sides(page.get_by_role("navigation", name="Steps of the story"))
    assert sides(page.locator(".board .spot").first)[0] >= way[1]


@pytest.mark.parametrize(("width", "height"), [(844, 390), (360, 225)])
def test_a_low_window_shows_the_cell(visit: Visit, page: Page, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    visit("scores?query=4&key=1")
    walk(page, "Sₕ scores", *["ArrowDown"] * 3, "ArrowUp")
    top, bottom = sides(page.locator(".board .spot").first)
    way, dock = (
        page.get_by_role("navigation", name="Steps of the story"),
        page.locator(".board .dock").first,
    )
    assert 0 < top < bottom < height
    assert all(sides(part)[1] <= top or sides(part)[0] >= bottom for part in (way, dock))


@pytest.mark.parametrize("name", ["scores", "projections", "softmax"])
def test_in_larger_type_on_a_small_phone_the_arithmetic_leaves_half_of_the_window(
    visit: Visit, page: Page, name: str
) -> None:
    page.set_viewport_size({"width": 320, "height": 640})
    visit(f"{name}?present=true&query=4&key=1&feature=1")
    top, bottom = sides(page.locator(".board .dock").first)
    assert 0 < bottom - top < 320


def test_where_the_keys_are_is_seen(visit: Visit, page: Page) -> None:
    visit("break-it")
    spot = page.get_by_text("Spot the mistake")
    outline = "element => getComputedStyle(element.closest('a, label')).outline"
    assert "solid 2px" not in spot.evaluate(outline)
    page.get_by_role("combobox", name="Field").focus()
    page.keyboard.press("Tab")
    assert "solid 2px" in spot.evaluate(outline)
    visit("arrays")
    page.get_by_role("button", name="NPY").focus()
    page.keyboard.press("Tab")
    assert "solid 2px" in page.get_by_text("See how it is computed").evaluate(outline)
