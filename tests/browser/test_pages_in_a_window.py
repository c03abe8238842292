"""What a page shows on arrival: its main matrices whole, at its top, its parts in order."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from attention_ui.registry import PAGES as ALL
from attention_ui.registry import page_of
from tests.browser.driving import IDLE, expect_title, one_by_one, settled

pytestmark = pytest.mark.browser

WINDOWS = [(1366, 768), (1280, 720)]
# How many matrices the first board of each page shows.
PAGES = {
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
FIRST_BOARD = """() => {
  const all = (root, selector) => [...root.querySelectorAll('*')].flatMap(element => [
    ...(element.matches(selector) ? [element] : []),
    ...(element.shadowRoot ? all(element.shadowRoot, selector) : []),
  ]);
  const [board] = all(document, 'section.board');
  const area = element => {
    const {top, left, right, bottom} = element.getBoundingClientRect();
    return {name: element.dataset.matrix, role: element.dataset.role, top, left, right, bottom};
  };
  return {
    matrices: [...board.querySelectorAll('[data-matrix]')].map(area),
    scrolled: document.querySelector('[data-testid=stMain]').scrollTop,
  };
}"""

SCRIPT_HAS_ENDED = """() => document.querySelector('h1')
  && document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'"""
WATCH_SHIFTS = """() => {
  const sum = entries => entries.reduce((total, entry) => total + entry.value, 0);
  let shifted = 0;
  const observer = new PerformanceObserver(list => { shifted += sum(list.getEntries()); });
  observer.observe({type: 'layout-shift'});
  window.shifts = () => shifted + sum(observer.takeRecords());
}"""
LEVELS = """main => {
  const all = root => [...root.querySelectorAll('*')].flatMap(element => [
    ...(/^H[1-6]$/.test(element.tagName) ? [Number(element.tagName[1])] : []),
    ...(element.shadowRoot ? all(element.shadowRoot) : []),
  ]);
  return all(main);
}"""


def out_of_sight(page: Page, window: tuple[int, int], n_matrices: int) -> list[Any]:
    """What of the first board is not in the window; all of it where it has too few matrices."""
    page.set_viewport_size({"width": window[0], "height": window[1]})
    page.evaluate(IDLE)
    page.evaluate(IDLE)
    shown = page.evaluate(FIRST_BOARD)
    matrices = shown["matrices"]
    if shown["scrolled"] or len(matrices) != n_matrices:
        return [shown]
    if not any(matrix["role"] == "result" for matrix in matrices):
        return matrices
    return [
        matrix
        for matrix in matrices
        if matrix["top"] < 0
        or matrix["left"] < 0
        or matrix["right"] > window[0]
        or matrix["bottom"] > window[1]
    ]


@pytest.mark.parametrize("path", PAGES)
def test_the_main_matrices_are_in_sight(page: Page, app_url: str, path: str) -> None:
    found = {}
    page.set_viewport_size({"width": WINDOWS[0][0], "height": WINDOWS[0][1]})
    page.goto(f"{app_url}/{path}")
    settled(page)
    for window in WINDOWS:
        if missing := out_of_sight(page, window, PAGES[path]):
            found[window] = missing
    assert found == {}


@pytest.mark.parametrize("notation", ["ours", "columns"])
def test_the_titles_of_one_matrix_or_many_are_whole(
    page: Page, app_url: str, notation: str
) -> None:
    page.set_viewport_size({"width": WINDOWS[1][0], "height": WINDOWS[1][1]})
    page.goto(f"{app_url}/one-matrix-or-many?notation={notation}")
    settled(page)
    board = page.locator("section.board").first
    cut = "parts => parts.map(part => part.scrollWidth - part.clientWidth)"
    found = board.locator(".title").evaluate_all(cut)
    assert len(found) == 6
    assert max(found) <= 0


@pytest.mark.parametrize("window", WINDOWS)
def test_training_and_its_curve_share_a_window(
    page: Page, app_url: str, window: tuple[int, int]
) -> None:
    page.set_viewport_size({"width": window[0], "height": window[1]})
    page.goto(f"{app_url}/training?train_steps=50&train_seed={window[0]}")
    settled(page)
    button = page.locator(".st-key-train-go button")
    for _ in range(2):
        for part in (button, page.locator(".js-plotly-plot").first):
            box = part.bounding_box()
            assert box is not None
            assert 0 < box["y"] < window[1] - box["height"]
        button.click()
        expect(button).to_contain_text("Train again")
        settled(page)


@pytest.mark.parametrize(
    ("path", "panel", "across", "opened"),
    [
        ("overview", "probabilities", 0.3, "softmax"),
        ("trained-heads", "layer 2", 1 / 24, "one-head"),  # the middle of head 0
    ],
)
def test_a_clicked_picture_opens_its_page_at_the_top(
    page: Page, app_url: str, path: str, panel: str, across: float, opened: str
) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(f"{app_url}/{path}?head=0")
    settled(page)
    page.locator("[data-testid=stMain]").evaluate("main => main.scrollTo(0, 150)")
    box = page.locator(f'.board [data-matrix="{panel}"]').first.bounding_box()
    assert box
    page.mouse.click(box["x"] + across * box["width"], box["y"] + 0.8 * box["height"])
    expect_title(page, page_of(opened).title)
    settled(page)
    assert page.locator("[data-testid=stMain]").evaluate("main => main.scrollTop") == 0


def test_a_picture_that_arrives_moves_nothing(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 1366, "height": 768})
    held: list[Route] = []
    page.route("**/component.js*", lambda route: held.append(route))
    found = {}
    for path in PAGES:
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


def test_what_cannot_be_computed_is_said_in_the_first_window(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    for path in (
        "self-attention-mass?lab_tokens=numbers&lab_numbers=banana",
        "propositions?lab_tokens=numbers&lab_numbers=banana",
        "change-a-word?text=",
    ):
        page.goto(f"{app_url}/{path}")
        message = settled(page).get_by_test_id("stAlertContentError").bounding_box()
        assert message
        assert message["y"] + message["height"] < 720, path


def test_headings_are_in_order(page: Page, app_url: str) -> None:
    found = {}
    for at in one_by_one(page, [f"{app_url}/{one.url_path}?head=0" for one in ALL]):
        levels = at.locator("[data-testid=stMain]").evaluate(LEVELS)
        skips = [(one, two) for one, two in pairwise(levels) if two > one + 1]
        if levels[:1] != [1] or levels.count(1) != 1 or skips:
            found[at.url.split("/")[-1].split("?")[0]] = levels
    assert found == {}
