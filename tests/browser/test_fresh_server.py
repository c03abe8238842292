"""A server that nobody has visited yet: no false message, and plotly.js that a browser keeps."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Response

from attention_ui.browser_files import PLOTLY_URL
from tests.browser.driving import expect_title, settled

pytestmark = pytest.mark.browser

# Counts how often the page changed with such a dialog in it, however soon something closes it.
WATCH = """
window.seen = {looks: 0, boxes: 0};
new MutationObserver(() => {
  window.seen.looks += 1;
  for (const dialog of document.querySelectorAll('[role=dialog]')) {
    if (dialog.textContent.includes('Page not found')) window.seen.boxes += 1;
  }
}).observe(document, {childList: true, subtree: true, characterData: true});
"""


# How many looks at the app came before its style sheet, and the opacities that it had then.
WATCH_STYLE = """
window.early = {looks: 0, opacities: []};
new MutationObserver(() => {
  const app = document.querySelector('[data-testid=stApp]');
  if (!app || document.getElementById('attention-lab-style')) return;
  window.early.looks += 1;
  const {opacity} = getComputedStyle(app);
  if (!window.early.opacities.includes(opacity)) window.early.opacities.push(opacity);
}).observe(document, {childList: true, subtree: true});
"""


def boxes(page: Page, app_url: str, path: str) -> int:
    """Open a page by its URL in a new visit; how often the box was seen until all is drawn."""
    page.goto(f"{app_url}/{path}")
    settled(page)
    assert page.evaluate("window.seen.looks") > 0
    return int(page.evaluate("window.seen.boxes"))


def test_no_visitor_is_told_that_a_page_was_not_found(page: Page, fresh_url: str) -> None:
    page.add_init_script(WATCH)
    assert [boxes(page, fresh_url, path) for path in ("scores", "output")] == [0, 0]
    expect_title(page, "Output")
    assert boxes(page, fresh_url, "no-such-page") > 0


def test_nothing_is_seen_without_its_style(page: Page, app_url: str) -> None:
    page.add_init_script(WATCH_STYLE)
    page.goto(f"{app_url}/scores")
    settled(page)
    early = page.evaluate("window.early")
    assert early["looks"] > 0
    assert early["opacities"] == ["0"]
    assert page.locator("[data-testid=stApp]").evaluate("app => getComputedStyle(app).opacity") == (
        "1"
    )


def test_a_browser_keeps_plotly_js(page: Page, app_url: str) -> None:
    """It comes from this server, and may be kept for good, because its URL names the version."""
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer))
    page.goto(f"{app_url}/head-worth")
    settled(page)
    found = {
        answer.url: answer.headers["cache-control"] for answer in answers if "plotly" in answer.url
    }
    assert list(found) == [f"{app_url}/{PLOTLY_URL}"]
    assert "immutable" in found[f"{app_url}/{PLOTLY_URL}"]
