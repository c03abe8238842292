"""Plotly charts in a real browser: clicks, their tools, and their texts."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from attention_lab.heads.head_portraits import MEASURES
from attention_lab.heads.patterns import pattern_of
from attention_lab.scenario import Scenario, trace_of
from attention_viz.heads.head_portraits import measures_figure
from attention_viz.theme import PALETTES
from tests.browser.driving import expect_url, rgb, settled

pytestmark = pytest.mark.browser
Visit = Callable[[str], Page]
# Of every text at a point: its size, ink and words.
TEXTS = """chart => [...chart.querySelectorAll('.textpoint text')].map(text => {
  const {fontSize, fill} = getComputedStyle(text);
  return [fontSize, fill, text.textContent];
})"""
# Draws the first chart anew, a little higher, and takes it off the page so many steps of a promise
# later.
LEAVE = """async steps => {
  const look = root => [...root.querySelectorAll('*')].flatMap(
    element => element.shadowRoot ? [element.shadowRoot, ...look(element.shadowRoot)] : [element]);
  const {attentionChart: chart} = look(document).find(place => place.attentionChart);
  const data = structuredClone(chart.component.data);
  data.figure.layout.height += 10;
  const shown = chart.show(data);
  for (let step = 0; step < steps; step++) await null;
  chart.end();
  await shown;
}"""


def drawn(page: Page) -> Locator:
    """The first chart of a page, once it is drawn."""
    chart = settled(page).locator(".chart").first
    expect(chart.locator(".main-svg").first).to_be_attached()
    return chart


def test_a_click_on_a_bar_chooses_it(visit: Visit) -> None:
    page = visit("claims")
    chart = drawn(page)
    box = chart.locator(".barlayer path").first.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect_url(page, "claims_text=popular")


def test_a_chart_stays_while_the_page_runs_again(visit: Visit) -> None:
    page = visit("depth")
    drawn(page)
    page.evaluate("() => { document.querySelector('.js-plotly-plot').seen = true; }")
    page.get_by_text("LayerNorm after", exact=True).click()
    expect_url(page, "depth_norm=true")
    settled(page)
    assert page.evaluate("document.querySelector('.js-plotly-plot').seen") is True


def test_the_tools_of_a_chart(visit: Visit) -> None:
    """A chart fills the screen and comes back; none of its buttons would send it to another
    machine.
    """
    page = visit("depth")
    chart = drawn(page)
    chart.scroll_into_view_if_needed()
    chart.hover()
    buttons = chart.locator(".modebar-btn").evaluate_all(
        "all => all.map(button => button.dataset.title)"
    )
    assert buttons == ["Keep as a picture", "Full screen"]
    width = "document.querySelector('.js-plotly-plot')._fullLayout.width"
    before = chart.bounding_box()
    chart.locator(".modebar-btn[data-title='Full screen']").click()
    page.wait_for_function(f"() => {width} === innerWidth")
    page.evaluate("() => document.exitFullscreen()")
    page.wait_for_function(f"() => {width} < innerWidth")
    assert chart.bounding_box() == before


@pytest.mark.parametrize(("n_heads", "fits"), [(1, True), (4, False)])
def test_on_a_phone_few_columns_fit_and_many_are_scrolled(
    visit: Visit, n_heads: int, fits: bool
) -> None:
    page = visit(f"head-worth?n_heads={n_heads}")
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function(
        "() => document.querySelector('.js-plotly-plot')._fullLayout.width < 800"
    )
    box = page.locator(".chart").first.bounding_box()
    assert box is not None
    assert (box["width"] < 390) == fits


def test_the_numbers_beside_the_bars(visit: Visit) -> None:
    page = visit("head-portraits")
    chart = drawn(page)
    expect(chart.locator(".textpoint text").first).to_be_attached()
    figure = measures_figure(MEASURES, pattern_of(trace_of(Scenario())), (MEASURES[0].name, 0))
    texts = [
        text for trace in figure["data"] if trace.get("mode") == "text" for text in trace["text"]
    ]
    written = chart.evaluate(TEXTS)
    assert [text for _, _, text in written] == [re.sub("</?b>", "", text) for text in texts]
    assert len(texts) == 5 * len(MEASURES)
    assert {ink for _, ink, _ in written} == {rgb(PALETTES["light"]["text"])}
    sizes = [size for size, _, _ in written]
    assert sizes == ["12px"] * (len(texts) - len(MEASURES)) + ["11px"] * len(MEASURES), (
        "numbers, then names"
    )


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 8])
def test_a_chart_can_go_while_it_is_drawn(visit: Visit, steps: int) -> None:
    page = visit("head-worth")
    charts = settled(page).locator(".js-plotly-plot")
    before = charts.count()
    page.evaluate(LEAVE, steps)
    expect(charts).to_have_count(before - 1)
