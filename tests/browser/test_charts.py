"""Plotly charts in a real browser: clicks, their tools, their place."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.driving import Visit, expect_url, settled

PLOT = "document.querySelector('.js-plotly-plot')"
WIDTH = f"{PLOT}._fullLayout.width"


def drawn(page: Page) -> Locator:
    """The first chart of a page, once it is drawn."""
    chart = settled(page).locator(".chart").first
    expect(chart.locator(".main-svg").first).to_be_attached()
    return chart


@pytest.mark.every_situation
def test_a_bar_is_chosen_and_a_chart_fills_the_screen_and_stays(visit: Visit) -> None:
    page = visit("questions?verdict=false")
    box = drawn(page).locator(".barlayer path").first.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect_url(page, "concepts_text=popular")
    settled(page)
    chart = drawn(visit("depth"))
    chart.scroll_into_view_if_needed()
    chart.hover()
    buttons = chart.locator(".modebar-btn").evaluate_all(
        "all => all.map(button => button.dataset.title)"
    )
    assert buttons == ["Keep as a picture", "Full screen"], "none sends it to another machine"
    before = chart.bounding_box()
    chart.locator(".modebar-btn[data-title='Full screen']").click()
    page.wait_for_function(f"() => {WIDTH} === innerWidth")
    page.evaluate("() => document.exitFullscreen()")
    page.wait_for_function(f"() => {WIDTH} < innerWidth")
    assert chart.bounding_box() == before
    page.evaluate(f"() => {{ {PLOT}.seen = true; }}")
    page.get_by_text("More choices", exact=True).click()
    page.get_by_text("LayerNorm after", exact=True).click()
    expect_url(page, "depth_norm=true")
    settled(page)
    assert page.evaluate(f"{PLOT}.seen") is True
