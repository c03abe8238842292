"""The names above a chart in a real browser: they hide and show what they name."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from attention_lab.scenario import Scenario, trace_of
from attention_viz.heads.head_worth import stacked_output
from tests.browser.driving import expect_url, resized, settled, slider

pytestmark = pytest.mark.browser
DRAWN_TO_ITS_WIDTH = """() => {
  const chart = document.querySelector('.chart');
  return chart._fullLayout.width === chart.clientWidth;
}"""
SHOWN = """chart =>
  chart.data.filter(({visible}) => visible !== 'legendonly').map(({name}) => name)"""
ABOVE = """chart => {
  const [names, plane] = ['.names', '.nsewdrag'].map(part =>
    chart.querySelector(part).getBoundingClientRect());
  const fits = chart.querySelector('.names').scrollWidth <= chart.clientWidth;
  return [plane.top - names.bottom, fits];
}"""
EVERYTHING = ["head 0", "head 1", "head 2", "head 3", "output"]


def name(chart: Locator, text: str) -> Locator:
    """The button of a name above a chart."""
    return chart.get_by_role("button", name=text, exact=True)


@pytest.mark.every_situation
def test_names_hide_and_show_also_in_a_kept_picture(visit: Callable[[str], Page]) -> None:
    page = visit("head-worth")
    chart = page.locator(".chart").first
    expect(chart.locator(".barlayer path").first).to_be_attached()
    assert chart.evaluate(SHOWN) == EVERYTHING == chart.locator(".names button").all_text_contents()
    name(chart, "head 2").click()
    expect(name(chart, "head 2")).to_have_attribute("aria-pressed", "false")
    without = [one for one in EVERYTHING if one != "head 2"]
    assert chart.evaluate(SHOWN) == without
    chart.hover()
    page.evaluate("Plotly.downloadImage = (figure) => (window.kept = figure)")
    chart.locator(".modebar-btn[data-title='Keep as a picture']").click()
    assert page.evaluate("kept.data.map(({name}) => name)") == EVERYTHING
    assert page.evaluate("kept.data.filter(({visible}) => visible === 'legendonly').length") == 1
    assert page.evaluate("kept.layout.showlegend")
    assert page.evaluate("kept.layout.height") == pytest.approx(
        stacked_output(trace_of(Scenario()), 0)["layout"]["height"], abs=1
    )
    page.locator("input[type=range]").first.press("End")
    expect(chart.locator(".xaxislayer-above text").last).to_contain_text("[pad]")
    assert chart.evaluate(SHOWN) == without
    name(chart, "head 2").click()
    assert chart.evaluate(SHOWN) == EVERYTHING

    slider(page, "Heads").press("End")
    expect_url(page, "n_heads=16")
    for width in (1440, 390):
        resized(page, width, 900)
        expect(chart.locator(".names button")).to_have_count(17)
        page.wait_for_function(DRAWN_TO_ITS_WIDTH)
        settled(page)
        above, fits = chart.evaluate(ABOVE)
        assert 0 <= above < 20
        assert fits
