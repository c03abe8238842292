"""The pages about heads in a real browser: clicks in Plotly pictures, linked zoom, choices that stay in the address."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from attention_core.heads.patterns import pattern_of
from attention_core.heads.portraits import MEASURES
from attention_core.scenario import Scenario, trace_of
from attention_viz.heads.portrait_figures import strip
from attention_viz.theme import PALETTES
from tests.browser.driving import expect_address, parameters, settled
from tests.test_configuration import contrast

pytestmark = pytest.mark.browser
Visit = Callable[[str], Page]
Letters = Callable[[], list[tuple[str, str, str]]]
PLACE = """([tile, row, column]) => {
  const plot = document.querySelectorAll('.js-plotly-plot')[0];
  const name = tile ? String(tile + 1) : '';
  const {_fullLayout: all} = plot;
  const [x, y] = [all['xaxis' + name], all['yaxis' + name]];
  const box = plot.getBoundingClientRect();
  return {x: box.x + x._offset + x.c2p(column), y: box.y + y._offset + y.c2p(row)};
}"""
RANGES = """() => {
  const all = document.querySelectorAll('.js-plotly-plot')[0]._fullLayout;
  return ['', '2', '3', '4'].map(name => all['xaxis' + name].range.join());
}"""


# Keeps what is written on a canvas since it was last wiped: size, ink, text.
LISTEN = r"""(() => {
  const paper = CanvasRenderingContext2D.prototype;
  const {clearRect, fillText} = paper;
  paper.clearRect = function (...at) { this.canvas.letters = []; clearRect.apply(this, at); };
  paper.fillText = function (...what) {
    if (what[0]) this.canvas.letters?.push([this.font.match(/\S+px/)[0], this.fillStyle, what[0]]);
    fillText.apply(this, what);
  };
})()"""
LETTERS = "() => document.querySelector('.js-plotly-plot .cell-texts').letters"
VIEW = """() => {
  const {_fullLayout: {xaxis, yaxis}} = document.querySelectorAll('.js-plotly-plot')[0];
  return [yaxis.range, xaxis.range];
}"""
# The numbers of the cells whose middle is in view, tile by tile.
NUMBERS_IN_VIEW = """() => {
  const plot = document.querySelectorAll('.js-plotly-plot')[0];
  const {xaxis, yaxis} = plot._fullLayout;
  const inside = (axis, i) => axis.l2p(i) > 0 && axis.l2p(i) < axis._length;
  return plot.calcdata.flatMap(([{z}]) => [...z].flatMap(
    (row, i) => inside(yaxis, i) ? [...row].filter((_, j) => inside(xaxis, j)) : []));
}"""
SCALE = """() => {
  const {_fullLayout: {coloraxis}} = document.querySelectorAll('.js-plotly-plot')[0];
  return [coloraxis.cmin, coloraxis.cmax, coloraxis.colorscale];
}"""

# The colour, as red, green, blue and opacity, that is written over the first tile at a place between its cells.
WRITTEN = """([row, column]) => {
  const plot = document.querySelectorAll('.js-plotly-plot')[0];
  const {xaxis, yaxis} = plot._fullLayout;
  const paper = plot.querySelector('.cell-texts').getContext('2d');
  const at = [xaxis._offset + xaxis.l2p(column), yaxis._offset + yaxis.l2p(row)];
  return [...paper.getImageData(Math.round(at[0] - 0.5), Math.round(at[1] - 0.5), 1, 1).data];
}"""
# Draws the first chart anew, a little higher, and takes it off the page so many steps of a promise later.
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


@pytest.fixture
def letters(page: Page) -> Letters:
    """Gives the numbers in the cells of a page's first chart: size, ink and text of each."""
    page.add_init_script(LISTEN)
    return lambda: page.evaluate(LETTERS)


def grid(page: Page) -> Locator:
    """The picture of all heads, once it is drawn."""
    chart = settled(page).locator(".chart").first
    expect(chart.locator(".heatmaplayer image").first).to_be_attached()
    return chart


def test_a_click_on_a_head_moves_the_focus(visit: Visit) -> None:
    """A click on a cell of the third head brings head, query and key to the address and to the boxes."""
    page = visit("all-heads")
    grid(page)
    place = page.evaluate(PLACE, [2, 6, 4])
    page.mouse.move(place["x"], place["y"])
    expect(page.locator(".hoverlayer .hovertext").first).to_contain_text("6 street → 4 cross")
    page.mouse.click(place["x"], place["y"])
    expect_address(page, "head=2", "query=6", "key=4")
    expect(page.get_by_label("Query", exact=True)).to_have_value("6 · street")


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


