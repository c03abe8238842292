"""The numbers that are written on a canvas over the cells of Plotly pictures."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from attention_lab.heads.head_portraits import MEASURES
from attention_lab.heads.patterns import pattern_of
from attention_lab.scenario import Scenario, trace_of
from attention_viz.heads.head_portraits import strip
from attention_viz.theme import PALETTES
from tests.browser.charting import FIRST, HEATMAPS, grid, zoom
from tests.browser.driving import settled
from tests.test_configuration import contrast

pytestmark = pytest.mark.browser
Visit = Callable[[str], Page]
Letters = Callable[[], list[tuple[str, str, str]]]
# Keeps what is written on a canvas since it was last wiped, in cells and elsewhere: size, ink,
# text.
LISTEN = r"""(() => {
  const paper = CanvasRenderingContext2D.prototype;
  const {clearRect, fillText} = paper;
  paper.clearRect = function (...at) {
    Object.assign(this.canvas, {letters: [], around: []});
    clearRect.apply(this, at);
  };
  paper.fillText = function (...what) {
    const list = this.textAlign === "center" ? this.canvas.letters : this.canvas.around;
    if (what[0]) list?.push([this.font.match(/\S+px/)[0], this.fillStyle, what[0]]);
    fillText.apply(this, what);
  };
})()"""
LETTERS = f"() => {FIRST}.querySelector('.cell-texts').letters"
AROUND = LETTERS.replace(".letters", ".around")
VIEW = """() => {
  const {_fullLayout: {xaxis, yaxis}} = FIRST;
  return [yaxis.range, xaxis.range];
}""".replace("FIRST", FIRST)
# The numbers of the cells whose middle is in view, tile by tile.
NUMBERS_IN_VIEW = """() => {
  const plot = FIRST;
  const {xaxis, yaxis} = plot._fullLayout;
  const inside = (axis, i) => axis.l2p(i) > 0 && axis.l2p(i) < axis._length;
  return plot.calcdata.flatMap(([{z}]) => [...z].flatMap(
    (row, i) => inside(yaxis, i) ? [...row].filter((_, j) => inside(xaxis, j)) : []));
}""".replace("FIRST", FIRST)
SCALE = """() => {
  const {_fullLayout: {coloraxis}} = FIRST;
  return [coloraxis.cmin, coloraxis.cmax, coloraxis.colorscale];
}""".replace("FIRST", FIRST)


@pytest.fixture
def letters(page: Page) -> Iterator[Letters]:
    """Gives the numbers in the cells of a page's first chart: size, ink and text of each."""
    session = page.context.new_cdp_session(page)
    session.send("Page.enable")
    kept = session.send("Page.addScriptToEvaluateOnNewDocument", {"source": LISTEN})
    # Columns are named by whole numbers.
    yield lambda: [one for one in page.evaluate(LETTERS) if "." in one[2]]
    session.send("Page.removeScriptToEvaluateOnNewDocument", kept)
    session.detach()


@pytest.mark.parametrize("width", [1440, 800])
def test_numbers_of_a_picture_have_one_size_and_can_be_read(
    letters: Letters, visit: Visit, width: int
) -> None:
    """The numbers in the cells of all tiles are as large as each other, and stand out from
    their cell's colour.
    """
    page = visit(HEATMAPS)
    page.set_viewport_size({"width": width, "height": 1000})
    grid(page)
    page.wait_for_function(f"() => ({LETTERS})().length > 0")
    shown = letters()
    assert len(shown) == 3 * 12 * 8
    assert len({size for size, _, _ in shown}) == 1
    least, most, scale = page.evaluate(SCALE)
    for _, ink, text in shown:
        share = (float(text.replace("−", "-")) - least) / (most - least)
        assert contrast(hexadecimal(ink), between(scale, share)) > 4.4, (ink, text)


