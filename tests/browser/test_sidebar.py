"""The sidebar stands beside the picture or lies over it, and its controls keep their places."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from attention_viz.theme import PALETTES
from tests.browser.driving import expect_url, go_on, rgb, settled, slider

pytestmark = pytest.mark.browser
Visit = Callable[[str], Page]
FOLDED = "document.querySelector('[data-testid=stSidebar]').dataset.collapsed === 'true'"
WIDTH = "document.querySelector('[data-testid=stMain]').clientWidth"
# Where the named controls and groups begin in the sidebar.
PLACES = """names => {
  const side = document.querySelector('[data-testid=stSidebarContent]');
  const shown = [...side.querySelectorAll('summary, label')].filter(one => one.offsetHeight);
  return names.map(name => {
    const one = shown.find(one => one.innerText.trim().split('\\n').at(-1) === name);
    return one ? Math.round(one.getBoundingClientRect().top + side.scrollTop) : null;
  });
}"""
NAMES = ["Example", "Sentence", "Sequence length", "Embedding size", "Heads", "Weights", "View"]
# The contrast of the first caption of the sidebar with its ground.
CONTRAST = """() => {
  const part = document.querySelector('[data-testid=stSidebar] [data-testid=stCaptionContainer]');
  const ground = getComputedStyle(document.querySelector('[data-testid=stSidebar]'));
  const numbers = colour => colour.match(/[\\d.]+/g).slice(0, 3).map(Number);
  const [ink, paper] = [numbers(getComputedStyle(part).color), numbers(ground.backgroundColor)];
  const over = Number(getComputedStyle(part).opacity);
  const light = colour => {
    const [r, g, b] = colour.map(one => one / 255)
      .map(one => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const both = [light(ink.map((one, i) => over * one + (1 - over) * paper[i])), light(paper)];
  return Math.max(...both) / Math.min(...both);
}"""


def test_in_a_small_window_the_controls_are_a_drawer(visit: Visit, page: Page) -> None:
    page.set_viewport_size({"width": 1000, "height": 700})
    visit("scores")
    page.wait_for_function(FOLDED)
    assert page.evaluate(WIDTH) == 1000
    page.get_by_test_id("stExpandSidebarButton").click()
    page.wait_for_function(f"!({FOLDED})")
    assert page.evaluate(WIDTH) == 1000
    slider(page, "Heads").press("ArrowLeft")
    expect_url(page, "n_heads=2")
    page.get_by_test_id("stSidebarCollapseButton").get_by_role("button").click()
    page.locator(".strip .after").click()
    expect_url(settled(page), "n_heads=2")
    assert page.evaluate(FOLDED)
    page.set_viewport_size({"width": 1280, "height": 720})
    page.wait_for_function(f"!({FOLDED}) && {WIDTH} <= 980")
    page.set_viewport_size({"width": 1179, "height": 720})
    page.wait_for_function(f"{FOLDED} && {WIDTH} === 1179")


def test_controls_keep_their_places_from_layer_to_layer(visit: Visit) -> None:
    page = visit("scores")
    first = page.evaluate(PLACES, NAMES)
    assert None not in first
    found = {}
    for path in (
        "tokens",
        "output?n_heads=2",
        "scores?d_model=24",
        "tokens?edits=x_0_0_9",
        "scores?weights=trained&layer=3",
    ):
        found[path] = go_on(page, path).evaluate(PLACES, NAMES)
    # a group with a choice in it that is not the usual one is longer
    assert {path: shown for path, shown in found.items() if shown[:6] != first[:6]} == {}
    field = page.get_by_label("Sentence", exact=True)
    field.select_text()
    page.evaluate("document.execCommand('insertText', false, 'the cat\\nand it')")
    field.press("Enter")
    expect_url(page, "text=the+cat+and+it")
    expect(field).to_have_value("the cat and it")
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        ground = rgb(PALETTES[scheme]["background"])
        expect(page.get_by_test_id("stApp")).to_have_css("background-color", ground)
        assert page.evaluate(CONTRAST) >= 4.5, scheme
