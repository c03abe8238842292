"""How the tests act on Plotly pictures: find the picture of all heads, the place of a cell in
it, and zoom.
"""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from tests.browser.driving import settled

PLACE = """([tile, row, column]) => {
  const plot = document.querySelectorAll('.js-plotly-plot')[0];
  const {xaxis: x, yaxis: y} = plot._fullLayout._plots[plot._fullData[tile].xaxis +
    plot._fullData[tile].yaxis];
  const box = plot.getBoundingClientRect();
  return {x: box.x + x._offset + x.c2p(column), y: box.y + y._offset + y.c2p(row)};
}"""
RANGES = """() => {
  const {_fullLayout: {_plots: all}, _fullData: heads} =
    document.querySelectorAll('.js-plotly-plot')[0];
  return heads.map(({xaxis, yaxis}) => all[xaxis + yaxis]).map(({xaxis, yaxis}) =>
    `${xaxis.range}, ${yaxis.range}`);
}"""


def grid(page: Page) -> Locator:
    """The picture of all heads, once it is drawn."""
    chart = settled(page).locator(".chart").first
    expect(chart.locator(".heatmaplayer image").first).to_be_attached()
    return chart


def zoom(page: Page, chart: Locator) -> list[str]:
    """Drag with the magnifying glass in the first head, from query and key 2 to query 7 and key 6.

    Gives what every head showed before, when the zoom has come.
    """
    before: list[str] = page.evaluate(RANGES)
    chart.hover()
    chart.locator(".modebar-btn[data-title=Zoom]").click()
    start, end = page.evaluate(PLACE, [0, 2, 2]), page.evaluate(PLACE, [0, 7, 6])
    page.mouse.move(start["x"], start["y"])
    page.mouse.down()
    page.mouse.move(end["x"], end["y"], steps=4)
    page.mouse.up()
    page.wait_for_function(f"() => ({RANGES})()[0] !== '{before[0]}'")
    return before