def test_all_heads_zoom_together(visit: Visit) -> None:
    """Dragging in one head with the magnifying glass zooms every head to the same keys."""
    page = visit("all-heads")
    assert len(set(zoom(page, grid(page)))) == 1
    assert len(set(page.evaluate(RANGES))) == 1


def test_a_zoom_stays_while_the_page_runs_again(visit: Visit) -> None:
    """A click moves the focus; the part of the picture that is looked at, and the chart itself, stay."""
    page = visit("all-heads")
    zoom(page, grid(page))
    zoomed = page.evaluate(RANGES)
    page.evaluate("() => { document.querySelector('.js-plotly-plot').seen = true; }")
    place = page.evaluate(PLACE, [1, 5, 4])
    page.wait_for_timeout(1500)  # sooner, plotly.js takes the end of the drag and the click for a double click
    page.mouse.move(place["x"], place["y"])
    expect(page.locator(".hoverlayer .hovertext").first).to_contain_text("5 the → 4 cross")
    page.mouse.click(place["x"], place["y"])
    expect_address(page, "head=1", "query=5", "key=4")
    settled(page)
    assert page.evaluate(RANGES) == zoomed
    assert page.evaluate("() => document.querySelector('.js-plotly-plot').seen") is True


def test_a_double_click_shows_everything_and_chooses_nothing(visit: Visit) -> None:
    """In a zoomed picture a double click ends the zoom; the cell below it does not become the focus."""
    page = visit("all-heads")
    before = zoom(page, grid(page))
    page.wait_for_timeout(1500)  # sooner, plotly.js takes the end of the drag and the click for a double click
    place = page.evaluate(PLACE, [1, 5, 4])
    page.mouse.move(place["x"], place["y"])
    expect(page.locator(".hoverlayer .hovertext").first).to_contain_text("5 the → 4 cross")
    page.mouse.dblclick(place["x"], place["y"])
    page.wait_for_function(f"() => ({RANGES})()[0] === '{before[0]}'")
    page.wait_for_timeout(1000)  # longer than a click waits for a second one
    assert parameters(page) == {}


@pytest.mark.parametrize("width", [1440, 800])
def test_numbers_of_a_picture_have_one_size_and_can_be_read(letters: Letters, visit: Visit, width: int) -> None:
    """The numbers in the cells of all heads are as large as each other, and stand out from their cell's colour."""
    page = visit("all-heads?heads_stage=raw")
    page.set_viewport_size({"width": width, "height": 1000})
    grid(page)
    page.wait_for_function(f"() => ({LETTERS})().length > 0")
    shown = letters()
    assert len(shown) == 4 * 12 * 12
    assert len({size for size, _, _ in shown}) == 1
    least, most, scale = page.evaluate(SCALE)
    for _, ink, text in shown:
        share = (float(text.replace("−", "-")) - least) / (most - least)
        assert contrast(hexadecimal(ink), between(scale, share)) > 4.4, (ink, text)


def test_a_closer_look_shows_the_numbers(letters: Letters, visit: Visit) -> None:
    """Cells too narrow for numbers get them when one zooms in, those that are in view and no others."""
    page = visit("all-heads?n_tokens=40&n_heads=4")
    chart = grid(page)
    assert letters() == []
    zoom(page, chart)
    page.wait_for_function(f"() => ({LETTERS})().length > 0")
    shown = [float(text) for _, _, text in letters()]
    rows, columns = (round(abs(high - low)) for low, high in page.evaluate(VIEW))
    assert len(shown) == 4 * rows * columns < 4 * 40 * 40
    assert shown == pytest.approx(page.evaluate(NUMBERS_IN_VIEW), abs=0.0501)


def test_the_numbers_beside_the_bars(letters: Letters, visit: Visit) -> None:
    """Beside the bars of the portraits stand their numbers, above them the names, all in the colour of text."""
    page = visit("head-portraits")
    chart = settled(page).locator(".chart").first
    expect(chart.locator(".barlayer path").first).to_be_attached()
    figure = strip(MEASURES, pattern_of(trace_of(Scenario())), (MEASURES[0].name, 0))
    texts = [text for trace in figure["data"] if trace.get("mode") == "text" for text in trace["text"]]
    assert [text for _, _, text in letters()] == [re.sub("</?b>", "", text) for text in texts]
    assert len(texts) == 5 * len(MEASURES)
    assert {(size, ink) for size, ink, _ in letters()} == {("12px", PALETTES["light"]["text"])}


