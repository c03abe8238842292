"""Every page in a real browser: its theme, its width, its main matrices in sight, nothing that a
screen reader or the keyboard cannot reach; what arrives or is clicked stands at the top.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, Route, expect

from attention_lab.page_list import PAGES, page_of
from attention_viz.theme import PALETTES
from tests.browser.driving import BOARD, box_of, expect_title, one_by_one, opened, rgb, settled

# The width and height of a window, and the scheme of the system.
WALKS = {"laptop": (1280, 720, "light"), "dark": (1440, 1000, "dark"), "phone": (390, 844, "light")}
FIRST, *OTHERS = WALKS
# How many matrices the first board of each page shows, and of them whole in the window of a laptop.
MATRICES = {
    "encoder-decoder": 6,
    "mask-workshop": 6,
    "what-changes": 3,
    "self-attention-mass": 1,
    "propositions": 1,
    "change-a-word": 3,
    "convolution": 4,
}
SIDEWAYS = """() => Math.max(...[document.documentElement,
  document.querySelector('[data-testid=stMain]')]
  .map(part => part.scrollWidth - part.clientWidth))"""
FIRST_BOARD = """board => [...board.querySelectorAll('[data-matrix]')].map(element => {
  const {top, left, right, bottom} = element.getBoundingClientRect();
  const seen = top >= 0 && left >= 0 && right <= innerWidth && bottom <= innerHeight;
  return [element.dataset.matrix, element.dataset.role, seen];
})"""
LEVELS = "parts => parts.map(part => Number(part.tagName[1]))"
# Streamlit's own: pale labels of what is switched off, which is allowed, and the colours of code.
OUTSIDE = {
    "exclude": [["[data-testid^=st]:has(> label):has(input:disabled)"], ["[data-testid=stCode]"]]
}
AXE = Axe()
# What axe-core also reports on a bare Streamlit page with the same kinds of widgets: lists in its
# navigation and menus.
STREAMLIT = {"list", "listitem", "aria-allowed-attr", "nested-interactive"}
SCRIPT_HAS_ENDED = """() => document.querySelector('h1')
  && document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'"""
WATCH_SHIFTS = """() => {
  const sum = entries => entries.reduce((total, entry) => total + entry.value, 0);
  let shifted = 0;
  const observer = new PerformanceObserver(list => { shifted += sum(list.getEntries()); });
  observer.observe({type: 'layout-shift'});
  window.shifts = () => shifted + sum(observer.takeRecords());
}"""


def violations(page: Page) -> list[tuple[str, str]]:
    """What axe-core finds serious on a page, but for what Streamlit brings along."""
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.axe_script)
    found = page.evaluate("([outside, options]) => axe.run(outside, options)", [OUTSIDE, options])
    return [
        (violation["id"], node["html"][:200])
        for violation in found["violations"]
        if violation["impact"] in ("serious", "critical") and violation["id"] not in STREAMLIT
        for node in violation["nodes"]
    ]


def faults_of_headings(page: Page) -> list[int]:
    """The levels of the headings, unless they are in order below one first."""
    levels: list[int] = (
        page.get_by_test_id("stMain").locator("h1, h2, h3, h4, h5, h6").evaluate_all(LEVELS)
    )
    skips = [one for one, two in pairwise(levels) if two > one + 1]
    return levels if levels[:1] != [1] or levels.count(1) != 1 or skips else []


def out_of_sight(page: Page, name: str) -> list[Any]:
    """The matrices of the first board, unless all are in the window."""
    if name not in MATRICES:
        return []
    shown: list[Any] = page.locator(BOARD).first.evaluate(FIRST_BOARD)
    # without a result the first board is another
    is_whole = len(shown) == MATRICES[name] and all(seen for *_, seen in shown)
    return [] if is_whole and "result" in [role for _, role, _ in shown] else shown


@pytest.mark.parametrize(
    "name",
    [FIRST, *(pytest.param(name, marks=pytest.mark.every_situation) for name in OTHERS)],
)
def test_a_walk_through_the_pages(
    page: Page, app_url: str, name: str, request: pytest.FixtureRequest
) -> None:
    """Each page in each window; in the gate on the laptop those whose matrices are looked for, and
    of the others a twelfth. Every second in a window for keys is asked for faults for readers.
    """
    every = request.config.getoption("every_situation")
    width, height, scheme = WALKS[name]
    ground, ink = (rgb(PALETTES[scheme][role]) for role in ("background", "text"))
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.set_viewport_size({"width": width, "height": height})
    errors = page.locator("[data-testid=stException], [data-testid=stAlertContentError]")
    others = [entry for entry in PAGES if entry.url_path not in MATRICES]
    own = [entry for entry in PAGES if entry.url_path in MATRICES]
    entries = PAGES if every else [*own, *others[::12]]
    urls = [f"{app_url}/{entry.url_path}?query=4&key=1" for entry in entries]
    found: dict[str, dict[str, Any]] = {}
    for place, at in enumerate(one_by_one(page, urls)):
        path = entries[place].url_path
        expect(errors).to_have_count(0)
        expect(at.get_by_test_id("stApp")).to_have_css("background-color", ground)
        expect(at.locator("h1")).to_have_css("color", ink)
        looks = {
            "sideways": at.evaluate(SIDEWAYS) > 0,
            "headings": faults_of_headings(at),
            "for readers": name != "phone" and (every or place % 2 == 0) and violations(at),
            "out of sight": name == "laptop" and out_of_sight(at, path),
        }
        if name == "phone":
            expect(at.get_by_test_id("stSidebar")).to_have_attribute("data-collapsed", "true")
        if faults := {look: fault for look, fault in looks.items() if fault}:
            found[path] = faults
    assert found == {}


@pytest.mark.every_situation
def test_a_clicked_picture_opens_its_page_at_the_top(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    main = page.get_by_test_id("stMain")
    for path, panel, across, there in (
        ("overview", "probabilities", 0.3, "softmax"),
        ("trained-heads", "layer 2", 1 / 24, "trained-heads"),  # the middle of head 0
    ):
        opened(page, f"{app_url}/{path}?head=0")
        main.evaluate("main => main.scrollTo(0, 150)")
        box = box_of(page.locator(f'.board [data-matrix="{panel}"]').first)
        page.mouse.click(box["x"] + across * box["width"], box["y"] + 0.8 * box["height"])
        expect_title(page, page_of(there).title)
        assert settled(page).get_by_test_id("stMain").evaluate("main => main.scrollTop") == 0


@pytest.mark.every_situation
def test_a_picture_that_arrives_moves_nothing(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 1366, "height": 768})
    held: list[Route] = []
    page.route("**/component.js*", lambda route: held.append(route))
    found = {}
    for path in MATRICES:
        with page.expect_request("**/component.js*"):
            page.goto(f"{app_url}/{path}")
        expect_title(page, page_of(path).title)
        page.wait_for_function(SCRIPT_HAS_ENDED)
        page.evaluate("() => document.fonts.ready")
        page.evaluate(WATCH_SHIFTS)
        while held:
            held.pop().continue_()
        settled(page)
        if (shifted := page.evaluate("() => window.shifts()")) > 0.02:
            found[path] = shifted
    assert found == {}
