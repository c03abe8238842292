"""Plotly charts in a real browser: clicks, their tools, their place."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from attention_viz.theme import PALETTES
from tests.browser.driving import expect_url, settled

pytestmark = pytest.mark.browser
Visit = Callable[[str], Page]
PLOT = "document.querySelector('.js-plotly-plot')"
WIDTH = f"{PLOT}._fullLayout.width"
# Shows another chart, draws it anew, a little higher, and takes it off the page while that goes on,
# so many steps of a promise later.
LEAVE = """async () => {
  const look = root => [...root.querySelectorAll('*')].flatMap(
    element => element.shadowRoot ? [element.shadowRoot, ...look(element.shadowRoot)] : [element]);
  const {attentionChart: {component, constructor: Chart}} =
    look(document).find(place => place.attentionChart);
  for (const steps of [0, 1, 2, 3, 8]) {
    const place = document.body.appendChild(document.createElement('div'));
    const chart = Object.assign(new Chart(place), {component});
    await chart.show(component.data);
    const data = structuredClone(component.data);
    data.figure.layout.height += 10;
    const shown = chart.show(data);
    for (let step = 0; step < steps; step++) await null;
    await Promise.all([chart.end(), shown]);
    place.remove();
  }
}"""


def drawn(page: Page) -> Locator:
    """The first chart of a page, once it is drawn."""
    chart = settled(page).locator(".chart").first
    expect(chart.locator(".main-svg").first).to_be_attached()
    return chart


def test_a_bar_is_chosen_and_a_chart_fills_the_screen_and_stays(visit: Visit) -> None:
    page = visit("claims")
    box = drawn(page).locator(".barlayer path").first.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect_url(page, "claims_text=popular")
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


@pytest.mark.every_situation
def test_a_chart_follows_the_system_and_the_window_and_goes_while_it_is_drawn(
    visit: Visit,
) -> None:
    page = visit("head-worth")
    drawn(page)
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function(
            f"ink => {PLOT}._fullLayout.font.color === ink", arg=PALETTES[scheme]["text"]
        )
    page.evaluate(LEAVE)
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function(f"() => {WIDTH} < 800")
    box = page.locator(".chart").first.bounding_box()
    assert box is not None
    assert box["width"] > 390, "many columns are scrolled"
    visit("head-worth?n_heads=1")
    page.wait_for_function("() => document.querySelector('.chart').offsetWidth < 390")