def test_a_kept_picture_has_its_numbers(letters: Letters, visit: Visit) -> None:
    """The file of a chart says what the screen says: every number of every head."""
    page = visit("all-heads?heads_stage=raw")
    chart = grid(page)
    page.wait_for_function(f"() => ({LETTERS})().length > 0")
    chart.hover()
    with page.expect_download() as kept:
        chart.locator(".modebar-btn[data-title^='Keep']").click()
    assert kept.value.suggested_filename == "attention-lab.svg"
    written = re.findall(r"<text[^>]*>([−-]?\d+\.\d+)</text>", kept.value.path().read_text())
    shown = [text for _, _, text in letters()]
    assert [text.replace("-", "−") for text in written][: len(shown)] == shown


def hexadecimal(css: str) -> str:
    """A colour "rgb(r, g, b)" as "#rrggbb"."""
    return css if css.startswith("#") else "#{:02x}{:02x}{:02x}".format(*map(int, re.findall(r"\d+", css)[:3]))


def between(scale: list[tuple[float, str]], share: float) -> str:
    """The colour at a place of a scale, from 0 to 1."""
    stops = [at for at, _ in scale]
    parts = [[int(colour[i : i + 2], 16) for _, colour in scale] for i in (1, 3, 5)]
    return "#{:02x}{:02x}{:02x}".format(*(round(np.interp(share, stops, part)) for part in parts))


def test_the_tools_of_a_chart(visit: Visit) -> None:
    """A chart fills the screen and comes back; none of its buttons would send it to another machine."""
    page = visit("all-heads")
    chart = grid(page)
    chart.hover()
    buttons = chart.locator(".modebar-btn").evaluate_all("all => all.map(button => button.dataset.title)")
    assert buttons == ["Zoom", "Pan", "Reset axes", "Keep as a picture (SVG)", "Full screen"]
    before = chart.bounding_box()
    chart.locator(".modebar-btn[data-title='Full screen']").click()
    page.wait_for_function("() => document.querySelector('.js-plotly-plot')._fullLayout.width === innerWidth")
    page.evaluate("() => document.exitFullscreen()")
    page.wait_for_function("() => document.querySelector('.js-plotly-plot')._fullLayout.width < innerWidth")
    assert chart.bounding_box() == before


def test_lines_between_cells(visit: Visit) -> None:
    """Cells stand apart by a line in the colour of the page, and the framed cell keeps its frame."""
    page = visit("all-heads?query=2&key=2")
    ground = [*bytes.fromhex(PALETTES["light"]["background"].removeprefix("#")), 255]
    assert [page.evaluate(WRITTEN, place) for place in ([5, 4.5], [6.5, 3])] == [ground, ground]
    assert [page.evaluate(WRITTEN, place) for place in ([2, 2.5], [1.5, 2], [5.3, 4.3])] == [[0] * 4] * 3
    gaps = page.evaluate("() => document.querySelector('.js-plotly-plot').data.map(({xgap}) => xgap)")
    assert set(gaps) == {0}, "plotly.js draws the lines itself, as large pictures"


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 8])
def test_a_chart_can_go_while_it_is_drawn(visit: Visit, steps: int) -> None:
    """plotly.js takes several steps to draw; a chart that leaves the page between two of them fails in none."""
    page = visit("all-heads")
    charts = page.locator(".js-plotly-plot")
    before = charts.count()
    page.evaluate(LEAVE, steps)
    expect(charts).to_have_count(before - 1)


def test_switched_off_heads_stay_in_the_address(visit: Visit) -> None:
    """Switching heads off and turning the bases is in the address; a reload shows the same."""
    page = visit("head-worth")
    switches = page.get_by_test_id("stButtonGroup").filter(has_text="Heads that are switched off")
    switches.get_by_role("button", name="1", exact=True).click()
    expect_address(page, "off=1")
    settled(page)
    switches.get_by_role("button", name="3", exact=True).click()
    expect_address(page, "off=1.3")
    page.get_by_role("button", name="Turn the bases").click()
    expect_address(page, "basis=1")
    settled(page).reload()
    settled(page)
    assert parameters(page) == {"off": "1.3", "basis": "1"}
    expect(page.get_by_text("Without heads 1 and 3 the output moves by")).to_be_visible()
    expect(page.get_by_text("Unchanged but for rounding")).to_be_visible()
