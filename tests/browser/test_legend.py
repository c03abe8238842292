"""The names above a chart in a real browser: they hide and show what they name, by mouse and by
keyboard.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from attention_lab.scenario import Scenario, trace_of
from attention_viz.heads.head_worth import stacked_output
from tests.browser.driving import settled

pytestmark = pytest.mark.browser
Visit = Callable[[str], Page]
STOPS = "chart => [...chart.querySelectorAll('.names button')].map(({tabIndex}) => tabIndex)"
DRAWN_TO_ITS_WIDTH = """() => {
  const chart = document.querySelector('.chart');
  return chart._fullLayout.width === chart.clientWidth;
}"""
SHOWN = """chart =>
  chart.data.filter(({visible}) => visible !== 'legendonly').map(({name}) => name)"""
EVERYTHING = ["head 0", "head 1", "head 2", "head 3", "output"]


def drawn(page: Page) -> Locator:
    """The bars of what each head adds, once they are drawn."""
    chart = settled(page).locator(".chart").first
    expect(chart.locator(".barlayer path").first).to_be_attached()
    return chart


def name(chart: Locator, text: str) -> Locator:
    """The button of a name above a chart."""
    return chart.get_by_role("button", name=text, exact=True)


def test_a_name_hides_and_shows_what_it_names(visit: Visit) -> None:
    page = visit("head-worth")
    chart = drawn(page)
    assert chart.evaluate(SHOWN) == EVERYTHING == chart.locator(".names button").all_text_contents()
    name(chart, "head 2").click()
    expect(name(chart, "head 2")).to_have_attribute("aria-pressed", "false")
    without = [one for one in EVERYTHING if one != "head 2"]
    assert chart.evaluate(SHOWN) == without
    page.locator("input[type=range]").first.press("End")
    expect(chart.locator(".xaxislayer-above text").last).to_contain_text("[pad]")
    assert chart.evaluate(SHOWN) == without
    name(chart, "head 2").click()
    assert chart.evaluate(SHOWN) == EVERYTHING


def test_names_by_keyboard(visit: Visit) -> None:
    page = visit("head-worth")
    chart = drawn(page)
    assert chart.evaluate(STOPS) == [0, -1, -1, -1, -1]
    name(chart, "head 0").focus()
    for key in ("ArrowLeft", "ArrowRight", "ArrowRight", "ArrowLeft", "Enter"):
        page.keyboard.press(key)
    expect(name(chart, "head 1")).to_be_focused()
    assert chart.evaluate(SHOWN) == ["head 0", *EVERYTHING[2:]]
    page.keyboard.press("Space")
    assert chart.evaluate(SHOWN) == EVERYTHING


@pytest.mark.parametrize("width", [1440, 390])
def test_all_names_stand_above_the_chart(visit: Visit, width: int) -> None:
    page = visit("head-worth?n_heads=16&n_tokens=8")
    page.set_viewport_size({"width": width, "height": 900})
    chart = drawn(page)
    expect(chart.locator(".names button")).to_have_count(17)
    page.wait_for_function(DRAWN_TO_ITS_WIDTH)
    above = chart.evaluate("""chart => {
      const [names, plane] = ['.names', '.nsewdrag'].map(part =>
        chart.querySelector(part).getBoundingClientRect());
      return plane.top - names.bottom;
    }""")
    assert 0 <= above < 20
    assert chart.evaluate("chart => chart.querySelector('.names').scrollWidth <= chart.clientWidth")


def test_a_kept_picture_has_its_names(visit: Visit) -> None:
    page = visit("head-worth")
    chart = drawn(page)
    name(chart, "head 3").click()
    chart.hover()
    page.evaluate("Plotly.downloadImage = (figure) => (window.kept = figure)")
    chart.locator(".modebar-btn[data-title='Keep as a picture']").click()
    assert page.evaluate("kept.data.map(({name}) => name)") == EVERYTHING
    assert page.evaluate("kept.data.filter(({visible}) => visible === 'legendonly').length") == 1
    assert page.evaluate("kept.layout.showlegend")
    assert page.evaluate("kept.layout.height") == pytest.approx(
        stacked_output(trace_of(Scenario()), 0)["layout"]["height"], abs=1
    )
