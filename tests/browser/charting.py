"""How the tests act on Plotly heatmaps: find one, the place of a cell in it, and zoom."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from tests.browser.driving import settled

# The page of the tests, whose heatmaps are the output with and without a head, and the first of
# its heatmaps.
HEATMAPS = "head-worth?off=1&d_model=8"
FIRST = (
    "[...document.querySelectorAll('.js-plotly-plot')]"
    ".find(one => one._fullData?.[0].type === 'heatmap')"
)
PLACE = """([tile, row, column]) => {
  const plot = FIRST;
  const {xaxis: x, yaxis: y} = plot._fullLayout._plots[plot._fullData[tile].xaxis +
    plot._fullData[tile].yaxis];
  const box = plot.getBoundingClientRect();
  return {x: box.x + x._offset + x.c2p(column), y: box.y + y._offset + y.c2p(row)};
}""".replace("FIRST", FIRST)
RANGES = """() => {
  const {_fullLayout: {_plots: all}, _fullData: heads} = FIRST;
  return heads.map(({xaxis, yaxis}) => all[xaxis + yaxis]).map(({xaxis, yaxis}) =>
    `${xaxis.range}, ${yaxis.range}`);
}""".replace("FIRST", FIRST)


def grid(page: Page) -> Locator:
    """The first heatmap of a page, once it is drawn."""
    image = settled(page).locator(".chart .heatmaplayer image").first
    expect(image).to_be_attached()
    return page.locator(".chart", has=page.locator(".heatmaplayer image")).first


def zoom(page: Page, chart: Locator) -> list[str]:
    """Drag with the magnifying glass in the first tile, from cell (2, 2) to cell (7, 6).

    Gives what every tile showed before, when the zoom has come.
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
