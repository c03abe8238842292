"""Plotly pictures in a real browser: clicks, linked zoom, their tools, and the lines drawn over
their cells.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from attention_viz.theme import PALETTES
from tests.browser.charting import FIRST, HEATMAPS, PLACE, RANGES, grid, zoom
from tests.browser.driving import expect_address, parameters, settled

pytestmark = pytest.mark.browser
Visit = Callable[[str], Page]
# The colour, as red, green, blue and opacity, that is written over the first tile at a place
# between its cells.
WRITTEN = """([row, column]) => {
  const plot = FIRST;
  const {xaxis, yaxis} = plot._fullLayout;
  const paper = plot.querySelector('.cell-texts').getContext('2d');
  const at = [xaxis._offset + xaxis.l2p(column), yaxis._offset + yaxis.l2p(row)];
  return [...paper.getImageData(Math.round(at[0] - 0.5), Math.round(at[1] - 0.5), 1, 1).data];
}""".replace("FIRST", FIRST)
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


def test_a_click_on_a_heatmap_moves_the_focus(visit: Visit) -> None:
    """A click on a cell of the third tile brings its row and column to the address and to the
    boxes.
    """
    page = visit(HEATMAPS)
    grid(page).scroll_into_view_if_needed()
    place = page.evaluate(PLACE, [2, 6, 4])
    page.mouse.move(place["x"], place["y"])
    expect(page.locator(".hoverlayer .hovertext").first).to_contain_text("6 street → 4")
    page.mouse.click(place["x"], place["y"])
    expect_address(page, "query=6", "feature=4")
    expect(page.get_by_label("Query", exact=True)).to_have_value("6 · street")


def test_all_tiles_zoom_together(visit: Visit) -> None:
    """Dragging in one tile with the magnifying glass zooms every tile to the same cells."""
    page = visit(HEATMAPS)
    assert len(set(zoom(page, grid(page)))) == 1
    assert len(set(page.evaluate(RANGES))) == 1


def test_a_zoom_stays_while_the_page_runs_again(visit: Visit) -> None:
    """A click moves the focus; the part of the picture that is looked at, and the chart itself,
    stay.
    """
    page = visit(HEATMAPS)
    zoom(page, grid(page))
    zoomed = page.evaluate(RANGES)
    page.evaluate(f"() => {{ {FIRST}.seen = true; }}")
    place = page.evaluate(PLACE, [1, 5, 4])
    page.wait_for_timeout(
        1500
    )  # sooner, plotly.js takes the end of the drag and the click for a double click
    page.mouse.move(place["x"], place["y"])
    expect(page.locator(".hoverlayer .hovertext").first).to_contain_text("5 the → 4")
    page.mouse.click(place["x"], place["y"])
    expect_address(page, "query=5", "feature=4")
    settled(page)
    assert page.evaluate(RANGES) == zoomed
    assert page.evaluate(f"() => {FIRST}.seen") is True


def test_a_double_click_shows_everything_and_chooses_nothing(visit: Visit) -> None:
    """In a zoomed picture a double click ends the zoom; the cell below it does not become the
    focus.
    """
    page = visit(HEATMAPS)
    before = zoom(page, grid(page))
    page.wait_for_timeout(
        1500
    )  # sooner, plotly.js takes the end of the drag and the click for a double click
    place = page.evaluate(PLACE, [1, 5, 4])
    page.mouse.move(place["x"], place["y"])
    expect(page.locator(".hoverlayer .hovertext").first).to_contain_text("5 the → 4")
    page.mouse.dblclick(place["x"], place["y"])
    page.wait_for_function(f"() => ({RANGES})()[0] === '{before[0]}'")
    page.wait_for_timeout(1000)  # longer than a click waits for a second one
    assert parameters(page) == {"off": "1", "d_model": "8"}


def test_the_tools_of_a_chart(visit: Visit) -> None:
    """A chart fills the screen and comes back; none of its buttons would send it to another
    machine.
    """
    page = visit(HEATMAPS)
    chart = grid(page)
    chart.hover()
    buttons = chart.locator(".modebar-btn").evaluate_all(
        "all => all.map(button => button.dataset.title)"
    )
    assert buttons == [
        "Zoom",
        "Pan",
        "Reset axes",
        "Keep as a picture (SVG)",
        "Keep as a picture (PNG)",
        "Full screen",
    ]
    before = chart.bounding_box()
    chart.locator(".modebar-btn[data-title='Full screen']").click()
    page.wait_for_function(f"() => {FIRST}._fullLayout.width === innerWidth")
    page.evaluate("() => document.exitFullscreen()")
    page.wait_for_function(f"() => {FIRST}._fullLayout.width < innerWidth")
    assert chart.bounding_box() == before


@pytest.mark.parametrize(("n_heads", "fits"), [(1, True), (4, False)])
def test_on_a_phone_few_columns_fit_and_many_are_scrolled(
    visit: Visit, n_heads: int, fits: bool
) -> None:
    """Twelve tokens of one head fit the width of a phone; the legend of several heads keeps a width
    that can be read.
    """
    page = visit(f"head-worth?n_heads={n_heads}")
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function(
        "() => document.querySelector('.js-plotly-plot')._fullLayout.width < 800"
    )
    box = page.locator(".chart").first.bounding_box()
    assert box is not None
    assert (box["width"] < 390) == fits


def test_lines_between_cells(visit: Visit) -> None:
    """Cells stand apart by a line in the colour of the page, and the framed cell keeps its
    frame.
    """
    page = visit(f"{HEATMAPS}&query=2&feature=2")
    grid(page)
    colours = [PALETTES["light"][name].removeprefix("#") for name in ("background", "focus")]
    ground, focus = ([*bytes.fromhex(colour), 255] for colour in colours)
    assert [page.evaluate(WRITTEN, place) for place in ([5, 4.5], [6.5, 3])] == [ground, ground]
    assert [page.evaluate(WRITTEN, place) for place in ([2, 2.5], [1.5, 2], [5.3, 4.3])] == [
        focus,
        focus,
        [0] * 4,
    ]
    gaps = page.evaluate(f"() => {FIRST}.data.map(({{xgap}}) => xgap)")
    assert set(gaps) == {0}, "plotly.js draws the lines itself, as large pictures"


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 8])
def test_a_chart_can_go_while_it_is_drawn(visit: Visit, steps: int) -> None:
    """plotly.js takes several steps to draw; a chart that leaves the page between two of them
    fails in none.
    """
    page = visit(HEATMAPS)
    charts = page.locator(".js-plotly-plot")
    before = charts.count()
    page.evaluate(LEAVE, steps)
    expect(charts).to_have_count(before - 1)
