"""How the tests act on the app: wait until it is drawn, find a cell, read the address as a scenario."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import Any
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Locator, Page, expect

from attention_core.scenario import Scenario
from attention_ui.controls import CONTROLS

DRAWN = """() => {
  const app = document.querySelector('[data-testid=stApp]');
  const charts = [...document.querySelectorAll('[data-testid=stPlotlyChart]')];
  return app?.dataset.testScriptState === 'notRunning'
    && document.querySelector('h1') !== null
    && !document.querySelector('[data-testid=stSkeleton], [data-testid=stAppSkeleton], [data-stale=true]')
    && charts.every(chart => chart.querySelector('.js-plotly-plot .main-svg') !== null);
}"""

CELL = """([chart, x, y]) => {
  const plot = document.querySelectorAll('.js-plotly-plot')[chart];
  plot.scrollIntoView({block: 'center'});
  const {xaxis, yaxis} = plot._fullLayout, box = plot.getBoundingClientRect();
  return [box.x + xaxis._offset + xaxis.l2p(x), box.y + yaxis._offset + yaxis.l2p(y)];
}"""


NUMBERS = """chart => {
  const {z} = document.querySelectorAll('.js-plotly-plot')[chart]._fullData[0];
  return [...z].flatMap(row => [...row]);
}"""


def settled(page: Page) -> Page:
    """Wait until the script has run and every chart is drawn."""
    page.wait_for_function(DRAWN)
    return page


def path_of(page: Page) -> str:
    """The page of the app that the address names."""
    return urlsplit(page.url).path.strip("/")


def parameters(page: Page) -> dict[str, str]:
    """What stands behind the question mark of the address."""
    return {name: values[-1] for name, values in parse_qs(urlsplit(page.url).query).items()}


def scenario_in(page: Page) -> Scenario:
    """The scenario that the address describes, read without the app's own code for it."""
    defaults: dict[str, Any] = asdict(Scenario())
    found: dict[str, Any] = {}
    for control in CONTROLS:
        text = parameters(page).get(control.name)
        if text is None:
            continue
        kind = type(defaults[control.name])
        if kind is bool:
            found[control.name] = text.lower() == "true"
        else:
            found[control.name] = 0 if text == control.zero else kind(text)
    return Scenario(**found)


def expect_address(page: Page, *parts: str) -> None:
    """Wait until the address holds each part; one that starts with "!" is not to be in it."""
    for part in parts:
        pattern = re.compile(re.escape(part.removeprefix("!")))
        expect(page).not_to_have_url(pattern) if part.startswith("!") else expect(page).to_have_url(pattern)


def slider(page: Page, label: str) -> Locator:
    """The handle of a slider, which the arrow keys move."""
    return page.get_by_role("group", name=label, exact=True).locator("input[type=range]")


def numbers_drawn(page: Page, chart: int) -> list[float]:
    """What the first heatmap of a chart shows."""
    numbers: list[float] = page.evaluate(NUMBERS, chart)
    return numbers


def click_cell(page: Page, chart: int, x: float, y: float) -> None:
    """Click the middle of a cell; x and y count cells of the whole picture from the top left."""
    left, top = page.evaluate(CELL, [chart, x, y])
    page.mouse.move(left, top)
    page.mouse.click(left, top)
