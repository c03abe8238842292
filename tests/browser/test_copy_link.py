"""The link to what is shown can be taken from the corner of the window."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driving import go_on, resized

pytestmark = pytest.mark.browser
BUTTON = "#attention-corner button.link"
COPIED = """() => { window.taken = [];
  const clipboard = { writeText: async (text) => { window.taken.push(text); } };
  Object.defineProperty(navigator, "clipboard", { value: clipboard, configurable: true }); }"""


def test_the_link_is_copied_by_keys_from_a_button_that_covers_nothing(
    visit: Callable[[str], Page],
) -> None:
    page = visit("softmax?head=1&mask=causal")
    page.evaluate(COPIED)
    button = page.locator(BUTTON)
    button.focus()
    page.keyboard.press("Shift+Tab")
    expect(button).not_to_be_focused()
    page.keyboard.press("Tab")
    expect(button).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#attention-corner .said")).to_have_text("Copied")
    assert page.evaluate("window.taken") == [page.url]
    assert {"head=1", "mask=causal"} <= set(page.url.split("?")[1].split("&"))
    expect(page.locator("#attention-corner .said")).to_be_empty()
    found = {}
    for window in ((1366, 768), (1180, 720), (700, 800), (390, 844)):
        resized(page, *window).wait_for_timeout(300)
        corner = button.bounding_box()
        links = page.locator("[data-testid=stHeader] :is(a, button, [role=button])")
        boxes = [box for box in (link.bounding_box() for link in links.all()) if box]
        assert corner
        assert boxes
        ends = max(box["x"] + box["width"] for box in boxes)
        if corner["x"] + corner["width"] > window[0] or ends > corner["x"] + 1:
            found[window] = (ends, corner)
    assert found == {}
    expect(button).to_be_visible()
    go_on(page, "scores?present=true")
    expect(button).to_be_hidden()
