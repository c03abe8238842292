"""Every page in a real browser: its theme, its width, its main matrices in sight, nothing that a
screen reader or the keyboard cannot reach.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from attention_ui.registry import PAGES
from attention_ui.registry import Page as Entry
from attention_viz.theme import PALETTES
from tests.browser.driving import one_by_one, resized, rgb, settled
from tests.browser.test_larger_type import SIDEWAYS

pytestmark = pytest.mark.browser
SCREENSHOTS = Path(__file__).resolve().parents[2] / "build" / "screenshots"
WINDOW = (1440, 1000)
LAPTOPS = [(1366, 768), (1280, 720)]
WALKS = [PAGES[start::4] for start in range(4)]
# How many matrices the first board of each page shows, and of them whole in the window of a laptop.
MATRICES = {
    "encoder-decoder": 6,
    "mask-workshop": 6,
    "invariances": 3,
    "break-it": 3,
    "self-attention-mass": 1,
    "propositions": 1,
    "one-head": 2,
    "change-a-word": 3,
    "compare": 3,
    "convolution": 4,
    "lexicon": 4,
}
FIRST_BOARD = """board => [...board.querySelectorAll('[data-matrix]')].map(element => {
  const {top, left, right, bottom} = element.getBoundingClientRect();
  const seen = top >= 0 && left >= 0 && right <= innerWidth && bottom <= innerHeight;
  return [element.dataset.matrix, element.dataset.role, seen];
})"""
LEVELS = "parts => parts.map(part => Number(part.tagName[1]))"
UNROLLED = """[data-testid=stApp], [data-testid=stAppViewContainer], [data-testid=stMain] {
  position: static !important; overflow: visible !important; height: auto !important; }"""
# Streamlit's own: pale labels of what is switched off, which is allowed, and the colours of code.
OUTSIDE = {
    "exclude": [["[data-testid^=st]:has(> label):has(input:disabled)"], ["[data-testid=stCode]"]]
}
# The rules that colours alone decide.
COLOURS = ["color-contrast", "link-in-text-block"]
AXE = Axe()
# What axe-core also reports on a bare Streamlit page with the same kinds of widgets: lists in its
# navigation and menus.
STREAMLIT = {"list", "listitem", "aria-allowed-attr", "nested-interactive"}


def violations(page: Page, colours: bool = False) -> list[tuple[str, str]]:
    """What axe-core finds serious on a page, or in its colours alone, but for what Streamlit
    brings along.
    """
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if colours:
        options["runOnly"] = COLOURS
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.axe_script)
    found = page.evaluate("([outside, options]) => axe.run(outside, options)", [OUTSIDE, options])
    return [
        (violation["id"], node["html"][:200])
        for violation in found["violations"]
        if violation["impact"] in ("serious", "critical") and violation["id"] not in STREAMLIT
        for node in violation["nodes"]
    ]


def picture(page: Page, name: str) -> None:
    """Keep the whole page as a picture; without its scrollbar, so that the window keeps its
    size.
    """
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    style = page.add_style_tag(content=UNROLLED)
    page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=True)
    style.evaluate("(element) => element.remove()")


def faults_of_colours(page: Page, scheme: str) -> list[Any]:
    """What is wrong with the theme that follows the system's scheme."""
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    palette = PALETTES[scheme]
    expect(page.get_by_test_id("stApp")).to_have_css("background-color", rgb(palette["background"]))
    expect(page.locator("h1")).to_have_css("color", rgb(palette["text"]))
    return violations(settled(page), colours=scheme == "dark")


def faults_of_headings(page: Page) -> list[int]:
    """The levels of the headings, unless they are in order below one first."""
    levels: list[int] = (
        page.get_by_test_id("stMain").locator("h1, h2, h3, h4, h5, h6").evaluate_all(LEVELS)
    )
    skips = [one for one, two in pairwise(levels) if two > one + 1]
    return levels if levels[:1] != [1] or levels.count(1) != 1 or skips else []


def out_of_sight(page: Page, name: str) -> list[Any]:
    """The matrices of the first board, unless all are in the window of a laptop."""
    if name not in MATRICES:
        return []
    found = []
    for window in LAPTOPS:
        shown = resized(page, *window).locator("section.board").first.evaluate(FIRST_BOARD)
        # without a result the first board is another
        if not (
            len(shown) == MATRICES[name]
            and all(seen for *_, seen in shown)
            and "result" in [role for _, role, _ in shown]
        ):
            found.append((window, shown))
    return found


def faults_on_a_phone(page: Page) -> list[str]:
    """What does not fit a phone."""
    resized(page, 390, 844)
    expect(page.get_by_test_id("stSidebar")).to_have_attribute("data-collapsed", "true")
    return ["scrolls sideways"] if page.evaluate(SIDEWAYS) > 0 else []


@pytest.mark.parametrize("entries", WALKS, ids=range(len(WALKS)))
def test_a_walk_through_the_pages(
    page: Page, app_url: str, entries: list[Entry], request: pytest.FixtureRequest
) -> None:
    """Each page in the light; every fourth in the dark, too, and every second on a phone."""
    every, pictures = (request.config.getoption(one) for one in ("every_situation", "screenshots"))
    errors = page.locator("[data-testid=stException], [data-testid=stAlertContentError]")
    found: dict[tuple[str, str], Any] = {}
    urls = [f"{app_url}/{entry.url_path}?query=4&key=1" for entry in entries]
    for place, at in enumerate(one_by_one(page, urls)):
        name = entries[place].url_path
        expect(errors).to_have_count(0)
        looks: dict[str, Any] = {
            "sideways": at.evaluate(SIDEWAYS) > 0,
            "light": faults_of_colours(at, "light"),
            "headings": faults_of_headings(at),
        }
        if pictures:
            picture(at, f"{name}-light")
        if every or place % 4 == 0:
            looks["dark"] = faults_of_colours(at, "dark")
            if pictures:
                picture(at, f"{name}-dark")
            at.emulate_media(color_scheme="light")
        looks["out of sight"] = out_of_sight(at, name)
        if every or place % 2:
            looks["phone"] = faults_on_a_phone(at)
            if pictures:
                picture(at, f"{name}-phone")
        resized(at, *WINDOW)
        found |= {(name, look): faults for look, faults in looks.items() if faults}
    assert found == {}