def test_a_closer_look_shows_the_numbers(letters: Letters, visit: Visit) -> None:
    """Cells too narrow for numbers get them when one zooms in, those that are in view and no
    others.
    """
    page = visit("head-worth?off=1&d_model=40")
    chart = grid(page)
    assert letters() == []
    zoom(page, chart)
    page.wait_for_function(f"() => ({LETTERS})().length > 0")
    shown = [float(text.replace("−", "-")) for _, _, text in letters()]
    rows, columns = (round(abs(high - low)) for low, high in page.evaluate(VIEW))
    assert len(shown) == 3 * rows * columns < 3 * 12 * 40
    assert shown == pytest.approx(page.evaluate(NUMBERS_IN_VIEW), abs=0.0501)


def test_titles_names_and_scale(letters: Letters, visit: Visit) -> None:
    """Around the heads stand their titles, the tokens and a scale with round numbers, in the
    colour of text.
    """
    page = visit(HEATMAPS)
    grid(page)
    page.wait_for_function(f"() => ({LETTERS})().length > 0")
    around = page.evaluate(AROUND)
    tokens = [f"{place} {token}" for place, token in enumerate(trace_of(Scenario()).tokens)]
    titles, scale = ["all heads", "with heads off", "what is missing"], ["−1", "−0.5", "0", "0.5"]
    assert [text for _, _, text in around] == [*titles, *tokens, *scale, "1"]
    assert {ink for _, ink, _ in around} == {PALETTES["light"]["text"]}
    assert 1 < page.evaluate(SCALE)[1] < 2


def test_the_numbers_beside_the_bars(letters: Letters, visit: Visit) -> None:
    """Beside the bars of the portraits stand their numbers, above them the names, all in the
    colour of text.
    """
    page = visit("head-portraits")
    chart = settled(page).locator(".chart").first
    expect(chart.locator(".barlayer path").first).to_be_attached()
    figure = strip(MEASURES, pattern_of(trace_of(Scenario())), (MEASURES[0].name, 0))
    texts = [
        text for trace in figure["data"] if trace.get("mode") == "text" for text in trace["text"]
    ]
    written = page.evaluate(AROUND.replace(FIRST, "document.querySelector('.chart')"))
    assert [text for _, _, text in written] == [re.sub("</?b>", "", text) for text in texts]
    assert len(texts) == 5 * len(MEASURES)
    assert {ink for _, ink, _ in written} == {PALETTES["light"]["text"]}
    sizes = [size for size, _, _ in written]
    assert sizes == ["12px"] * (len(texts) - len(MEASURES)) + ["11px"] * len(MEASURES), (
        "numbers, then names"
    )


def test_a_kept_picture_has_its_numbers(letters: Letters, visit: Visit) -> None:
    """The file of a chart says what the screen says: every number of every head, their names
    and their scale.
    """
    page = visit(HEATMAPS)
    chart = grid(page)
    page.wait_for_function(f"() => ({LETTERS})().length > 0")
    chart.hover()
    with page.expect_download() as kept:
        chart.locator(".modebar-btn[data-title$='(SVG)']").click()
    assert kept.value.suggested_filename == "attention-lab.svg"
    file = kept.value.path().read_text()
    assert all(
        f">{text}</" in file for text in ("all heads", "with heads off", "what is missing", "0.5")
    )
    written = re.findall(r"<text[^>]*>([−-]?\d+\.\d+)</text>", file)
    shown = [text for _, _, text in letters()]
    kept_ones = [text.replace("-", "−") for text in written][: len(shown)]
    assert sorted(in_heads(kept_ones)) == sorted(in_heads(shown))


def in_heads(texts: list[str]) -> list[list[str]]:
    """The numbers of each of three tiles; plotly.js writes its file column by column."""
    return [
        texts[start : start + len(texts) // 3] for start in range(0, len(texts), len(texts) // 3)
    ]


def hexadecimal(css: str) -> str:
    """A colour "rgb(r, g, b)" as "#rrggbb"."""
    return (
        css
        if css.startswith("#")
        else "#{:02x}{:02x}{:02x}".format(*map(int, re.findall(r"\d+", css)[:3]))
    )


def between(scale: list[tuple[float, str]], share: float) -> str:
    """The colour at a place of a scale, from 0 to 1."""
    stops = [at for at, _ in scale]
    parts = [[int(colour[i : i + 2], 16) for _, colour in scale] for i in (1, 3, 5)]
    return "#{:02x}{:02x}{:02x}".format(*(round(np.interp(share, stops, part)) for part in parts))
