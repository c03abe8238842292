"""Every page in a real browser: its theme, its width, nothing that a screen reader or the
keyboard cannot reach.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from attention_ui.registry import PAGES, story_steps
from attention_ui.registry import Page as Entry
from attention_viz.theme import PALETTES
from tests.browser.driving import one_by_one, rgb
from tests.browser.test_larger_type import SIDEWAYS

pytestmark = pytest.mark.browser
SCREENSHOTS = Path(__file__).resolve().parents[2] / "build" / "screenshots"
# Every second page of the story and every fourth of the others are also opened in the dark theme
# and on a phone.
FEWER = (*story_steps()[::2], *PAGES[len(story_steps()) :: 4])
# name -> width and height of the window, colour scheme
LOOKS = {"light": (1440, 1000, "light"), "dark": (1440, 1000, "dark"), "phone": (390, 844, "light")}
SECTIONS = {name: list(pages) for name, pages in groupby(PAGES, key=lambda page: page.section)}
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


@pytest.mark.parametrize(
    ("look", "pages"),
    [*(("light", pages) for pages in SECTIONS.values()), ("dark", FEWER), ("phone", FEWER)],
    ids=[*SECTIONS, "dark", "phone"],
)
def test_every_page_in_every_look(
    page: Page, app_url: str, look: str, pages: Sequence[Entry], request: pytest.FixtureRequest
) -> None:
    width, height, scheme = LOOKS[look]
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": height})
    palette = PALETTES["dark" if scheme == "dark" else "light"]
    errors = page.locator("[data-testid=stException], [data-testid=stAlertContentError]")
    found = {}
    urls = [f"{app_url}/{entry.url_path}?query=4&key=1" for entry in pages]
    for entry, _ in zip(pages, one_by_one(page, urls), strict=True):
        expect(errors).to_have_count(0)
        expect(page.get_by_test_id("stApp")).to_have_css(
            "background-color", rgb(palette["background"])
        )
        expect(page.locator("h1")).to_have_css("color", rgb(palette["text"]))
        assert page.evaluate(SIDEWAYS) <= 0, f"{entry.url_path} scrolls sideways"
        if look == "phone":
            expect(page.get_by_test_id("stSidebar")).to_have_attribute("data-collapsed", "true")
        else:
            found[entry.url_path] = violations(page, colours=scheme == "dark")
        if request.config.getoption("screenshots"):
            picture(page, f"{entry.url_path}-{look}")
    assert {name: faults for name, faults in found.items() if faults} == {}
