"""What a page shows on arrival and after a click stands in the window, at its top."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Route, expect

from attention_ui.registry import page_of
from tests.browser.driving import box_of, expect_title, opened, resized, settled
from tests.browser.test_every_page import LAPTOPS, MATRICES

pytestmark = pytest.mark.browser

SCRIPT_HAS_ENDED = """() => document.querySelector('h1')
  && document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'"""
WATCH_SHIFTS = """() => {
  const sum = entries => entries.reduce((total, entry) => total + entry.value, 0);
  let shifted = 0;
  const observer = new PerformanceObserver(list => { shifted += sum(list.getEntries()); });
  observer.observe({type: 'layout-shift'});
  window.shifts = () => shifted + sum(observer.takeRecords());
}"""
CUT = "parts => parts.map(part => part.scrollWidth - part.clientWidth)"


def test_the_titles_of_one_matrix_or_many_are_whole(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    for notation in ("ours", "columns"):
        page.goto(f"{app_url}/one-matrix-or-many?notation={notation}")
        found = settled(page).locator("section.board").first.locator(".title").evaluate_all(CUT)
        assert len(found) == 6
        assert max(found) <= 0


def test_training_and_its_curve_share_a_window(page: Page, app_url: str) -> None:
    opened(page, f"{app_url}/training?train_steps=50&train_seed=77")
    button, curve = page.locator(".st-key-train-go button"), page.locator(".js-plotly-plot").first
    for _ in range(2):
        for window in LAPTOPS:
            resized(page, *window)
            for part in (button, curve):
                box = box_of(part)
                assert 0 < box["y"] < window[1] - box["height"]
        button.click()
        expect(button).to_contain_text("Train again")
        settled(page)


def test_a_clicked_picture_opens_its_page_at_the_top(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    main = page.get_by_test_id("stMain")
    for path, panel, across, there in (
        ("overview", "probabilities", 0.3, "softmax"),
        ("trained-heads", "layer 2", 1 / 24, "one-head"),  # the middle of head 0
    ):
        opened(page, f"{app_url}/{path}?head=0")
        main.evaluate("main => main.scrollTo(0, 150)")
        box = box_of(page.locator(f'.board [data-matrix="{panel}"]').first)
        page.mouse.click(box["x"] + across * box["width"], box["y"] + 0.8 * box["height"])
        expect_title(page, page_of(there).title)
        assert settled(page).get_by_test_id("stMain").evaluate("main => main.scrollTop") == 0


@pytest.mark.parametrize(
    "paths",
    [
        ["mask-workshop", "self-attention-mass", "lexicon"],
        pytest.param(list(MATRICES), marks=pytest.mark.every_situation),
    ],
    ids=["three", "all"],
)
def test_a_picture_that_arrives_moves_nothing(page: Page, app_url: str, paths: list[str]) -> None:
    page.set_viewport_size({"width": 1366, "height": 768})
    held: list[Route] = []
    page.route("**/component.js*", lambda route: held.append(route))
    found = {}
    for path in paths:
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
        message = box_of(settled(page).get_by_test_id("stAlertContentError"))
        assert message["y"] + message["height"] < 720, path
