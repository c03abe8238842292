"""The link to what is shown can be taken from the corner of the window, with and without a
clipboard.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser
BUTTON = "#attention-corner button.link"
FIELD = "#attention-corner .by-hand input"
COPIED = """() => { window.taken = [];
  const clipboard = { writeText: async (text) => { window.taken.push(text); } };
  Object.defineProperty(navigator, "clipboard", { value: clipboard, configurable: true }); }"""
NO_CLIPBOARD = """() => {
  Object.defineProperty(navigator, "clipboard", { value: undefined, configurable: true }); }"""


def test_the_link_is_copied(visit: Callable[[str], Page]) -> None:
    page = visit("softmax?head=1&mask=causal")
    page.evaluate(COPIED)
    page.locator(BUTTON).focus()
    page.keyboard.press("Shift+Tab")
    expect(page.locator(BUTTON)).not_to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator(BUTTON)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#attention-corner .said")).to_have_text("Copied")
    assert page.evaluate("window.taken") == [page.url]
    assert {"head=1", "mask=causal"} <= set(page.url.split("?")[1].split("&"))
    expect(page.locator("#attention-corner .said")).to_be_empty()


def test_without_a_clipboard_the_old_command_copies(visit: Callable[[str], Page]) -> None:
    page = visit("scores")
    page.evaluate(NO_CLIPBOARD)
    page.evaluate(
        "document.addEventListener('copy', () => { window.taken = String(getSelection()) ||"
        " document.activeElement.value; })"
    )
    page.locator(BUTTON).click()
    expect(page.locator("#attention-corner .said")).to_have_text("Copied")
    assert page.evaluate("window.taken") == page.url
    expect(page.locator(FIELD)).to_be_hidden()


def test_without_any_leave_the_link_can_be_selected(visit: Callable[[str], Page]) -> None:
    page = visit("scores?head=1")
    page.evaluate(NO_CLIPBOARD)
    page.evaluate("document.execCommand = () => false")
    page.locator(BUTTON).press("Enter")
    field = page.locator(FIELD)
    expect(field).to_be_focused()
    expect(field).to_have_value(page.url)
    chosen = field.evaluate("field => field.value.slice(field.selectionStart, field.selectionEnd)")
    assert chosen == page.url
    page.keyboard.press("Escape")
    expect(field).to_be_hidden()
    expect(page.locator(BUTTON)).to_be_focused()


def test_the_button_covers_nothing(visit: Callable[[str], Page]) -> None:
    page = visit("scores")
    for width, height in ((1366, 768), (1180, 720), (700, 800), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(300)
        corner = page.locator(BUTTON).bounding_box()
        assert corner is not None
        assert corner["x"] + corner["width"] <= width
        links = page.locator("[data-testid=stHeader] :is(a, button, [role=button])")
        boxes = [box for box in (link.bounding_box() for link in links.all()) if box]
        assert boxes
        assert all(box["x"] + box["width"] <= corner["x"] + 1 for box in boxes)
    expect(page.locator(BUTTON)).to_be_visible()
    page = visit("scores?present=true")
    expect(page.locator(BUTTON)).to_be_hidden()
